"""Each walk of docs/extending.md, followed on a copy of the packages: what it adds takes effect."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

if TYPE_CHECKING:
    from prefect.client.orchestration import SyncPrefectClient

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
PACKAGES = ("flows", "situatedgen", "storage", "tasks")
PART = re.compile(r"^\*\*`(\S+)`\*\*$|^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
"""The name of a file above its blocks, or a block with its language."""
SECONDS = re.compile(r"\d+\.\d s\b")
ELLIPSIS = "…"
DOCTESTS = "import doctest, importlib, sys; sys.exit(doctest.testmod(importlib.import_module(sys.argv[1])).failed)"


@dataclass(frozen=True)
class Block:
    """A block of a walk: the file it belongs to, and a diff of that file or its whole text."""

    file: str
    language: str
    lines: tuple[str, ...]

    def apply(self, root: Path) -> None:
        """Write the file, or replace the one place in it that the diff shows."""
        path = root / self.file
        if self.language != "diff":
            assert not path.exists(), f"{self.file} is there already; show its change as a diff"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(_text(self.lines), encoding="utf-8")
            return
        text = path.read_text(encoding="utf-8")
        before, after = (_text(line[1:] for line in self.lines if line[:1] != sign) for sign in "+-")
        assert text.count(before) == 1, f"{self.file} has not exactly one place with\n{before}"
        path.write_text(text.replace(before, after), encoding="utf-8")


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@dataclass
class Walk:
    """A section of the page: its blocks, and its commands, each with the lines of its output that the page shows."""

    blocks: list[Block] = field(default_factory=list)
    commands: list[tuple[str, list[str]]] = field(default_factory=list)

    def follow(self, root: Path, **environment: str) -> None:
        """Apply the blocks to a checkout, then run the commands in it."""
        for block in self.blocks:
            block.apply(root)
        check_style(root, {block.file for block in self.blocks if block.file.endswith(".py")})
        for command, shown in self.commands:
            printed = {normal(line) for line in run(command, root, environment).splitlines()}
            assert [line for line in shown if normal(line) not in printed] == [], "\n".join(sorted(printed))


def read_walks(page: str) -> dict[str, Walk]:
    """The walks of a page by their titles."""
    titles = re.split(r"^## (.+)\n", page, flags=re.MULTILINE)[1:]
    return {title: read_walk(text) for title, text in zip(titles[::2], titles[1::2], strict=True)}


def read_walk(text: str) -> Walk:
    """The blocks and commands of a section."""
    walk, file = Walk(), ""
    for part in PART.finditer(text):
        file = part[1] or file
        if part[2] == "console":
            walk.commands.extend(read_commands(part[3].splitlines()))
        elif part[2]:
            walk.blocks.append(Block(file, part[2], tuple(part[3].splitlines())))
    return walk


def read_commands(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Each command of a console block with the lines that it prints."""
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield lines[start][2:], [line for line in lines[start + 1 : end] if line != ELLIPSIS]


def normal(line: str) -> str:
    """A line of output without the width of its columns and the time that it took."""
    return " ".join(SECONDS.sub("", line).split())


def run(command: str, root: Path, environment: Mapping[str, str]) -> str:
    """What a command of ours prints in a checkout."""
    name, *words = shlex.split(command)
    assert name == "situatedgen"
    return python("from flows.cli.app import main; main()", *words, root=root, environment=environment)


def python(script: str, *words: str, root: Path, environment: Mapping[str, str]) -> str:
    """What a script prints that imports the packages of a checkout."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    done = subprocess.run(
        [sys.executable, "-c", script, *words],
        cwd=root,
        env={**own, "COLUMNS": "120", **environment, "PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-5000:]
    return done.stdout + done.stderr


def check_style(root: Path, files: set[str]) -> None:
    """The code of the page is laid out and linted like ours."""
    for command in (["format", "--diff"], ["check", "--quiet"]):
        words = [sys.executable, "-m", "ruff", *command, "--no-cache", *sorted(files)]
        done = subprocess.run(words, cwd=root, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


WALKS = read_walks(PAGE)


@pytest.fixture
def checkout(tiny: Any, tmp_path: Path) -> Path:
    """A copy of the packages, in which the sample was built with the preset `tiny`."""
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(tiny.store.root, tmp_path / ".situatedgen")
    shutil.copytree(tiny.out, tmp_path / "dataset")
    return tmp_path


def read_newest(root: Path, stage: str) -> pl.DataFrame:
    """The table of a stage that was written last."""
    return pl.read_parquet(max((root / ".situatedgen/artifacts" / stage).glob("*.parquet"), key=os.path.getmtime))


def read_examples(folder: Path) -> pl.DataFrame:
    """The examples of a dataset folder, with their splits."""
    parts = ((split, folder / f"data/{split}.parquet") for split in ("train", "dev", "test"))
    return pl.concat(pl.read_parquet(path).with_columns(split=pl.lit(split)) for split, path in parts)


def test_the_page_names_the_files_that_each_walk_touches() -> None:
    rows = re.findall(r"^\| \[(.+?)\]\(.+?\) \| (.+) \|$", PAGE, re.MULTILINE)
    assert [title.capitalize() for title, _ in rows] == list(WALKS)
    for title, told in rows:
        named = re.findall(r"`([\w/]+/[\w.]*)`", told)
        touched = {block.file for block in WALKS[title.capitalize()].blocks if block.file.startswith(PACKAGES)}
        assert {place for place in named if not any(file.startswith(place) for file in touched)} == set()
        assert {file for file in touched if not file.startswith(tuple(named))} == set()


def test_a_source(checkout: Path) -> None:
    WALKS["A source"].follow(checkout)
    ids = {id_ for ids in read_examples(checkout / "almanac-dataset")["ids"] for id_ in ids}
    assert ids
    assert ids <= {f"almanac::train::{number}" for number in range(4)}


def test_a_rule(checkout: Path) -> None:
    before = sentences_to_the_reader(checkout)
    WALKS["A rule"].follow(checkout)
    python(DOCTESTS, "situatedgen.rules.text", root=checkout, environment={})
    assert before
    assert sentences_to_the_reader(checkout) == set()


def sentences_to_the_reader(root: Path) -> set[str]:
    """The sentences of a dataset with the word "you"."""
    texts = read_examples(root / "dataset")["statements"].explode()
    return {text for text in texts if "you" in text.lower().split()}


@pytest.mark.weights  # the case that every page of scores shows is lemmatised
def test_a_metric(checkout: Path) -> None:
    WALKS["A metric"].follow(checkout)
    found = json.loads((checkout / "scores/scores.json").read_text(encoding="utf-8"))
    scores = {
        system["system"]: {each["metric"]: each["value"] for each in system["scores"]} for system in found["systems"]
    }
    assert scores == {"copied": {"SENTENCES": 0.0}, "halves": {"SENTENCES": 100.0}}


def test_a_model(checkout: Path) -> None:
    before = read_newest(checkout, "embeddings")
    WALKS["A model"].follow(checkout)
    after = read_newest(checkout, "embeddings")
    assert after["masked_text"].equals(before["masked_text"])
    assert (before["vector"].dtype, after["vector"].dtype) == (pl.Array(pl.Float32, 64), pl.Array(pl.Float32, 256))


@pytest.mark.prefect
def test_a_task(checkout: Path, prefect_server: dict[str, str], prefect_client: "SyncPrefectClient") -> None:
    WALKS["A task"].follow(checkout, **prefect_server)
    examples = read_examples(checkout / "dataset")
    keywords = examples.select("split", keyword=pl.col("keywords").list.unique()).explode("keyword")
    expected = keywords.group_by("keyword", "split").agg(examples=pl.len())
    assert_frame_equal(
        read_newest(checkout, "keyword_counts").cast({"split": pl.String}),
        expected.select("keyword", "split", "examples"),
        check_row_order=False,
    )
    assert task_states(prefect_client, "keyword_counts") == ["Cached"]


def task_states(client: "SyncPrefectClient", name: str) -> list[str]:
    """The final states of the task runs of a name, which reach the server a little after the flow has ended."""
    from prefect.client.schemas.filters import TaskRunFilter, TaskRunFilterName  # noqa: PLC0415

    chosen = TaskRunFilter(name=TaskRunFilterName(any_=[name]))
    for _ in range(150):
        runs = client.read_task_runs(task_run_filter=chosen)
        if runs and all(run.state and run.state.is_final() for run in runs):
            break
        time.sleep(0.2)
    return [run.state.name for run in runs if run.state]

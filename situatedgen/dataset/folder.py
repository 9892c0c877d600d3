"""The published dataset folder: written whole or not at all, and not again while nothing changed."""

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen import atomic
from situatedgen.dataset import statistics
from situatedgen.dataset.configuration import CHOICE
from situatedgen.errors import SettingsError, StoreError
from situatedgen.resources import read_bytes, read_text
from situatedgen.schemas import SPLIT
from situatedgen.vocabulary import Split

QUESTIONS = "questions"
"""The entry of a manifest that says of which examples the questions were made, and how many there are."""
Told = Mapping[str, object]
Frames = Mapping[str, pl.DataFrame]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Joined(Mapping[str, pl.DataFrame]):
    """The tables of a build and the questions made of it, each read when it is asked for."""

    tables: Frames
    questions: Callable[[], pl.DataFrame]

    def __getitem__(self, name: str) -> pl.DataFrame:
        """The table of a stage, or the questions."""
        return self.questions() if name == CHOICE.name else self.tables[name]

    def __iter__(self) -> Iterator[str]:
        """The names of the stages, and of the questions."""
        return iter((*self.tables, CHOICE.name))

    def __len__(self) -> int:
        """How many tables there are."""
        return len(self.tables) + 1


def added(tables: Frames, manifest: Told, questions: pl.DataFrame) -> tuple[Frames, Told]:
    """What a dataset folder is made from when questions, with their splits, are added to it."""
    digest = hashlib.sha256(questions.sort("example_id").write_json().encode("utf-8")).hexdigest()
    told = {"examples": _examples(manifest), "rows": questions.height, "digest": digest}
    return Joined(tables, lambda: questions), {**manifest, QUESTIONS: told}


def with_questions(
    out: Path,
    known: Mapping[str, Any],  # Any: parsed JSON
    tables: Frames,
    manifest: Told,
) -> tuple[Frames, Told]:
    """What a folder is made from: with the questions that it holds already, as long as its examples are the same."""
    told = known.get(QUESTIONS)
    if QUESTIONS in manifest or not told:
        return tables, manifest
    if told["examples"] != _examples(manifest) or not _are_whole(out, known["files"]):
        log.warning("the questions (`choice`) of %s are not of its examples any more, and are out; filter again", out)
        return tables, manifest
    return Joined(tables, partial(_read, out)), {**manifest, QUESTIONS: told}


def _examples(manifest: Told) -> str:
    """The content of the examples, by their digest."""
    stages = manifest.get("stages")
    entry = stages.get("examples") if isinstance(stages, Mapping) else None
    return str(entry["digest"]) if isinstance(entry, Mapping) else ""


def _are_whole(out: Path, digests: Mapping[str, str]) -> bool:
    files = [CHOICE.file(split) for split in Split]
    return all(
        name in digests
        and (out / name).is_file()
        and hashlib.sha256((out / name).read_bytes()).hexdigest() == digests[name]
        for name in files
    )


def _read(out: Path) -> pl.DataFrame:
    """The questions that a folder holds, with their splits."""
    parts = [
        pl.read_parquet(out / CHOICE.file(split), glob=False).with_columns(split=pl.lit(split.value)) for split in Split
    ]
    return pl.concat(parts)


HARNESS_FOLDER = "lm_eval"
HARNESS_FILES = ("situatedgen.yaml", "utils.py")


def harness() -> dict[str, bytes]:
    """The files of the task by their path in a dataset folder; it finds its data beside itself."""
    kept = files("situatedgen.resources").joinpath(HARNESS_FOLDER)
    return {f"{HARNESS_FOLDER}/{name}": kept.joinpath(name).read_bytes() for name in HARNESS_FILES}


FORMAT = "situatedgen dataset"
MANIFEST = "manifest.json"
# Beside what the manifest names, the packages that the numbers, figures and pages depend on.
DRAWN_WITH = ("huggingface-hub", "matplotlib", "nltk", "pillow", "pyyaml")
TEXTS = (
    *("authors_leakage.toml", "card.md", "croissant_context.json", "datasheet.md", "licences.md", "limits.txt"),
    *("report/report.html", "report/report.css", "report/report.js"),
)
MADE_BY = ("situatedgen.dataset", "situatedgen.leakage")
ESTIMATED_BY = files("situatedgen.rules") / "validity.py"


def publish(out: Path, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> statistics.Statistics:
    """Write the dataset folder; what is told of the dataset.

    A folder that holds this very content unharmed only gets its new manifest: no table is looked at, nothing
    is measured or drawn again. Files in the folder that are not ours stay.

    Raises:
        SettingsError: there is something at OUT that is not a dataset of ours.
        StoreError: OUT cannot be written.
    """
    out = out.resolve()
    check_out(out)
    try:
        with atomic.lock_folder(out):
            _publish(out, tables, manifest)
    except OSError as error:
        raise StoreError(f"cannot write the dataset folder {out}: {error}") from error
    return statistics.read(out / "stats.json")


def check_out(out: Path, *, kind: str = FORMAT) -> None:
    """Refuse a place that holds something else.

    Raises:
        SettingsError: OUT is a file, or a folder with files that is not a dataset of ours.
    """
    if out.exists() and not out.is_dir():
        raise SettingsError(f"{out} is a file; choose another folder for the dataset")
    if out.is_dir() and any(out.iterdir()) and not read_manifest(out, kind=kind):
        raise SettingsError(
            f"{out} holds files but no dataset of ours, and is left alone; choose another folder or empty it"
        )


def read_manifest(out: Path, *, kind: str = FORMAT) -> dict[str, Any]:  # Any: parsed JSON
    """The manifest of a dataset folder; empty where there is none of ours."""
    try:
        found = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("format") == kind else {}


def read_examples(out: Path) -> pl.DataFrame:
    """The released rows of a dataset folder with their split.

    Raises:
        SettingsError: the folder is no dataset of ours.
    """
    if not read_manifest(out):
        raise SettingsError(f"{out} is no dataset folder: it has no {MANIFEST} of ours")
    parts = [
        pl.read_parquet(out / "data" / f"{split.value}.parquet", glob=False).with_columns(
            pl.lit(split.value).cast(SPLIT).alias("split")
        )
        for split in Split
    ]
    return pl.concat(parts)


def _publish(out: Path, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> None:
    atomic.finish_replacement(out, ours=_ours(atomic.replaced_folder(out)))
    known = read_manifest(out)
    tables, manifest = with_questions(out, known, tables, manifest)
    content = _content(manifest)
    if content and known.get("content") == content and _is_unharmed(out, known["files"]):
        atomic.write(out / MANIFEST, _manifest(manifest, content, known["files"]))
        return
    # Loads matplotlib and NLTK, which a build in which nothing changed does without.
    from situatedgen.dataset.contents import contents  # noqa: PLC0415

    made = contents(tables, manifest)
    digests = {name: hashlib.sha256(made[name]).hexdigest() for name in sorted(made)}
    made[MANIFEST] = _manifest(manifest, content, digests)
    atomic.replace_folder(out, made, ours=_ours(out))


def _ours(out: Path) -> frozenset[str]:
    return frozenset({MANIFEST, *read_manifest(out).get("files", ())})


def _is_unharmed(out: Path, digests: Mapping[str, str]) -> bool:
    return all(
        (out / name).is_file() and hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
        for name, digest in digests.items()
    )


def _manifest(manifest: Mapping[str, object], content: str, digests: Mapping[str, str]) -> bytes:
    whole = {"format": FORMAT, **manifest, "content": content, "files": dict(digests)}
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _content(manifest: Mapping[str, object]) -> str:
    """A digest of all that the folder's files are made from; empty when the manifest does not tell."""
    stages = manifest.get("stages")
    if not isinstance(stages, Mapping) or not stages:
        return ""
    told = {
        "tables": {name: stage["digest"] for name, stage in stages.items()},
        "settings": manifest.get("settings"),
        "questions": manifest.get(QUESTIONS),
        "given": [manifest.get("precedent"), manifest.get("decisions")],
        "versions": [manifest.get("versions"), *(version(package) for package in DRAWN_WITH)],
        "task": [content.decode("utf-8") for content in harness().values()],
        "judge": hashlib.sha256(read_bytes("judge.safetensors")).hexdigest(),
        "code": [path.read_text("utf-8") for path in sorted(_code(), key=str)] + [read_text(name) for name in TEXTS],
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode("utf-8")).hexdigest()


def _code() -> list[Path]:
    made = [path for package in MADE_BY for path in Path(str(files(package))).rglob("*.py")]
    return [*made, Path(str(ESTIMATED_BY))]

"""The published dataset folder: written atomically, and rewritten only if something changed."""

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
"""The manifest entry that states which examples the questions were made from, and how many there are."""
Manifest = Mapping[str, object]
Frames = Mapping[str, pl.DataFrame]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Joined(Mapping[str, pl.DataFrame]):
    """The tables of a build plus its questions, each loaded on access."""

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


def add_questions(tables: Frames, manifest: Manifest, questions: pl.DataFrame) -> tuple[Frames, Manifest]:
    """Add questions, with their splits, to the tables and the manifest that a dataset folder is made from."""
    digest = hashlib.sha256(questions.sort("example_id").write_json().encode("utf-8")).hexdigest()
    entry = {"examples": _examples_digest(manifest), "rows": questions.height, "digest": digest}
    return Joined(tables, lambda: questions), {**manifest, QUESTIONS: entry}


def with_questions(
    out: Path,
    known: Mapping[str, Any],  # Any: parsed JSON
    tables: Frames,
    manifest: Manifest,
) -> tuple[Frames, Manifest]:
    """Keep the questions that a folder already contains, provided that its examples have not changed."""
    entry = known.get(QUESTIONS)
    if QUESTIONS in manifest or not entry:
        return tables, manifest
    if entry["examples"] != _examples_digest(manifest) or not _questions_intact(out, known["files"]):
        log.warning("the questions (`choice`) of %s no longer match its examples and are dropped; filter again", out)
        return tables, manifest
    return Joined(tables, partial(_read_questions, out)), {**manifest, QUESTIONS: entry}


def _examples_digest(manifest: Manifest) -> str:
    """Digest of the examples; empty if the manifest has none."""
    stages = manifest.get("stages")
    entry = stages.get("examples") if isinstance(stages, Mapping) else None
    return str(entry["digest"]) if isinstance(entry, Mapping) else ""


def _questions_intact(out: Path, digests: Mapping[str, str]) -> bool:
    files = [CHOICE.file(split) for split in Split]
    return all(
        name in digests
        and (out / name).is_file()
        and hashlib.sha256((out / name).read_bytes()).hexdigest() == digests[name]
        for name in files
    )


def _read_questions(out: Path) -> pl.DataFrame:
    """Read the questions of a folder, with their splits."""
    parts = [
        pl.read_parquet(out / CHOICE.file(split), glob=False).with_columns(split=pl.lit(split.value)) for split in Split
    ]
    return pl.concat(parts)


HARNESS_FOLDER = "lm_eval"
HARNESS_FILES = ("situatedgen.yaml", "utils.py")


def harness() -> dict[str, bytes]:
    """Files of the lm-eval task, keyed by path in the dataset folder; the task finds its data next to itself."""
    kept = files("situatedgen.resources").joinpath(HARNESS_FOLDER)
    return {f"{HARNESS_FOLDER}/{name}": kept.joinpath(name).read_bytes() for name in HARNESS_FILES}


FORMAT = "situatedgen dataset"
MANIFEST = "manifest.json"
# Packages that statistics, figures and pages depend on, in addition to those in the manifest.
DRAWN_WITH = ("huggingface-hub", "matplotlib", "nltk", "pillow", "pyyaml")
TEXTS = (
    *("authors_leakage.toml", "card.md", "croissant_context.json", "datasheet.md", "licences.md", "limits.txt"),
    *("report/report.html", "report/report.css", "report/report.js"),
)
MADE_BY = ("situatedgen.dataset", "situatedgen.leakage")
ESTIMATED_BY = files("situatedgen.rules") / "validity.py"


def publish(out: Path, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> statistics.Statistics:
    """Write the dataset folder and return the statistics of the dataset.

    A folder whose content is unchanged and intact only gets a new manifest; no table is read, and nothing is measured
    or drawn again. Files in the folder that the manifest does not list are kept.

    Raises:
        SettingsError: OUT exists and is not a situatedgen dataset.
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
    """Reject an output path that contains anything other than a situatedgen dataset.

    Raises:
        SettingsError: OUT is a file, or a folder with files that is not a situatedgen dataset.
    """
    if out.exists() and not out.is_dir():
        raise SettingsError(f"{out} is a file; choose another folder for the dataset")
    if out.is_dir() and any(out.iterdir()) and not read_manifest(out, kind=kind):
        raise SettingsError(
            f"{out} contains files but is not a situatedgen dataset; choose another folder, or empty it"
        )


def read_manifest(out: Path, *, kind: str = FORMAT) -> dict[str, Any]:  # Any: parsed JSON
    """Read the manifest of a dataset folder; empty if it has none."""
    try:
        found = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) and found.get("format") == kind else {}


def read_examples(out: Path) -> pl.DataFrame:
    """Read the published rows of a dataset folder, with their split.

    Raises:
        SettingsError: the folder is not a situatedgen dataset.
    """
    if not read_manifest(out):
        raise SettingsError(f"{out} is not a situatedgen dataset (no {MANIFEST})")
    parts = [
        pl.read_parquet(out / "data" / f"{split.value}.parquet", glob=False).with_columns(
            pl.lit(split.value).cast(SPLIT).alias("split")
        )
        for split in Split
    ]
    return pl.concat(parts)


def _publish(out: Path, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> None:
    atomic.finish_replacement(out, ours=_own_files(atomic.replaced_folder(out)))
    known = read_manifest(out)
    tables, manifest = with_questions(out, known, tables, manifest)
    content = _content_digest(manifest)
    if content and known.get("content") == content and _is_intact(out, known["files"]):
        atomic.write(out / MANIFEST, _encode_manifest(manifest, content, known["files"]))
        return
    # Loads matplotlib and NLTK, which an unchanged build does not need.
    from situatedgen.dataset.contents import contents  # noqa: PLC0415

    made = contents(tables, manifest)
    digests = {name: hashlib.sha256(made[name]).hexdigest() for name in sorted(made)}
    made[MANIFEST] = _encode_manifest(manifest, content, digests)
    atomic.replace_folder(out, made, ours=_own_files(out))


def _own_files(out: Path) -> frozenset[str]:
    return frozenset({MANIFEST, *read_manifest(out).get("files", ())})


def _is_intact(out: Path, digests: Mapping[str, str]) -> bool:
    return all(
        (out / name).is_file() and hashlib.sha256((out / name).read_bytes()).hexdigest() == digest
        for name, digest in digests.items()
    )


def _encode_manifest(manifest: Mapping[str, object], content: str, digests: Mapping[str, str]) -> bytes:
    whole = {"format": FORMAT, **manifest, "content": content, "files": dict(digests)}
    return (json.dumps(whole, ensure_ascii=False, indent=2) + "\n").encode("utf-8")


def _content_digest(manifest: Mapping[str, object]) -> str:
    """Digest of everything that the folder's files depend on; empty if the manifest lists no stages."""
    stages = manifest.get("stages")
    if not isinstance(stages, Mapping) or not stages:
        return ""
    inputs = {
        "tables": {name: stage["digest"] for name, stage in stages.items()},
        "settings": manifest.get("settings"),
        "questions": manifest.get(QUESTIONS),
        "given": [manifest.get("precedent"), manifest.get("decisions")],
        "versions": [manifest.get("versions"), *(version(package) for package in DRAWN_WITH)],
        "task": [content.decode("utf-8") for content in harness().values()],
        "judge": hashlib.sha256(read_bytes("judge.safetensors")).hexdigest(),
        "code": [path.read_text("utf-8") for path in sorted(_code_files(), key=str)]
        + [read_text(name) for name in TEXTS],
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode("utf-8")).hexdigest()


def _code_files() -> list[Path]:
    made = [path for package in MADE_BY for path in Path(str(files(package))).rglob("*.py")]
    return [*made, Path(str(ESTIMATED_BY))]

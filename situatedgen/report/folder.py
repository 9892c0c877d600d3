"""The published dataset folder: written whole or not at all, and not again while nothing changed."""

import hashlib
import json
from collections.abc import Mapping
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import polars as pl

from situatedgen import atomic
from situatedgen.errors import SettingsError, StoreError
from situatedgen.report import statistics
from situatedgen.report.asked import QUESTIONS, with_questions
from situatedgen.report.harness import harness
from situatedgen.resources import read_bytes, read_text
from situatedgen.schemas import SPLIT
from situatedgen.vocabulary import Split

FORMAT = "situatedgen dataset"
MANIFEST = "manifest.json"
# Beside what the manifest names, the packages that the numbers, figures and pages depend on.
DRAWN_WITH = ("huggingface-hub", "matplotlib", "nltk", "pillow", "pyyaml")
TEXTS = (
    *("authors_leakage.toml", "card.md", "croissant_context.json", "datasheet.md", "licences.md", "limits.txt"),
    *("report/report.html", "report/report.css", "report/report.js"),
)
MADE_BY = ("situatedgen.report", "situatedgen.variants", "situatedgen.leakage")
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
    from situatedgen.report.contents import contents  # noqa: PLC0415

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

"""Adversarial filtering and oversampling: reads tables from a store and writes questions into a folder."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
from filelock import lock_descriptor

from situatedgen.atomic import write
from situatedgen.dataset.folder import MANIFEST, read_manifest
from situatedgen.dataset.release.record import is_built_in
from situatedgen.errors import SettingsError, StoreError
from situatedgen.filtering import audit
from situatedgen.filtering.adversarial import Iteration
from situatedgen.filtering.make import CONFIGURATION, PREPARED, Environment, Made, Step, card, make_questions
from situatedgen.filtering.oversampling.corpus import Corpus, corpus, read_corpus
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.filtering.settings import FilterSettings
from situatedgen.models.roles import Encoder, Parser
from situatedgen.params import ModelParams
from situatedgen.pipeline import STAGES
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Split
from storage.batches import ModelLoader
from storage.builds import all_builds
from storage.filesystem import check_output
from storage.store import ArtifactRef, Store

if TYPE_CHECKING:
    from situatedgen.filtering.oversampling.oversample import Fold, Hardened, Oversampled

SUMMARY, BASELINES = "choice.json", "baselines.json"
FROM = ("examples", "keywords", "splits")


@dataclass(frozen=True)
class FilterRequest:
    """A dataset to turn into questions, the store it was built in, and the output folder."""

    dataset: Path
    store: Store
    out: Path
    settings: FilterSettings
    runtime: Runtime


def filter_dataset(request: FilterRequest, *, listener: Callable[[Step], None] = lambda _: None) -> Made:
    """Filter the questions of a dataset, and write them and their curve.

    An interrupted run resumes after its last iteration.

    Raises:
        SettingsError: the folder is not a dataset, it names an encoder that no build here has used, the output folder
            contains other files, or too few pairs can be regrouped.
        StoreError: the store no longer holds the dataset's tables, or the output folder cannot be written.
    """
    manifest = read_manifest(request.dataset)
    if not manifest:
        raise SettingsError(f"{request.dataset} is not a situatedgen dataset (no {MANIFEST}); build one first")
    check_output(request.out, PREPARED, command="filter")
    encoder = _trusted_encoder(request, manifest["settings"])
    tables = {name: _read_table(request.store, manifest["stages"], name) for name in FROM}
    place = Environment(request.out, request.runtime, lambda: _encoder(request, encoder), listener)
    try:
        with lock_folder(request.out, PREPARED):
            found = make_questions(tables, request.settings, place)
            _write_questions(request.out, found, request.settings)
    except OSError as error:
        raise StoreError(f"cannot write the folder {request.out}: {error}") from error
    return found


@contextmanager
def lock_folder(out: Path, below: str) -> Iterator[None]:
    """Lock a folder exclusively, and create the subfolder that marks it as ours.

    Raises:
        StoreError: another process is working in the folder.
    """
    (out / below).mkdir(parents=True, exist_ok=True)
    handle = os.open(out, os.O_RDONLY)
    try:
        if not lock_descriptor(handle, blocking=False):
            raise StoreError(f"another process is using {out}; wait for it, or choose another folder")
        yield
    finally:
        os.close(handle)


def _read_table(store: Store, stages: Mapping[str, Mapping[str, object]], name: str) -> pl.DataFrame:
    entry = stages[name]
    ref = ArtifactRef(stage=STAGES[name].name, digest=str(entry["digest"]), rows=int(str(entry["rows"])))
    return store.read(ref)


def _trusted_encoder(request: FilterRequest, settings: Mapping[str, Mapping[str, object]]) -> ModelParams:
    """Return the encoder named in a manifest, if it is built in or was used by a build in this store."""
    encoder = ModelParams.model_validate(settings["embeddings"]["encoder"])
    if not is_built_in("encoder", encoder) and not _was_used(request.store, encoder):
        raise SettingsError(
            f"{request.dataset} names the encoder {encoder.name!r} with weights {encoder.weights!r}, which situatedgen"
            f" does not ship and no build in {request.store.root} has used; build the dataset yourself first"
        )
    return encoder


def _was_used(store: Store, encoder: ModelParams) -> bool:
    used = (build.settings.get("embeddings") for build in all_builds(store))
    return any(isinstance(each, dict) and each.get("encoder") == encoder.model_dump(mode="json") for each in used)


def _encoder(request: FilterRequest, encoder: ModelParams) -> Encoder:
    """Return the encoder that the dataset was built with, memoized in the store."""
    loader = ModelLoader(request.store, request.runtime)
    return loader.model("encoder", encoder)  # type: ignore[return-value]  # the role says which


def _write_questions(out: Path, found: Made, settings: FilterSettings) -> None:
    for split in Split:
        content = BytesIO()
        found.questions.filter(pl.col("split") == split.value).drop("split").write_parquet(content)
        (out / CONFIGURATION).mkdir(exist_ok=True)
        write(out / CONFIGURATION / f"{split.value}.parquet", content.getvalue())
    write(out / audit.JSON, audit.describe_curve(found.history, found.before, found.after, found.seconds))
    write(out / audit.PICTURE, audit.draw_filtering_curve(found.history, chance=1 / (1 + settings.choice.wrong)))
    write(out / "README.md", card(found, settings).encode("utf-8"))
    asked = {when: [asdict(one) for one in each] for when, each in found.baselines.items()}
    write(out / BASELINES, (json.dumps(asked, indent=2) + "\n").encode("utf-8"))
    summary = {"pairs": dict(found.counts), "settings": settings.model_dump(mode="json")}
    write(out / SUMMARY, (json.dumps(summary, indent=2) + "\n").encode("utf-8"))


ENDINGS_SUMMARY, FOLDS, QUESTIONS = "oversampling.json", "folds", "questions.parquet"


@dataclass(frozen=True)
class OversampleRequest:
    """A corpus whose rows get wrong endings, the store that memoizes its parses, and the output folder."""

    corpus: Path
    store: Store
    out: Path
    settings: OversampleSettings
    runtime: Runtime
    is_filtered: bool = False


@dataclass(frozen=True)
class WrittenEndings:
    """Row counts of a corpus by verdict, its endings, and its questions if they were requested."""

    rows: Mapping[str, int]
    found: "Oversampled"
    questions: "Hardened | None"


@dataclass(frozen=True)
class Listeners:
    """Callbacks: the number of rows to process and those done, and the result of each fold and iteration."""

    begins: Callable[[int], None] = lambda _: None
    fold: Callable[["Fold"], None] = lambda _: None
    iteration: Callable[[Iteration], None] = lambda _: None
    advance: Callable[[int], None] = lambda _: None


def oversample(request: OversampleRequest, listeners: Listeners = Listeners()) -> WrittenEndings:  # noqa: B008 (frozen)
    """Generate the wrong endings of a corpus and write them into the folder.

    An interrupted run resumes with the first unfinished fold.

    Raises:
        SettingsError: the folder contains other files, or the corpus has too few rows.
        SourceError: the corpus cannot be read.
        StoreError: the folder or the store cannot be written.
    """
    # Imports PyTorch.
    from situatedgen.filtering.oversampling.oversample import Place, oversample_corpus, row_count  # noqa: PLC0415

    check_output(request.out, FOLDS, command="oversample")
    texts = read_corpus(request.corpus, column=request.settings.rows.column)
    rows = corpus(texts, _parser(request), request.settings.rows, size=request.settings.writer.vocabulary)
    try:
        with lock_folder(request.out, FOLDS):
            listeners.begins(row_count(rows, request.settings))
            found = oversample_corpus(
                rows, request.settings, Place(request.out / FOLDS, request.runtime, listeners.fold, listeners.advance)
            )
            _write_endings(request, rows, found)
            return WrittenEndings(count_fates(rows), found, _harden_questions(request, found, listeners))
    except OSError as error:
        raise StoreError(f"cannot write the folder {request.out}: {error}") from error


def count_fates(rows: Corpus) -> dict[str, int]:
    """Count the texts of a corpus by verdict, most frequent first."""
    counts = dict(rows.table.group_by("verdict").len().iter_rows())
    return {fate: counts[fate] for fate in sorted(counts, key=lambda fate: (-counts[fate], fate))}


def _parser(request: OversampleRequest) -> Parser:
    loader = ModelLoader(request.store, request.runtime)
    return loader.model("parser", request.settings.rows.parser)  # type: ignore[return-value]  # the role says which


def _harden_questions(request: OversampleRequest, found: "Oversampled", listeners: Listeners) -> "Hardened | None":
    if not request.is_filtered:
        return None
    from situatedgen.filtering.oversampling.oversample import harden  # noqa: PLC0415

    done = harden(
        found.pools, request.settings, folder=request.out, runtime=request.runtime, listener=listeners.iteration
    )
    _write_table(request.out / QUESTIONS, done.questions)
    write(request.out / audit.JSON, audit.describe_curve(done.history, done.before, done.after, {}))
    write(
        request.out / audit.PICTURE,
        audit.draw_filtering_curve(done.history, chance=1 / (1 + request.settings.filter.wrong)),
    )
    return done


def _write_endings(request: OversampleRequest, rows: Corpus, found: "Oversampled") -> None:
    for name, table in {"rows": rows.table, "endings": found.endings, "pools": found.pools}.items():
        _write_table(request.out / f"{name}.parquet", table)
    summary = {
        "rows": count_fates(rows),
        "folds": [asdict(fold) for fold in found.folds],
        "settings": request.settings.model_dump(mode="json"),
    }
    write(request.out / ENDINGS_SUMMARY, (json.dumps(summary, indent=2) + "\n").encode("utf-8"))


def _write_table(path: Path, table: pl.DataFrame) -> None:
    content = BytesIO()
    table.write_parquet(content)
    write(path, content.getvalue())

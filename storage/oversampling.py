"""Oversamples the endings of a corpus: parses are remembered in the store, endings and questions go into a folder."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from situatedgen.atomic import write
from situatedgen.errors import SettingsError, StoreError
from situatedgen.filtering import curve
from situatedgen.filtering.history import Iteration
from situatedgen.filtering.oversampling.reading import read_corpus
from situatedgen.filtering.oversampling.rows import Corpus, corpus
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.models.roles import Parser
from situatedgen.runtime import Runtime
from storage.filtering import alone
from storage.remembered import Asking
from storage.store import Store

if TYPE_CHECKING:
    from situatedgen.filtering.oversampling.hardening import Hardened
    from situatedgen.filtering.oversampling.oversampling import Fold, Oversampled

SUMMARY, FOLDS, QUESTIONS = "oversampling.json", "folds", "questions.parquet"


@dataclass(frozen=True)
class OversampleOrder:
    """A corpus whose rows get wrong endings, the store that remembers its parses, and the folder of the endings."""

    corpus: Path
    store: Store
    out: Path
    settings: OversampleSettings
    runtime: Runtime
    is_filtered: bool = False


@dataclass(frozen=True)
class Written:
    """What became of the texts of a corpus, its endings, and its questions when they were asked for."""

    rows: Mapping[str, int]
    found: "Oversampled"
    questions: "Hardened | None"


@dataclass(frozen=True)
class Listeners:
    """Who is told what: how many rows get endings and are done, what came of a fold, and of an iteration."""

    begins: Callable[[int], None] = lambda _: None
    fold: Callable[["Fold"], None] = lambda _: None
    iteration: Callable[[Iteration], None] = lambda _: None
    advance: Callable[[int], None] = lambda _: None


def oversample(order: OversampleOrder, listeners: Listeners = Listeners()) -> Written:  # noqa: B008 (frozen)
    """The wrong endings of a corpus, once they are written into the folder.

    Cut short, the same call goes on with the fold that was not done.

    Raises:
        SettingsError: the folder holds something else, or the corpus has too few rows.
        SourceError: the corpus cannot be read.
        StoreError: the folder or the store cannot be written.
    """
    # Loads PyTorch.
    from situatedgen.filtering.oversampling.oversampling import Place, oversampled, row_count  # noqa: PLC0415

    _check(order.out)
    texts = read_corpus(order.corpus, column=order.settings.rows.column)
    rows = corpus(texts, _parser(order), order.settings.rows, size=order.settings.writer.vocabulary)
    try:
        with alone(order.out, FOLDS):
            listeners.begins(row_count(rows, order.settings))
            found = oversampled(
                rows, order.settings, Place(order.out / FOLDS, order.runtime, listeners.fold, listeners.advance)
            )
            _write(order, rows, found)
            return Written(fates(rows), found, _questions(order, found, listeners))
    except OSError as error:
        raise StoreError(f"cannot write the folder {order.out}: {error}") from error


def fates(rows: Corpus) -> dict[str, int]:
    """How many texts of a corpus became what."""
    counts = dict(rows.table.group_by("verdict").len().iter_rows())
    return {fate: counts[fate] for fate in sorted(counts, key=lambda fate: (-counts[fate], fate))}


def _check(out: Path) -> None:
    if out.exists() and (not out.is_dir() or (any(out.iterdir()) and not (out / FOLDS).is_dir())):
        raise SettingsError(f"{out} holds something that is no oversampling of ours; choose another folder")


def _parser(order: OversampleOrder) -> Parser:
    asking = Asking(order.store, order.runtime)
    return asking.model("parser", order.settings.rows.parser)  # type: ignore[return-value]  # the role says which


def _questions(order: OversampleOrder, found: "Oversampled", listeners: Listeners) -> "Hardened | None":
    if not order.is_filtered:
        return None
    from situatedgen.filtering.oversampling.hardening import hardened  # noqa: PLC0415

    done = hardened(found.pools, order.settings, folder=order.out, runtime=order.runtime, listener=listeners.iteration)
    _table(order.out / QUESTIONS, done.questions)
    write(order.out / curve.JSON, curve.told(done.history, done.before, done.after, {}))
    write(order.out / curve.PICTURE, curve.drawn(done.history, chance=1 / (1 + order.settings.filter.wrong)))
    return done


def _write(order: OversampleOrder, rows: Corpus, found: "Oversampled") -> None:
    for name, table in {"rows": rows.table, "endings": found.endings, "pools": found.pools}.items():
        _table(order.out / f"{name}.parquet", table)
    told = {
        "rows": fates(rows),
        "folds": [asdict(fold) for fold in found.folds],
        "settings": order.settings.model_dump(mode="json"),
    }
    write(order.out / SUMMARY, (json.dumps(told, indent=2) + "\n").encode("utf-8"))


def _table(path: Path, table: pl.DataFrame) -> None:
    content = BytesIO()
    table.write_parquet(content)
    write(path, content.getvalue())

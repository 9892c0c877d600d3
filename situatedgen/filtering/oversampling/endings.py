"""The endings of a fold's rows: sampled, filtered by rules and parse, and cached in a file."""

import hashlib
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from situatedgen.filtering.adversarial import write_table
from situatedgen.filtering.committee import UNKNOWN, Trained
from situatedgen.filtering.oversampling.corpus import EndingFate, Row, Vocabulary, fault, sentence
from situatedgen.filtering.oversampling.language_models import Draw, draw_endings
from situatedgen.filtering.oversampling.settings import EndingParams, SamplingParams
from situatedgen.models.roles import Parser
from situatedgen.schemas import TEXT, Schema


@dataclass(frozen=True)
class Truth:
    """Known right endings after a noun phrase: that of the row, and those of rows with the same noun phrase."""

    words: tuple[int, ...]
    others: AbstractSet[tuple[int, ...]]


def is_unfinished(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """Whether the ending was cut off at the maximum length, which looks unnatural (appendix A.3)."""
    return not draw.is_finished


def is_rare(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """Whether the ending contains a word that the model does not know."""
    return UNKNOWN in draw.words


def is_real(draw: Draw, truth: Truth, params: EndingParams) -> bool:  # noqa: ARG001 (a rule of the table)
    """Whether the ending is the right one, or follows the same words in the corpus."""
    return draw.words == truth.words or draw.words in truth.others


def is_like_the_truth(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """Whether the ending has nearly the same words as the right one.

    Example:
        >>> truth, params = Truth((7, 8, 9), frozenset()), EndingParams(max_overlap=0.6)
        >>> is_like_the_truth(Draw((7, 8, 9, 10), True, 1.0), truth, params)
        True
    """
    own, right = set(draw.words), set(truth.words)
    return len(own & right) > params.max_overlap * len(own | right)


def is_short(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """Whether the ending is much shorter than the right one."""
    return len(draw.words) < max(1, params.min_ratio * len(truth.words))


def is_long(draw: Draw, truth: Truth, params: EndingParams) -> bool:
    """Whether the ending is much longer than the right one."""
    return len(draw.words) > params.max_ratio * len(truth.words)


Rule = Callable[[Draw, Truth, EndingParams], bool]
RULES: tuple[tuple[EndingFate, Rule], ...] = (
    (EndingFate.UNFINISHED, is_unfinished),
    (EndingFate.RARE, is_rare),
    (EndingFate.REAL, is_real),
    (EndingFate.LIKE_THE_TRUTH, is_like_the_truth),
    (EndingFate.SHORT, is_short),
    (EndingFate.LONG, is_long),
)
"""Checks that run before the parse, which takes longest."""


def judge_ending(draws: Sequence[Draw], truth: Truth, params: EndingParams) -> Iterator[EndingFate]:
    """The fate of each ending, judged by its words only."""
    seen = set[tuple[int, ...]]()
    for draw in draws:
        broken = next((fate for fate, is_broken in RULES if is_broken(draw, truth, params)), EndingFate.KEPT)
        yield EndingFate.REPEATED if broken is EndingFate.KEPT and draw.words in seen else broken
        seen.add(draw.words)


ENDINGS = Schema(
    {
        "row_id": TEXT,
        "number": pl.UInt32(),
        "ending": TEXT,
        "cost": pl.Float32(),
        "verdict": pl.Enum([fate.value for fate in EndingFate]),
    },
    key=("row_id", "number"),
)
"""Endings in sampling order; `cost` is the mean cost per word to the model that wrote it."""
AT_ONCE = 32
KEY, SECONDS = "made from", "seconds"


@dataclass(frozen=True, slots=True)
class Ending:
    """An ending that a model wrote for a row."""

    row: Row
    number: int
    text: str
    cost: float
    fate: EndingFate


@dataclass(frozen=True)
class EndingWriter:
    """Samples endings and judges them."""

    vocabulary: Vocabulary
    parser: Parser
    sampling: SamplingParams
    endings: EndingParams
    longest: int
    truths: dict[str, Truth]

    @property
    def identity(self) -> str:
        """Everything that endings depend on besides the model and the rows."""
        truths = hashlib.sha256(repr([(one, truth.words) for one, truth in self.truths.items()]).encode()).hexdigest()
        return f"{self.sampling.model_dump_json()} {self.endings.model_dump_json()} {self.longest} {truths}"

    def write_endings(
        self, writer: Trained, rows: Sequence[Row], advance: Callable[[int], None] = lambda _: None
    ) -> pl.DataFrame:
        """The endings of rows with their fates; rows whose own ending fails the parse have none."""
        found: list[tuple[object, ...]] = []
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            done = self._check_parses([list(self._sample_endings(writer, row)) for row in self._parseable_rows(part)])
            found += [(one.row.row_id, one.number, one.text, one.cost, one.fate.value) for one in done]
            advance(len(part))
        return ENDINGS.frame(found)

    def _parseable_rows(self, rows: Sequence[Row]) -> list[Row]:
        """Rows whose own ending passes the parse checks."""
        real = [Ending(row, 0, self.real(row), 0.0, EndingFate.KEPT) for row in rows]
        return [one.row for one, fate in zip(real, self._faults(real), strict=True) if fate is EndingFate.KEPT]

    def real(self, row: Row) -> str:
        """The right ending of a row, printed like the others."""
        return self.vocabulary.text(self.truths[row.row_id].words)

    def _sample_endings(self, writer: Trained, row: Row) -> Iterator[Ending]:
        before = self.vocabulary.numbers(row.before)
        draws = draw_endings(writer, before, self.sampling, longest=self.longest, purpose=row.row_id)
        fates = judge_ending(draws, self.truths[row.row_id], self.endings)
        for number, (draw, fate) in enumerate(zip(draws, fates, strict=True)):
            yield Ending(row, number, self._text(draw), round(draw.cost, 4), fate)

    def _text(self, draw: Draw) -> str:
        return self.vocabulary.text(draw.words)

    def _check_parses(self, endings: Sequence[Sequence[Ending]]) -> Iterator[Ending]:
        """Parse the endings of several rows, for each row until enough are kept."""
        waiting = [deque(one for one in own if one.fate is EndingFate.KEPT) for own in endings]
        fates, kept = dict[tuple[str, int], EndingFate](), Counter[str]()
        while asked := [one for own in waiting for one in self._next(own, kept)]:
            for one, fate in zip(asked, self._faults(asked), strict=True):
                fates[one.row.row_id, one.number] = fate
                kept[one.row.row_id] += fate is EndingFate.KEPT
        for one in (one for own in endings for one in own):
            is_open = one.fate is EndingFate.KEPT
            yield replace(one, fate=fates.get((one.row.row_id, one.number), EndingFate.SURPLUS)) if is_open else one

    def _next(self, waiting: deque[Ending], kept: Counter[str]) -> list[Ending]:
        """Take the next endings of a row to parse: as many as it still needs."""
        lacking = self.sampling.population - kept[waiting[0].row.row_id] if waiting else 0
        return [waiting.popleft() for _ in range(min(lacking, len(waiting)))]

    def _faults(self, asked: Sequence[Ending]) -> Iterator[EndingFate]:
        texts = [sentence(one.row.noun_phrase, one.text) for one in asked]
        for one, text, tokens in zip(asked, texts, self.parser.parse(texts), strict=True):
            yield fault(text, tokens, len(one.row.noun_phrase) + 1)


def read_endings(path: Path, key: str) -> tuple[pl.DataFrame, float] | None:
    """Cached endings of a fold and the seconds they took; None if missing or made with another key."""
    try:
        about = pl.read_parquet_metadata(path)
        return (pl.read_parquet(path), float(about[SECONDS])) if about.get(KEY) == key else None
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException, KeyError):
        return None


def keep_endings(path: Path, found: pl.DataFrame, key: str, seconds: float) -> None:
    """Write the endings of a fold atomically."""
    write_table(path, found, {KEY: key, SECONDS: f"{seconds:.2f}"})

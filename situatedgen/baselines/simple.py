"""Baselines without trained weights: copying, splitting, grouping and nearest examples."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.errors import SettingsError, unknown
from situatedgen.models.batches import check_vectors
from situatedgen.models.roles import Encoder
from situatedgen.seeds import generator
from situatedgen.vocabulary import Split


@dataclass(frozen=True, slots=True)
class Case:
    """What a system sees of an example: the keywords, and nothing of the answer."""

    example_id: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Lesson:
    """A training example with its answer; `positions` says which statement contains each keyword."""

    example_id: str
    keywords: tuple[str, ...]
    positions: tuple[int, ...]
    statements: tuple[str, str]

    @property
    def text(self) -> str:
        """The answer as a system would write it."""
        return " ".join(self.statements)


def cases(examples: pl.DataFrame, split: str) -> list[Case]:
    """The cases of a split, sorted by example id.

    Raises:
        SettingsError: there is no such split, or it is empty.
    """
    if split not in list(Split):
        raise unknown("split", split, (each.value for each in Split))
    rows = examples.filter(pl.col("split") == split).sort("example_id").select("example_id", "keywords")
    if rows.is_empty():
        raise SettingsError(f"the split {split!r} has no examples; build a larger dataset, or choose another split")
    return [Case(example_id, tuple(keywords)) for example_id, keywords in rows.iter_rows()]


def lessons(examples: pl.DataFrame) -> list[Lesson]:
    """The training examples with their answers, sorted by example id."""
    rows = examples.filter(pl.col("split") == Split.TRAIN.value).sort("example_id")
    columns = rows.select("example_id", "keywords", "keywords_pos", "statements")
    return [
        Lesson(example_id, tuple(keywords), tuple(positions), (statements[0], statements[1]))
        for example_id, keywords, positions, statements in columns.iter_rows()
    ]


@dataclass(frozen=True)
class Vectors:
    """Unit vectors, one row per keyword."""

    numbers: dict[str, int]
    matrix: NDArray[np.float32]

    def of(self, keywords: Sequence[str]) -> NDArray[np.float32]:
        """The vectors of keywords, in order."""
        return self.matrix[[self.numbers[keyword] for keyword in keywords]]


@dataclass(frozen=True)
class Aids:
    """What baselines may use: training examples, cases, seed, and an encoder that is loaded on first use."""

    lessons: Sequence[Lesson]
    cases: Sequence[Case]
    seed: int
    encoder: Callable[[], Encoder]

    @cached_property
    def vectors(self) -> Vectors:
        """The embedding of every keyword of the training examples and cases; each is encoded once."""
        given = [*(lesson.keywords for lesson in self.lessons), *(case.keywords for case in self.cases)]
        keywords = sorted({keyword for each in given for keyword in each})
        matrix = self.encoder().encode(keywords)
        check_vectors(matrix, keywords)
        return Vectors({keyword: number for number, keyword in enumerate(keywords)}, matrix)


def copy_keywords(cases: Sequence[Case], aids: Aids) -> list[str]:  # noqa: ARG001
    """The keywords as given, on one line."""
    return [list_keywords(case.keywords) for case in cases]


def split_in_halves(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The keywords shuffled and split in half, as two lines that end like sentences."""
    return [_halve_keywords(case, aids.seed) for case in cases]


def list_keywords(keywords: Sequence[str]) -> str:
    """Keywords as a line that begins and ends like a sentence.

    Example:
        >>> list_keywords(["winter", "Australia", "July"])
        'Winter, Australia, July.'
    """
    line = KEYWORD_SEPARATOR.join(keywords)
    return capitalise(line if line.endswith(".") else f"{line}.")


def capitalise(text: str) -> str:
    """A text with its first letter in upper case and the rest unchanged."""
    return f"{text[:1].upper()}{text[1:]}"


def _halve_keywords(case: Case, seed: int) -> str:
    shuffled = list(case.keywords)
    generator(seed, "halves", case.example_id).shuffle(shuffled)
    middle = (len(shuffled) + 1) // 2
    return " ".join(list_keywords(half) for half in (shuffled[:middle], shuffled[middle:]) if half)


def fill(lesson: Lesson, replacements: Sequence[str | None]) -> tuple[str, str]:
    """The two statements of a lesson with its keywords replaced; None keeps a keyword.

    Example:
        >>> lesson = Lesson("1", ("snow", "Norway", "Peru"), (0, 0, 1), ("Norway has snow.", "Peru has none."))
        >>> fill(lesson, ["sun", "Mali", None])
        ('Mali has sun.', 'Peru has none.')
    """
    first, second = (
        _replace_words(lesson.statements[side], _replacements_on_side(lesson, replacements, side)) for side in (0, 1)
    )
    return first, second


def _replacements_on_side(lesson: Lesson, replacements: Sequence[str | None], side: int) -> dict[str, str]:
    triples = zip(lesson.keywords, lesson.positions, replacements, strict=True)
    return {old: new if new is not None else old for old, position, new in triples if position == side}


def _replace_words(statement: str, words: Mapping[str, str]) -> str:
    """Replace words simultaneously, longest first, so that no replacement is replaced again."""
    if not words:
        return statement
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return pattern.sub(lambda match: _match_case(words[match.group()], match), statement)


def _match_case(word: str, match: re.Match[str]) -> str:
    """The replacement, capitalised if it opens a sentence that began with a capital."""
    begins = match.start() == 0 and match.group()[:1].isupper()
    return capitalise(word) if begins else word


# Up to this many keywords, all partitions are compared; beyond it, the leading eigenvector of the similarity decides.
MOST_WEIGHED = 14
DECIMALS = 5


def group_keywords(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The keywords on two lines: similar ones together by embedding, identical ones apart."""
    return [_group_case(case, aids.vectors) for case in cases]


def _group_case(case: Case, vectors: Vectors) -> str:
    if len(case.keywords) < 2:
        return list_keywords(case.keywords)
    sides = part_keywords(likeness(case.keywords, vectors))
    halves = ([keyword for keyword, side in zip(case.keywords, sides, strict=True) if side == each] for each in (0, 1))
    return " ".join(list_keywords(half) for half in halves)


def likeness(keywords: Sequence[str], vectors: Vectors) -> NDArray[np.float64]:
    """Similarity of keywords minus the mean similarity within the example; identical keywords repel.

    A statement never contains a keyword twice, so a keyword given twice belongs to both.
    """
    rows = vectors.of(keywords).astype(np.float64)
    cosines = np.round(rows @ rows.T, DECIMALS)
    beyond = cosines - cosines[np.triu_indices(len(keywords), 1)].mean()
    numbers = np.array([vectors.numbers[keyword] for keyword in keywords])
    beyond[numbers[:, None] == numbers[None, :]] = -float(len(keywords) ** 2)
    np.fill_diagonal(beyond, 0.0)
    return np.asarray(beyond)


def part_keywords(likeness: NDArray[np.float64]) -> list[int]:
    """The side of each keyword, 0 or 1, maximising the similarity within sides; the first is on side 0."""
    count = len(likeness)
    if count > MOST_WEIGHED:
        return _split_by_eigenvector(likeness)
    ways = np.arange(1, 2 ** (count - 1))[:, None] >> np.arange(count)[::-1][None, :] & 1
    signs = 1.0 - 2.0 * ways
    weights = np.round(np.einsum("wi,ij,wj->w", signs, likeness, signs, optimize=True), DECIMALS)
    return [int(side) for side in ways[int(np.argmax(weights))]]


def _split_by_eigenvector(likeness: NDArray[np.float64]) -> list[int]:
    direction = np.linalg.eigh(likeness)[1][:, -1]
    sides = (direction * (1.0 if direction[0] >= 0 else -1.0) < 0).astype(int)
    if not sides.any():
        sides[int(np.argmin(np.abs(direction)))] = 1
    return [int(side) for side in sides]


Given = TypeVar("Given", Case, Lesson)
CASES_AT_ONCE = 256


def nearest(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The nearest training pair by mean keyword embedding, with its keywords replaced by those of the case."""
    return [" ".join(statements) for statements in _fill_nearest(cases, aids)]


def one_sentence(cases: Sequence[Case], aids: Aids) -> list[str]:
    """Only the first sentence of what `nearest` writes."""
    return [statements[0] for statements in _fill_nearest(cases, aids)]


def _fill_nearest(cases: Sequence[Case], aids: Aids) -> Iterator[tuple[str, str]]:
    for case, lesson in zip(cases, _nearest_lessons(cases, aids), strict=True):
        yield fill(lesson, replacements(lesson.keywords, case.keywords, aids.vectors))


def replacements(old: Sequence[str], new: Sequence[str], vectors: Vectors) -> list[str | None]:
    """For each old keyword, the new one that replaces it, maximising total similarity; None where it stays."""
    cosines = np.round(vectors.of(old).astype(np.float64) @ vectors.of(new).astype(np.float64).T, DECIMALS)
    chosen: list[str | None] = [None] * len(old)
    for place, number in zip(*linear_sum_assignment(cosines, maximize=True), strict=True):
        chosen[place] = new[number]
    return chosen


def _nearest_lessons(cases: Sequence[Case], aids: Aids) -> list[Lesson]:
    """The most similar training example of each case, among those with the closest number of keywords."""
    if not aids.lessons:
        raise SettingsError("the dataset has no training examples, which this baseline needs; build a larger one")
    found: dict[str, Lesson] = {}
    lessons = _by_count(aids.lessons)
    for count, alike in _by_count(cases).items():
        closest = min(lessons, key=lambda each: (abs(each - count), each))
        found |= _match_lessons(alike, lessons[closest], aids.vectors)
    return [found[case.example_id] for case in cases]


def _match_lessons(cases: Sequence[Case], lessons: Sequence[Lesson], vectors: Vectors) -> dict[str, Lesson]:
    means = _means(lessons, vectors).T
    found: dict[str, Lesson] = {}
    for start in range(0, len(cases), CASES_AT_ONCE):
        block = cases[start : start + CASES_AT_ONCE]
        # Rounded so that ties go to the first, whatever the floating-point error of the product.
        best = np.argmax(np.round(_means(block, vectors) @ means, DECIMALS), axis=1)
        found |= {case.example_id: lessons[number] for case, number in zip(block, best.tolist(), strict=True)}
    return found


def _means(given: Sequence[Case] | Sequence[Lesson], vectors: Vectors) -> NDArray[np.float32]:
    """Unit-length mean of each one's keyword vectors."""
    means = np.stack([vectors.of(each.keywords).mean(axis=0) for each in given])
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12))


def _by_count(given: Sequence[Given]) -> dict[int, list[Given]]:
    found: dict[int, list[Given]] = defaultdict(list)
    for each in given:
        found[len(each.keywords)].append(each)
    return found


ALL = "all"
Baseline = Callable[[Sequence[Case], Aids], list[str]]
BASELINES: dict[str, Baseline] = {
    "copied": copy_keywords,
    "halves": split_in_halves,
    "one-sentence": one_sentence,
    "nearest": nearest,
    "grouped": group_keywords,
}


def choose_baselines(name: str) -> tuple[str, ...]:
    """The baselines that a name stands for: itself, or all of them.

    Raises:
        SettingsError: there is no such baseline.
    """
    if name == ALL:
        return tuple(BASELINES)
    if name not in BASELINES:
        raise unknown("baseline", name, (*BASELINES, ALL))
    return (name,)


def meaning(name: str) -> str:
    """One-line description of what a baseline writes."""
    return (BASELINES[name].__doc__ or "").strip().splitlines()[0]


def write_predictions_of(
    names: Sequence[str], examples: pl.DataFrame, *, split: str, seed: int, encoder: Callable[[], Encoder]
) -> dict[str, dict[str, str]]:
    """Predictions of each baseline for each example of a split, by name and example id.

    Raises:
        SettingsError: there is no such split, or it is empty.
        ModelError: the encoder cannot be loaded, or its output is invalid.
    """
    given = cases(examples, split)
    aids = Aids(lessons(examples), given, seed, encoder)
    ids = [case.example_id for case in given]
    return {name: dict(zip(ids, BASELINES[name](given, aids), strict=True)) for name in names}

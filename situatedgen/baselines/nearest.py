"""Baselines that take the nearest training example and put the keywords into its sentences."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from situatedgen.baselines.aids import Aids, Vectors
from situatedgen.baselines.cases import Case, Lesson
from situatedgen.baselines.filling import filled
from situatedgen.errors import SettingsError

Given = TypeVar("Given", Case, Lesson)
CASES_AT_ONCE = 256
DECIMALS = 5


def nearest(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The nearest training pair by the mean vector of its keywords, with those of the case in their places."""
    return [" ".join(statements) for statements in _retold(cases, aids)]


def one_sentence(cases: Sequence[Case], aids: Aids) -> list[str]:
    """The first sentence alone of what `nearest` writes."""
    return [statements[0] for statements in _retold(cases, aids)]


def _retold(cases: Sequence[Case], aids: Aids) -> Iterator[tuple[str, str]]:
    for case, lesson in zip(cases, _nearest_lessons(cases, aids), strict=True):
        yield filled(lesson, replacements(lesson.keywords, case.keywords, aids.vectors))


def replacements(old: Sequence[str], new: Sequence[str], vectors: Vectors) -> list[str | None]:
    """For each old keyword the new one in its place, so that all are as alike as can be; None where it stays."""
    cosines = np.round(vectors.of(old).astype(np.float64) @ vectors.of(new).astype(np.float64).T, DECIMALS)
    chosen: list[str | None] = [None] * len(old)
    for place, number in zip(*linear_sum_assignment(cosines, maximize=True), strict=True):
        chosen[place] = new[number]
    return chosen


def _nearest_lessons(cases: Sequence[Case], aids: Aids) -> list[Lesson]:
    """For each case the most alike training example of those with as many keywords, or nearly as many."""
    if not aids.lessons:
        raise SettingsError("the dataset has no training examples, which this baseline needs; build a larger one")
    found: dict[str, Lesson] = {}
    lessons = _by_count(aids.lessons)
    for count, alike in _by_count(cases).items():
        closest = min(lessons, key=lambda each: (abs(each - count), each))
        found |= _matched(alike, lessons[closest], aids.vectors)
    return [found[case.example_id] for case in cases]


def _matched(cases: Sequence[Case], lessons: Sequence[Lesson], vectors: Vectors) -> dict[str, Lesson]:
    means = _means(lessons, vectors).T
    found: dict[str, Lesson] = {}
    for start in range(0, len(cases), CASES_AT_ONCE):
        block = cases[start : start + CASES_AT_ONCE]
        # Rounded, so that of equals the first is taken, however the product was computed.
        best = np.argmax(np.round(_means(block, vectors) @ means, DECIMALS), axis=1)
        found |= {case.example_id: lessons[number] for case, number in zip(block, best.tolist(), strict=True)}
    return found


def _means(given: Sequence[Case] | Sequence[Lesson], vectors: Vectors) -> NDArray[np.float32]:
    """The mean vector of the keywords of each, of unit length."""
    means = np.stack([vectors.of(each.keywords).mean(axis=0) for each in given])
    return np.asarray(means / np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12))


def _by_count(given: Sequence[Given]) -> dict[int, list[Given]]:
    found: dict[int, list[Given]] = defaultdict(list)
    for each in given:
        found[len(each.keywords)].append(each)
    return found

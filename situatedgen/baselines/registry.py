"""The baselines that need no weights of their own, by name, and what they write."""

from collections.abc import Callable, Sequence

import polars as pl

from situatedgen.baselines.aids import Aids
from situatedgen.baselines.cases import Case, cases, lessons
from situatedgen.baselines.copying import copied, halves
from situatedgen.baselines.grouping import grouped
from situatedgen.baselines.nearest import nearest, one_sentence
from situatedgen.errors import unknown
from situatedgen.models.roles import Encoder

ALL = "all"
Baseline = Callable[[Sequence[Case], Aids], list[str]]
BASELINES: dict[str, Baseline] = {
    "copied": copied,
    "halves": halves,
    "one-sentence": one_sentence,
    "nearest": nearest,
    "grouped": grouped,
}


def chosen(name: str) -> tuple[str, ...]:
    """The baselines that a name means: itself, or every one.

    Raises:
        SettingsError: there is no such baseline.
    """
    if name == ALL:
        return tuple(BASELINES)
    if name not in BASELINES:
        raise unknown("baseline", name, (*BASELINES, ALL))
    return (name,)


def meaning(name: str) -> str:
    """What a baseline writes, in one line."""
    return (BASELINES[name].__doc__ or "").strip().splitlines()[0]


def written(
    names: Sequence[str], examples: pl.DataFrame, *, split: str, seed: int, encoder: Callable[[], Encoder]
) -> dict[str, dict[str, str]]:
    """What each baseline writes for each example of a split, by name and example id.

    Raises:
        SettingsError: there is no such split, or it is empty.
        ModelError: the encoder cannot be loaded, or its answer cannot be used.
    """
    given = cases(examples, split)
    aids = Aids(lessons(examples), given, seed, encoder)
    ids = [case.example_id for case in given]
    return {name: dict(zip(ids, BASELINES[name](given, aids), strict=True)) for name in names}

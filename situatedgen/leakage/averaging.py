"""The mean of several certificates, number by number."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

from situatedgen.leakage.rounding import told

Told = TypeVar("Told")


def averaged(found: Sequence[Told]) -> Told:
    """The same kind of value, in which each number is the mean of those of all; words are those of the first.

    Example:
        >>> averaged([(1, "a"), (2, "a")])
        (1.5, 'a')
    """
    mean: Told = _mean(list(found))
    return mean


def _mean(found: list[Any]) -> Any:  # Any: a certificate or any part of one
    first = found[0]
    if is_dataclass(first) and not isinstance(first, type):
        return type(first)(**{each.name: _mean([getattr(one, each.name) for one in found]) for each in fields(first)})
    if isinstance(first, tuple):
        return tuple(_mean(list(parts)) for parts in zip(*found, strict=True))
    is_number = isinstance(first, int | float) and any(one != first for one in found)
    return told(sum(found) / len(found)) if is_number else first

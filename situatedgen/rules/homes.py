"""Where statements go that share a text or a template, and which pairs the communities cut."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from situatedgen.rules.leaks import folded, template
from situatedgen.vocabulary import Verdict


@dataclass(frozen=True, slots=True)
class Placed:
    """A statement, its masked template, and the community it lies in."""

    statement_id: str
    text: str
    template: str
    community: int


def homes(statements: Sequence[Placed]) -> dict[str, int]:
    """The home community of each statement.

    Statements with the same text or template, directly or through others, share one home: the community in
    which most of them lie, or the larger (lower numbered) one of a tie. All others stay.
    """
    groups = alike(statements)
    return {statement.statement_id: home for group in groups for home in [_home(group)] for statement in group}


def cut_verdict() -> pl.Expr:
    """Why a pair is cut, or that it is kept: its two statements must have one home and one split (§4.4).

    Reads the columns `home`, `split` and `community` of both sides, each with `left_` or `right_` before its name.
    """
    return (
        pl.when(_same("home") & _same("split"))
        .then(pl.lit(Verdict.KEPT.value))
        .when(_same("home"))
        .then(pl.lit(Verdict.CROSSES_SPLITS.value))
        .when(_same("community"))
        .then(pl.lit(Verdict.TEMPLATE_MOVED.value))
        .otherwise(pl.lit(Verdict.CROSSES_COMMUNITIES.value))
    )


def _same(what: str) -> pl.Expr:
    return pl.col(f"left_{what}").eq_missing(pl.col(f"right_{what}"))


def alike(statements: Sequence[Placed]) -> list[list[Placed]]:
    """The statements in groups: two are together when a chain of shared texts and templates joins them."""
    parents: dict[tuple[str, str], tuple[str, str]] = {}
    keys = [keys_of(statement) for statement in statements]
    for text, masked in keys:
        parents[_root(parents, masked)] = _root(parents, text)
    groups: dict[tuple[str, str], list[Placed]] = {}
    for statement, (text, _) in zip(statements, keys, strict=True):
        groups.setdefault(_root(parents, text), []).append(statement)
    return list(groups.values())


def _home(group: Sequence[Placed]) -> int:
    if len(group) == 1:
        return group[0].community
    counts = Counter(statement.community for statement in group)
    return min(counts, key=lambda label: (-counts[label], label))


def keys_of(statement: Placed) -> tuple[tuple[str, str], tuple[str, str]]:
    """What a statement may share only with those in its split: its text and its template, as compared."""
    return ("text", folded(statement.text)), ("template", template(statement.template))


def _root(parents: dict[tuple[str, str], tuple[str, str]], key: tuple[str, str]) -> tuple[str, str]:
    while (parent := parents.setdefault(key, key)) != key:
        parents[key] = parents[parent]
        key = parent
    return key

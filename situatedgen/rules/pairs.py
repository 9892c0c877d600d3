"""The pair rules of the paper, in order, which decide whether two statements make a pair."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import polars as pl

from situatedgen.rules.text import name_form, word_forms
from situatedgen.vocabulary import Context, Verdict

FINAL = " .!?…\"'”’"
KINDS = {
    Context.NONE: frozenset[Context](),
    Context.GEO: frozenset({Context.GEO}),
    Context.TEMP: frozenset({Context.TEMP}),
    Context.BOTH: frozenset({Context.GEO, Context.TEMP}),
}
CONTEXTS = {kinds: context for context, kinds in KINDS.items()}


@dataclass(frozen=True, slots=True)
class PairSide:
    """The input of the rules for one statement of a pair, normalised beforehand.

    `text` is case-folded and has no final punctuation; `words` are its words and `names` its places and times in the
    forms of `word_forms` and `name_form`.
    """

    text: str
    words: str
    names: tuple[str, ...]
    context: Context


def pair_side(text: str, names: Iterable[str], context: Context) -> PairSide:
    """A statement as one side of a pair, from its text and its places and times."""
    forms = {name_form(name) for name in names} - {""}
    bare = " ".join(text.casefold().split()).rstrip(FINAL)
    return PairSide(bare, word_forms(text), tuple(sorted(forms)), context)


def is_contained(left: PairSide, right: PairSide) -> bool:
    """Whether one statement equals or contains the other (A.2)."""
    return left.text in right.text or right.text in left.text


def shares_entity(left: PairSide, right: PairSide) -> bool:
    """Whether a place or time of one statement occurs in the other, in any form (A.2)."""
    return _contains_any(left.names, right.words) or _contains_any(right.names, left.words)


def _contains_any(names: tuple[str, ...], words: str) -> bool:
    # A loop, because `any` over a generator takes three times as long and this runs for every pair.
    for name in names:  # noqa: SIM110
        if name in words:
            return True
    return False


def lacks_common_kind(left: PairSide, right: PairSide) -> bool:
    """Whether the statements neither both name a place nor both name a time (A.2).

    The candidate search skips such pairs; it also relies on `KINDS`.
    """
    return KINDS[left.context].isdisjoint(KINDS[right.context])


def is_dissimilar(similarity: pl.Expr, least: float) -> pl.Expr:
    """Whether the masked texts of the statements are less similar than required (A.2)."""
    return similarity < pl.lit(least, pl.Float32)


PairRule = Callable[[PairSide, PairSide], bool]
PAIR_RULES: tuple[tuple[Verdict, PairRule], ...] = (
    (Verdict.CONTAINED, is_contained),
    (Verdict.SHARED_ENTITY, shares_entity),
    (Verdict.NO_COMMON_KIND, lacks_common_kind),
)


def judge(left: PairSide, right: PairSide) -> Verdict:
    """The verdict of the first rule that a pair breaks, or KEPT; symmetric in its sides."""
    for verdict, is_broken in PAIR_RULES:
        if is_broken(left, right):
            return verdict
    return Verdict.KEPT


def shared_context(left: Context, right: Context) -> Context:
    """The kinds of context that two statements share.

    Example:
        >>> shared_context(Context.BOTH, Context.TEMP)
        <Context.TEMP: 'TEMP'>
    """
    return CONTEXTS[KINDS[left] & KINDS[right]]

"""Pair rules of the paper, in order: which two statements make a pair."""

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
    """What the rules look at in one statement of a pair, brought to a common form beforehand.

    `text` has neither case nor final punctuation; `words` are its words and `names` its places and times
    as `word_forms` and `name_form` write them.
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
    """One statement is, or contains, the other (A.2)."""
    return left.text in right.text or right.text in left.text


def shares_entity(left: PairSide, right: PairSide) -> bool:
    """A place or time of one statement stands in the other, in whatever form (A.2)."""
    return _stands_in(left.names, right.words) or _stands_in(right.names, left.words)


def _stands_in(names: tuple[str, ...], words: str) -> bool:
    # A loop, for `any` over a generator takes three times as long, and this is asked of every pair.
    for name in names:  # noqa: SIM110
        if name in words:
            return True
    return False


def lacks_common_kind(left: PairSide, right: PairSide) -> bool:
    """The statements neither both name a place nor both name a time (A.2).

    The search for candidates skips such pairs: it looks into `KINDS` too.
    """
    return KINDS[left.context].isdisjoint(KINDS[right.context])


def is_dissimilar(similarity: pl.Expr, least: float) -> pl.Expr:
    """The masked texts of the statements are less similar than asked for (A.2)."""
    return similarity < pl.lit(least, pl.Float32)


PairRule = Callable[[PairSide, PairSide], bool]
PAIR_RULES: tuple[tuple[Verdict, PairRule], ...] = (
    (Verdict.CONTAINED, is_contained),
    (Verdict.SHARED_ENTITY, shares_entity),
    (Verdict.NO_COMMON_KIND, lacks_common_kind),
)


def judge(left: PairSide, right: PairSide) -> Verdict:
    """The first rule that a pair breaks, or that it is kept; the same whichever side is left."""
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

"""Which contexts a statement's entities give it."""

from collections.abc import Iterable

from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, Context, Label


def context_of(labels: Iterable[Label]) -> Context:
    """The contexts that entities of these labels give a statement (§3.1): places, times, both or none.

    Example:
        >>> context_of([Label.GPE, Label.PERSON])
        <Context.GEO: 'GEO'>
    """
    found = set(labels)
    geo, temp = not GEO_LABELS.isdisjoint(found), not TEMP_LABELS.isdisjoint(found)
    if geo and temp:
        return Context.BOTH
    if geo:
        return Context.GEO
    return Context.TEMP if temp else Context.NONE

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


def situating_labels() -> frozenset[Label]:
    """The labels of which one entity is enough to give a statement a context (§3.1): those of places and times."""
    return frozenset(label for label in Label if context_of([label]) is not Context.NONE)

"""The words of a comparison: kinds, reasons, and how a person reads them."""

from enum import StrEnum

from situatedgen.vocabulary import Verdict


class Kind(StrEnum):
    """What became of an example; one that both sides have may be changed and moved at once."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    MOVED = "moved"


class Reason(StrEnum):
    """Why an example differs, where no verdict of the funnel says it."""

    # items
    NO_ITEM = "no_item"
    RENUMBERED = "renumbered"
    EDITED = "edited"
    # statements, entities, keywords, masks, embeddings
    WORDED_OTHERWISE = "worded_otherwise"
    TAGGED_OTHERWISE = "tagged_otherwise"
    OTHER_KEYWORDS = "other_keywords"
    MASKED_OTHERWISE = "masked_otherwise"
    ENCODED_OTHERWISE = "encoded_otherwise"
    # candidates
    NO_CANDIDATE = "no_candidate"
    # communities and splits
    COMMUNITY_GREW = "community_grew"
    COMMUNITY_SHRANK = "community_shrank"
    COMMUNITY_REGROUPED = "community_regrouped"
    DEALT_ELSEWHERE = "dealt_elsewhere"
    OTHER_SPLIT = "other_split"
    # examples
    SHUFFLED_OTHERWISE = "shuffled_otherwise"
    STATEMENT_OUT = "statement_out"
    PAIR_OUT = "pair_out"
    NOT_IN_FOLDER = "not_in_folder"
    ALTERED = "altered"


PHRASES: dict[str, str] = {
    Reason.RENUMBERED: "the id is another record's: lines moved",
    Reason.EDITED: "item edited",
    Reason.WORDED_OTHERWISE: "statement worded otherwise",
    Reason.TAGGED_OTHERWISE: "entities found otherwise",
    Reason.OTHER_KEYWORDS: "other keywords",
    Reason.MASKED_OTHERWISE: "masked otherwise",
    Reason.ENCODED_OTHERWISE: "similarity measured otherwise",
    Reason.COMMUNITY_GREW: "its community gained statements",
    Reason.COMMUNITY_SHRANK: "its community lost statements",
    Reason.COMMUNITY_REGROUPED: "its community was regrouped",
    Reason.DEALT_ELSEWHERE: "its community was dealt elsewhere",
    Reason.OTHER_SPLIT: "in another split",
    Reason.SHUFFLED_OTHERWISE: "keywords in another order",
    Reason.ALTERED: "data files were edited",
}
ABSENCES: dict[str, str] = {
    Reason.NO_CANDIDATE: "no candidate: below the floor, or not among the nearest",
    Reason.STATEMENT_OUT: "a statement in no example",
    Reason.PAIR_OUT: "both statements in other examples only",
    Reason.NOT_IN_FOLDER: "missing from the data files",
    Verdict.NO_CONTEXT: "no place or time",
    Verdict.SHARED_ENTITY: "a shared place or time",
    Verdict.CONTAINED: "one statement contains the other",
    Verdict.NO_COMMON_KIND: "no kind of context in common",
    Verdict.IMPROBABLE: "improbable to the judge",
    Verdict.NOT_FLUENT: "not fluent to the judge",
    Verdict.NOT_COMMON: "no general knowledge to the judge",
    Verdict.SAME_CONTENT: "the same content as another pair",
    Verdict.TOO_FREQUENT: "a sentence that has enough pairs",
    Verdict.FAMILY_FULL: "a predicate that has enough sentences",
    Verdict.JUDGED_INVALID: "judged invalid by people",
}


def phrase(kind: str, reason: str) -> str:
    """A reason as a person reads it: of an added example it tells what held before.

    Example:
        >>> phrase("added", "too_dissimilar")
        'was: too dissimilar'
    """
    if reason == Reason.NO_ITEM:
        return "new item" if kind == Kind.ADDED else "item gone"
    if reason in PHRASES:
        return PHRASES[reason]
    absence = ABSENCES.get(reason, reason.replace("_", " "))
    return f"was: {absence}" if kind == Kind.ADDED else absence

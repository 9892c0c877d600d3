"""What becomes of the rows of a corpus and of the endings that are written for them, and why."""

from enum import StrEnum


class RowFate(StrEnum):
    """What becomes of a text of the corpus."""

    KEPT = "kept"
    NO_CLAUSE = "no_clause"
    SHORT = "short"
    LONG = "long"
    RARE = "rare"
    REPEATED = "repeated"
    NO_VERB_PHRASE = "no_verb_phrase"


class EndingFate(StrEnum):
    """What becomes of an ending that a model wrote, in the order in which it is asked."""

    KEPT = "kept"
    UNFINISHED = "unfinished"
    RARE = "rare"
    REPEATED = "repeated"
    REAL = "real"
    LIKE_THE_TRUTH = "like_the_truth"
    SHORT = "short"
    LONG = "long"
    NO_VERB_PHRASE = "no_verb_phrase"
    NO_AGREEMENT = "no_agreement"
    DANGLING = "dangling"
    STUTTERING = "stuttering"
    SURPLUS = "surplus"

"""Enumerations used in the tables: verdicts, kinds, labels, contexts, splits, modes."""

from enum import StrEnum


class Verdict(StrEnum):
    """Why a row is kept or excluded: the first reason that applies. Every table of the funnel has this column."""

    KEPT = "kept"
    # items
    BLANK = "blank"
    MALFORMED = "malformed"
    LICENCE = "licence"
    # statements
    NO_RULE = "no_rule"
    NEEDS_CONTEXT = "needs_context"
    LOST_ANSWER = "lost_answer"
    NOT_CLEAN = "not_clean"
    UNSURE = "unsure"
    # entities and masks
    NO_CONTEXT = "no_context"
    TOO_FEW_MASKS = "too_few_masks"
    TOO_MANY_MASKS = "too_many_masks"
    # candidates and pairs
    CONTAINED = "contained"
    SHARED_ENTITY = "shared_entity"
    NO_COMMON_KIND = "no_common_kind"
    TOO_DISSIMILAR = "too_dissimilar"
    # shortlist, judged and selected
    IMPROBABLE = "improbable"
    NOT_FLUENT = "not_fluent"
    NOT_COMMON = "not_common"
    SAME_CONTENT = "same_content"
    TOO_FREQUENT = "too_frequent"
    FAMILY_FULL = "family_full"
    # splits
    CROSSES_COMMUNITIES = "crosses_communities"
    TEMPLATE_MOVED = "template_moved"
    CROSSES_SPLITS = "crosses_splits"
    # judgements
    JUDGED_INVALID = "judged_invalid"


class ItemKind(StrEnum):
    """Kind of a source record, before it becomes a statement."""

    CLAIM = "claim"
    YES_NO = "yes_no"
    CHOICE = "choice"


class Label(StrEnum):
    """The entity labels of OntoNotes 5."""

    CARDINAL = "CARDINAL"
    DATE = "DATE"
    EVENT = "EVENT"
    FAC = "FAC"
    GPE = "GPE"
    LANGUAGE = "LANGUAGE"
    LAW = "LAW"
    LOC = "LOC"
    MONEY = "MONEY"
    NORP = "NORP"
    ORDINAL = "ORDINAL"
    ORG = "ORG"
    PERCENT = "PERCENT"
    PERSON = "PERSON"
    PRODUCT = "PRODUCT"
    QUANTITY = "QUANTITY"
    TIME = "TIME"
    WORK_OF_ART = "WORK_OF_ART"


class KeywordKind(StrEnum):
    """Where a keyword comes from."""

    ENTITY = "entity"
    NOUN = "noun"


class Context(StrEnum):
    """The contexts that a statement contains or that a pair shares."""

    NONE = "NONE"
    GEO = "GEO"
    TEMP = "TEMP"
    BOTH = "GEO & TEMP"


class Split(StrEnum):
    """The three parts of a dataset."""

    TRAIN = "train"
    DEV = "dev"
    TEST = "test"


GEO_LABELS = frozenset({Label.GPE})
TEMP_LABELS = frozenset({Label.DATE, Label.TIME, Label.EVENT})


class Mode(StrEnum):
    """The annotator's task: filter a split, assess the quality of a sample, or adjudicate disagreements."""

    FILTER = "filter"
    QUALITY = "quality"
    ADJUDICATE = "adjudicate"

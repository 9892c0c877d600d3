"""How sure each shape is: the share of its statements that a reader accepts, on a scale where 0.5 means "sure"."""

LOWEST = 0.25
"""Below this a statement is not kept."""

SURENESS = {
    "open_stem": 0.95,
    "open_question": 0.45,
    "pointed": 0.62,
    "blank": 0.9,
    "where": 0.85,
    "where_stranded": 0.75,
    "where_odd": 0.2,
    "when": 0.7,
    "when_during": 0.4,
    "why": 0.7,
    "why_verb": 0.48,
    "why_noun": 0.45,
    "how": 0.8,
    "how_by": 0.48,
    "how_clause": 0.45,
    "how_linking": 0.48,
    "how_odd": 0.3,
    "preposition": 0.62,
    "preposition_odd": 0.45,
    "subject": 0.75,
    "subject_kind": 0.75,
    "subject_place": 0.8,
    "subject_restricted": 0.7,
    "subject_modified": 0.48,
    "subject_group": 0.6,
    "subject_aside": 0.65,
    "subject_done": 0.45,
    "subject_odd": 0.2,
    "which_of": 0.85,
    "identity": 0.8,
    "called": 0.7,
    "is_a": 0.8,
    "is_a_odd": 0.4,
    "object_do": 0.7,
    "object_preposition": 0.48,
    "object_preposition_plain": 0.62,
    "object_complement": 0.48,
    "object_object": 0.48,
    "object_object_plain": 0.62,
    "object_subject": 0.6,
    "object_place": 0.6,
    "object_time": 0.65,
    "object_end": 0.2,
    "object_clause": 0.35,
    "object_odd": 0.3,
    "amount_takes": 0.9,
    "amount_there": 0.8,
    "amount_subject": 0.75,
    "amount_object": 0.6,
    "amount_be": 0.65,
    "amount_adverb": 0.7,
    "clause_which": 0.6,
    "clause_which_odd": 0.35,
    "clause_because": 0.7,
    "clause_that": 0.7,
    "clause_quoted": 0.6,
    "clause_true": 0.6,
    "clause_happens": 0.6,
    "happens_to": 0.55,
    "inside_where_end": 0.85,
    "inside_where": 0.6,
    "inside_when": 0.55,
    "inside_why": 0.4,
    "inside_how": 0.4,
    "inside_amount": 0.7,
    "inside_odd": 0.3,
    "inside_do": 0.8,
    "inside_do_odd": 0.45,
    "inside_verb": 0.75,
    "inside_noun": 0.85,
    "inside_what": 0.8,
    "inside_kind": 0.65,
    "inside_kind_odd": 0.45,
    "late_place": 0.7,
    "late_place_odd": 0.45,
}

LEADS = {"late_lead": 0.95, "late_clause": 0.85, "late_joined": 0.85}
"""What a lead-in before the question leaves of it."""

TOGETHER = {"late_clause.identity": 0.45}
"""How sure a shape is after a lead-in that suits it ill: "…, and it is no consciousness"."""


def sureness(shape: str) -> float:
    """How sure a shape is; one after a lead-in is written `late_lead.where`.

    Example:
        >>> sureness("where")
        0.85
    """
    lead, _, inner = shape.rpartition(".")
    return TOGETHER.get(shape, SURENESS[inner] * LEADS.get(lead, 1.0))

"""Questions about what happens: "What happens to the wave when it approaches a shore?"."""

import re

from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.kinds import head_noun
from situatedgen.rules.choice.lexicon import is_plural_noun
from situatedgen.rules.choice.verbs import verb_phrase
from situatedgen.rules.clauses.lexicon import words

_SUBJECTS = {"them": "they", "him": "he", "her": "she", "me": "I", "us": "we"}
_MODALS = words("will would could might may can should must")
_HAPPENS = re.compile(
    r"^(?:(?P<modal>will|would|could|might|may|can|should|must|most likely|best|has|have|likely)\s+)*"
    r"(?:(?:is|are) (?:most )?likely to )?(?:happen(?:s|ed)?|occur(?:s|red)?|result(?:s|ed)?(?! in\b)|takes? place)\b"
    r"(?:\s+(?:to|with|in|for)\s+(?P<whom>.+?))??"
    r"(?:\s+(?P<when>(?:when|if|as|after|before|during|while|because|since|once|over|at|on|in|by|from|next)\b.*))?$",
    re.I,
)
_PRONOUN = re.compile(r"(?:it|they|he|she)\b", re.I)
_OWN = re.compile(r"(?:its|their|his|her)\b", re.I)


def happens_to(rest: str, answer: Answer) -> Draft | None:
    """A verb phrase as what someone does, where the question asks what happens to them; None for other questions.

    Example:
        "happens to cats every day" + "need food" gives "cats need food every day".
    """
    found = _HAPPENS.match(rest)
    if not found or not found["whom"]:
        return None
    whom = _SUBJECTS.get(found["whom"], found["whom"])
    text = f"{whom} {_verb(whom, found['modal'] or '', rest, answer)} {found['when'] or ''}"
    return Draft(text.strip(), "happens_to").doubted(1.0 if " " in answer.text else 0.8)


def state_happening(rest: str, answer: Answer) -> Draft | None:
    """A clause as what happens, with the time or condition of the question; None for other questions.

    Example:
        "happens when the Sun warms ocean water" + "the water evaporates" gives "the water evaporates when the Sun
        warms ocean water".
    """
    found = _HAPPENS.match(rest)
    if found is None:
        return None
    whom, clause = found["whom"], answer.text
    strange = bool(whom) and not shares_word(whom, clause)
    if whom and _PRONOUN.match(clause):
        clause, strange = f"{whom} {clause.split(' ', 1)[1]}", False
    when = found["when"] or ""
    if _PRONOUN.match(clause) and when.lower().startswith(("when ", "if ", "as ", "after ", "while ", "once ")):
        return Draft(f"{when}, {clause}", "clause_happens")
    draft = Draft(f"{clause} {when}".strip(), "clause_happens")
    return draft.doubted(0.5) if strange and not _OWN.match(clause) else draft


def shares_word(left: str, right: str) -> bool:
    """Two texts have a longer word in common, whatever its ending."""
    beginnings = {word[:5] for word in re.findall(r"[a-z]{4,}", left.lower())}
    return bool(beginnings & {word[:5] for word in re.findall(r"[a-z]{4,}", right.lower())})


def _verb(whom: str, modal: str, rest: str, answer: Answer) -> str:
    if modal in _MODALS:
        return f"{modal} {verb_phrase(answer, 'VB')}"
    if "happened" in rest:
        return verb_phrase(answer, "VBD")
    plural = whom in {"they", "you", "we", "I"} or is_plural_noun(head_noun(whom))
    return verb_phrase(answer, "VBP" if plural else "VBZ")

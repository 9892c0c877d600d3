"""Answers that are whole clauses, joined to what the question says of them."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.kinds import head_noun
from situatedgen.rules.choice.lexicon import is_plural_noun
from situatedgen.rules.choice.verbs import verb_phrase

_SUBJECTS = {"them": "they", "him": "he", "her": "she", "me": "I", "us": "we"}
_HAPPENS = re.compile(
    r"^(?:(?P<modal>will|would|could|might|may|can|should|must|most likely|best|has|have|likely)\s+)*"
    r"(?:(?:is|are) (?:most )?likely to )?(?:happen(?:s|ed)?|occur(?:s|red)?|result(?:s|ed)?|take place|takes place)\b"
    r"(?:\s+(?:to|with|in|for)\s+(?P<whom>.+?))??"
    r"(?:\s+(?P<when>(?:when|if|as|after|before|during|while|because|since|once|over|at|on|in|by|from|next)\b.*))?$",
    re.I,
)
_TRUE = re.compile(
    r"^(?:is|are|would be|must be|would also be|will be|is also|are also) (?:most likely |probably |always |generally |also |definitely |BEST |best )?"
    r"(?:true|correct|accurate|a fact|supported|factual|valid)\b(?: (?:about|of|for|regarding|concerning) (?P<whom>.+?))?"
    r"(?P<when> (?:when|if|as|during|while|after|before|because)\b.*)?$",
    re.I,
)
_EXPLAINS = re.compile(
    r"^(?:\w+ly |best |most |likely |also |would |could |might |can |will |may |be )*(?:describes?|explains?|shows?|indicates?|supports?"
    r"|illustrates?|demonstrates?|provides?|represents?|causes?|helps?|allows?|is|are|accounts?|proves?|suggests?|makes?|tells?"
    r"|compares?|summarizes?|states?|identifies|gives?|results?|contributes?|evidence)\b",
    re.I,
)
_PRONOUN = re.compile(r"^(?:it|they|he|she|its|their)\b", re.I)
_WHY = re.compile(r"^(?:\w+ly |best |most |likely |would |could )*(?:explains?|describes?) why (?P<what>.+)$", re.I)
_STATEMENT = re.compile(
    r"\b(?:statements?|facts?|hypothes[ie]s|questions?|predictions?|opinions?|inferences?|observations?)\b", re.I
)


def state_clause(rest: str, answer: Answer, topic: str = "") -> Draft:
    """The clause with what a question says of it: what happens, what is true, or what it explains.

    Example:
        "best explains why it rains" + "the air cools" gives "the air cools, which best explains why it rains".
    """
    happens = _HAPPENS.match(rest)
    if happens:
        return _happening(happens, answer)
    true = _TRUE.match(rest)
    if true:
        return _true(true, answer, topic)
    why = _WHY.match(rest)
    if why and _PRONOUN.match(answer.text):
        return Draft(f"{why['what']} because {answer.text}", "choice.clause_because", 0.7)
    said = agreeing(rest, plural=False, was_plural=True)
    sure = 0.3 if not _EXPLAINS.match(said) else 0.4 if _PRONOUN.match(answer.text) else 0.6
    return Draft(f"{answer.text}, which {said}", "choice.clause_which", sure)


def quoted(answer: Answer, verb: str, noun: str) -> Draft:
    """The clause as something that is called a statement, a question or the like."""
    mark = answer.text[:1].upper() + answer.text[1:]
    return Draft(f"“{mark}” {verb} {noun}", "choice.clause_quoted", 0.6)


def is_about_saying(text: str) -> bool:
    """The text speaks of statements, questions or other things that are said."""
    return bool(_STATEMENT.search(text))


def happens_to(rest: str, answer: Answer) -> Draft | None:
    """A verb phrase as what someone does, where the question asks what happens to them; None for other questions.

    Example:
        "happens to cats every day" + "need food" gives "cats need food every day".
    """
    found = _HAPPENS.match(rest)
    if not found or not found.group("whom"):
        return None
    whom, modal = _SUBJECTS.get(found.group("whom"), found.group("whom")), found.group("modal") or ""
    if modal in {"will", "would", "could", "might", "may", "can", "should", "must"}:
        verb = f"{modal} {verb_phrase(answer, 'VB')}"
    else:
        verb = verb_phrase(
            answer,
            "VBD"
            if "happened" in rest
            else "VBP"
            if whom in {"they", "you", "we", "I"} or is_plural_noun(head_noun(whom))
            else "VBZ",
        )
    return Draft(f"{whom} {verb} {found.group('when') or ''}".strip(), "choice.happens_to", 0.55)


def _happening(found: re.Match[str], answer: Answer) -> Draft:
    whom, when = found.group("whom"), found.group("when")
    clause = answer.text
    if whom and re.match(r"(?:it|they|he|she)\b", clause):
        clause = f"{whom} {clause.split(' ', 1)[1]}"
    elif whom and not _shares_word(whom, clause) and not _PRONOUN.match(clause):
        return Draft(f"{clause} {when or ''}", "choice.clause_happens", 0.3)
    return Draft(f"{clause} {when or ''}".strip(), "choice.clause_happens", 0.55)


def _true(found: re.Match[str], answer: Answer, topic: str) -> Draft:
    whom, when = found.group("whom") or topic, found.group("when") or ""
    if whom and re.match(r"(?:it|they)\b", answer.text):
        return Draft(f"{whom} {answer.text.split(' ', 1)[1]}{when}", "choice.clause_true", 0.55)
    if whom and not _shares_word(whom, answer.text):
        return Draft(f"it is true of {whom}{when} that {answer.text}", "choice.clause_true", 0.4)
    return Draft(f"{answer.text}{when}", "choice.clause_true", 0.6)


def _shares_word(left: str, right: str) -> bool:
    words = {word[:5] for word in re.findall(r"[a-z]{4,}", left.lower())}
    return bool(words & {word[:5] for word in re.findall(r"[a-z]{4,}", right.lower())})

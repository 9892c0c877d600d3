"""Answers that are whole clauses, joined to what the question says of them."""

import re

from situatedgen.rules.choice.agreement import agreeing
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.happening import shares_word, state_happening

_TRUE = re.compile(
    r"^(?:is|are|would be|must be|would also be|will be|is also|are also)"
    r" (?:most likely |most |probably |always |generally |also |definitely |best )?"
    r"(?:true|correct|accurate|a fact|supported|factual|valid)\b"
    r"(?: (?:about|of|for|regarding|concerning) (?P<whom>.+?))?"
    r"(?P<when> (?:when|if|as|during|while|after|before|because)\b.*)?$",
    re.I,
)
_EXPLAINS = re.compile(
    r"^(?:\w+ly |best |most |likely |also |would |could |might |can |will |may |be )*"
    r"(?:describes?|explains?|shows?|indicates?|supports?|illustrates?|demonstrates?|provides?|represents?|causes?"
    r"|helps?|allows?|is|are|accounts?|proves?|suggests?|makes?|tells?|compares?|summarizes?|states?|identifies"
    r"|gives?|results?|contributes?|evidence)\b",
    re.I,
)
_WHY = re.compile(r"^(?:\w+ly |best |most |likely |would |could )*(?:explains?|describes?) why (?P<what>.+)$", re.I)
_PRONOUN = re.compile(r"^(?:it|they|he|she|its|their)\b", re.I)
_SAID = re.compile(
    r"\b(?:statements?|facts?|hypothes[ie]s|questions?|predictions?|opinions?|inferences?|observations?)\b", re.I
)


def state_clause(rest: str, answer: Answer, topic: str = "") -> Draft:
    """The clause with what a question says of it: what happens, what is true, or what it explains.

    Example:
        "best explains why it rains" + "the air cools" gives "the air cools, which best explains why it rains".
    """
    if happening := state_happening(rest, answer):
        return happening
    if true := _TRUE.match(rest):
        return _true(true["whom"] or topic, true["when"] or "", answer)
    if (why := _WHY.match(rest)) and _PRONOUN.match(answer.text):
        return Draft(f"{why['what']} because {answer.text}", "clause_because")
    said = agreeing(rest, plural=False, was_plural=True)
    clear = _EXPLAINS.match(said) and not _PRONOUN.match(answer.text)
    return Draft(f"{answer.text}, which {said}", "clause_which" if clear else "clause_which_odd")


def quoted(answer: Answer, verb: str, noun: str) -> Draft:
    """The clause as something that is called a statement, a question or the like."""
    text = answer.text[:1].upper() + answer.text[1:]
    return Draft(f"“{text}” {verb} {noun}", "clause_quoted")


def is_about_saying(text: str) -> bool:
    """The text speaks of statements, questions or other things that are said."""
    return bool(_SAID.search(text))


def _true(whom: str, when: str, answer: Answer) -> Draft:
    if whom and re.match(r"(?:it|they)\b", answer.text):
        return Draft(f"{whom} {answer.text.split(' ', 1)[1]}{when}", "clause_true").doubted(0.9)
    if whom and not shares_word(whom, answer.text):
        return Draft(f"it is true of {whom}{when} that {answer.text}", "clause_true").doubted(0.7)
    return Draft(f"{answer.text}{when}", "clause_true")

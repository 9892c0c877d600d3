"""What makes a finished statement doubtful that its shape does not tell: an answer misread, a question left over."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.lexicon import is_known, noun_list, parts_of_speech
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import may_be_participle

if TYPE_CHECKING:
    from situatedgen.rules.choice.answers import Answer

DOUBTFUL = 0.55
"""What is left of a shape's sureness when the statement is doubtful."""

_RATHER_NOUNS = words(
    "human liquid solid gas patient commercial representative compound safe adult closet stable ballpark plain fair"
    " vegetable multiple sound mortuary gradient polytechnic conservatory advisory"
)
_ASKS_ON = re.compile(r"\bwhat(?: (?:for|to|them|it)\b|[.,;]|$)|\bwhile what\b", re.I)
_INVERTED = re.compile(
    r"\b(?:is|are|was|were) (?:it|they|you|he|she|we)(?:[.,]| called\b| held\b| located\b)"
    r"|\bit (?:is|was) (?:you|they|he|she|we|I|people)\b",
    re.I,
)
_OPEN_WHAT = re.compile(r"\b(?:doing|do|of|to|by|in|at|with|an?|the) what\b", re.I)
_COUNTED = re.compile(r"\b(?:many|several|few|these|those|two|three|various) ", re.I)
_PLACES = ("where", "where_end", "pointed", "where_stranded")
_WHOLE = ("open_stem", "open_question", "blank", "clause", "why", "how", "pointed")


def is_doubtful(shape: str, answer: Answer, written: str, text: str) -> bool:
    """The statement, finished as a text, shows a sign of a misread answer; `written` is the answer as it was given."""
    whole = shape.rpartition(".")[2].startswith(_WHOLE)
    return (
        (not shape.endswith("inside_noun") and _is_strange_noun(answer, text))
        or _is_strange_place(shape, answer)
        or _is_counted_wrong(answer, text)
        or (answer.plural and bool(re.search(rf"\ban? {re.escape(answer.text)}(?:[.,;]|$)", text, re.I)))
        or bool(_INVERTED.search(text))
        or (not whole and (";" in written or _hides_clause(answer, written)))
        or bool("inside_" in shape and _ASKS_ON.search(text))
        or bool(shape.startswith("open_") and _OPEN_WHAT.search(text))
    )


def _is_strange_noun(answer: Answer, text: str) -> bool:
    """An article before a word that is rather an adjective: "a great"."""
    if answer.form is not Form.NOUN or not answer.noun.startswith(("a ", "an ")) or answer.noun not in text.lower():
        return False
    return answer.adjectival and " " not in answer.text and answer.head not in _RATHER_NOUNS


def _is_strange_place(shape: str, answer: Answer) -> bool:
    """An article before a word in the place of a place that no list knows, perhaps a name: "in a tokio"."""
    if not shape.endswith(_PLACES) or not answer.noun.startswith(("a ", "an ")) or not answer.head.isalpha():
        return False
    lists = ("at", "on", "definite", "containers")
    return not is_known(answer.head) and not any(answer.head in noun_list(name) for name in lists)


def _is_counted_wrong(answer: Answer, text: str) -> bool:
    """One thing after a word for several: "many pleasure"."""
    if answer.form is not Form.NOUN or answer.plural or not _COUNTED.search(text):
        return False
    return bool(re.search(f"{_COUNTED.pattern}{re.escape(answer.text)}(?:[.,;]|$)", text, re.I))


def _hides_clause(answer: Answer, written: str) -> bool:
    """An answer written as a sentence and read as a noun phrase, though a noun in it has a verb after it."""
    found = answer.text.split()
    if answer.form is not Form.NOUN or not written.strip().endswith(".") or len(found) < 4:
        return False
    return any(_is_verb_after(before, word) for before, word in pairwise(found))


def _is_verb_after(before: str, word: str) -> bool:
    noun = "NOUN" in parts_of_speech(before.lower())
    verbal = "VERB" in parts_of_speech(word) and not word.endswith("ing") and not may_be_participle(word)
    return noun and verbal

"""How far the noun phrase reaches that a question word inside a sentence opens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DETERMINERS, is_plural_noun, parts_of_speech
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_TIME = re.compile(r" (?:at night|in the \w+|on \w+day|this \w+|last \w+|every \w+)$")
_LIST_WORDS = words("one of the following these")
_KIND_WORDS = words("kind type sort form set part")
_NOMINAL = frozenset({"NOUN", "ADJ", "PROPN", "NUM"})
_LONGEST = 12


def kind_end(token: Token) -> int:
    """The token after the noun phrase that a question word opens, at least the next one."""
    doc = token.doc
    place = token.i + 1
    if phrase_reaches_end(token):
        last = len(doc) - 1 if doc[-1].is_punct else len(doc)
        time = _TIME.search(doc[place:last].text)
        return last - len(time[0].split()) if time else last
    while place < len(doc) and _continues(doc[place], token):
        place += 1
    return place


def phrase_reaches_end(token: Token) -> bool:
    """Only a noun phrase without a verb follows the question word."""
    rest = [word for word in token.doc[token.i + 1 :] if not word.is_punct]
    if token.i == 0 or not 0 < len(rest) <= _LONGEST:
        return False
    opens = token.nbor().pos_ in _NOMINAL or rest[0].lower_ == "of"
    return opens and all(word.pos_ in _NOMINAL | {"ADP", "CCONJ"} or _is_determiner(word) for word in rest)


def _is_determiner(word: Token) -> bool:
    """A determiner that goes on with the phrase, and opens no new one: "in the world", not "pain the next morning"."""
    return bool(word.pos_ == "DET" and word.nbor(-1).pos_ in {"ADP", "CCONJ"})


def _continues(word: Token, asked: Token) -> bool:
    if word.lower_ in _LIST_WORDS and word.i <= asked.i + 4 and _is_list(asked):
        return True
    if word.lower_ == "of" and word.nbor(-1).lower_ in _KIND_WORDS:
        return True
    if word.tag_ == "VBG" and word.i + 1 < len(word.doc) and word.nbor().pos_ == "NOUN":
        return True
    last = word.i + 1 == len(word.doc) or word.nbor().is_punct
    if last and word.i == asked.i + 1 and "NOUN" in parts_of_speech(word.lower_):
        return True
    if asked.lower_ == "which" and word.i == asked.i + 1 and is_plural_noun(word.text):
        return True
    nominal = set(parts_of_speech(word.lower_)) in ({"ADJ"}, {"NOUN"}, {"ADJ", "NOUN"})
    if (
        nominal
        and word.i <= asked.i + 2
        and word.lower_ not in DETERMINERS
        and word.pos_ not in {"DET", "PRON", "SCONJ"}
    ):
        return True
    return word.pos_ in _NOMINAL or word.tag_ in {"HYPH", "POS"} or word.dep_ == "amod"


def _is_list(asked: Token) -> bool:
    return asked.doc[asked.i + 1 : asked.i + 3].text.lower().startswith(("of ", "one of"))

"""What can be seen of a finished sentence: words lost, words made up, a question left over."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.lexicon import DEGREE_WORDS, DETERMINERS, PREPOSITIONS, is_known, parts_of_speech
from situatedgen.rules.choice.sentences import root_of
from situatedgen.rules.choice.sureness import LOWEST
from situatedgen.rules.clauses.auxiliaries import AUXILIARIES
from situatedgen.rules.clauses.lexicon import words
from situatedgen.vocabulary import Verdict

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_NO_NOUN = frozenset({"PRP", "DT", "VBD", "VBZ", "MD", "IN", "TO", "WRB", "WP", "CC", "PRP$"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj", "csubjpass"})
_WORD = re.compile(r"[A-Za-z0-9°%]+(?:['’][a-z]+)?")
_OWNED = re.compile(r"['’]s?$")
_SMALL = DETERMINERS | PREPOSITIONS | frozenset(AUXILIARIES) | words(
    "be been being and or but not i you he she it we they them him me us itself there than then if that s t re ve"
    " because another by"
)  # fmt: skip
_ASKING = words("what which where when why how who whom whose")
_FREE = _ASKING | DEGREE_WORDS | words(
    "following type kind sort statement term word thing happen do these answer describe example state country city"
    " place one else many much long far often option choice name best"
)  # fmt: skip
_DANGLING = re.compile(
    r"^of these\b|\b(?:listed|shown|below|the choices|the diagram|the picture|the graph|the table above)\b", re.I
)
_ASKED = re.compile(
    r"\b(?:where|what|why|how) (?:would|do|does|did|is|are|was|were|can|could|should|might|will)"
    r" (?:I|you|he|she|it|we|they)\b",
    re.I,
)
_TORN = re.compile(r"(?:likely to be|called)\.$|\bn['’]t\b| ['’](?:s|re|m|ll)\b|\. ?,|\b(\w{2,}) \1\b", re.I)
_OPEN_ANSWER = re.compile(r" (?:for|of|at|with|to|from|than|into|about|and|or|the|an?)$", re.I)
_FORMULA = re.compile(r"_\{|\\[a-z]|->| \+ |\bnd\b|\bt he\b")
_KEEPS_WORDS = frozenset({"open_stem", "open_question", "pointed", "blank", "when", "when_during"})
_LEFT_OVER = re.compile(r"\b(?:of the following|which of|a what|the what)\b", re.I)


def lost_words(answer: str, text: str) -> list[str]:
    """The content words of an answer that a text has in no form."""
    held = {lemma for word in _words(text) for lemma in _lemmas(word)}
    wanted = [word for word in _words(answer) if word not in _SMALL] or list(_words(answer))
    return [word for word in wanted if not _lemmas(word) & held]


def judged(draft: Draft, text: str, question: str, answer: str) -> tuple[Verdict, float]:
    """The verdict on a finished sentence, and how sure it is after the checks."""
    if lost_words(answer, text):
        return Verdict.LOST_ANSWER, 0.0
    if (
        "?" in text
        or _LEFT_OVER.search(text)
        or (_asks(draft) and _ASKED.search(text))
        or (_asks(draft) and _has_question_word(text, question, answer))
    ):
        return Verdict.NOT_CLEAN, 0.0
    steps = 0.5 if "->" in answer and draft.shape not in {"open_stem", "subject_group"} else 1.0
    confidence = draft.confidence * _doubt(text, question, answer) * steps
    return (Verdict.KEPT if confidence >= LOWEST else Verdict.UNSURE), round(confidence, 3)


def is_sound(sentence: Doc) -> bool:
    """The parse of a finished sentence has a verb with its subject at its root, and no article without its noun."""
    return has_subject(sentence) and not any(map(_is_stray_article, sentence))


def _is_stray_article(token: Token) -> bool:
    if token.lower_ not in {"a", "an"} or token.tag_ != "DT" or token.i + 1 >= len(token.doc):
        return False
    return token.nbor().tag_ in _NO_NOUN


def has_subject(sentence: Doc) -> bool:
    """The parse of a finished sentence has a verb with a subject at its root, as a sound one mostly has."""
    root = root_of(sentence)
    return root.pos_ in {"VERB", "AUX"} and any(child.dep_ in _SUBJECTS for child in root.lefts)


def _asks(draft: Draft) -> bool:
    """The shape has a question word of its own that must go, unlike blanks, open ends and times."""
    return draft.shape.rpartition(".")[2] not in _KEEPS_WORDS


def _doubt(text: str, question: str, answer: str) -> float:
    factor = 1.0
    given = set(_words(question)) | set(_words(answer))
    made = [word for word in _words(text) if word not in given and word not in _SMALL]
    if any(not is_known(word) for word in made):
        factor *= 0.4
    if _DANGLING.search(text) or _TORN.search(text):
        factor *= 0.4
    if _FORMULA.search(text):
        factor *= 0.5
    if _OPEN_ANSWER.search(answer) or (answer.count(",") > 1 and " and " not in text):
        factor *= 0.6
    missing = _missing(question, text)
    factor *= (1.0, 0.85, 0.6)[min(len(missing), 2)]
    return factor


def _missing(question: str, text: str) -> list[str]:
    held = {lemma for word in _words(text) for lemma in _lemmas(word)}
    asked = [word for word in _words(question) if word not in _SMALL and word not in _FREE]
    return [word for word in asked if not _lemmas(word) & held]


def _has_question_word(text: str, question: str, answer: str) -> bool:
    """A question word is left that was the asking one: as many as the question and answer had together."""
    found = [word for word in _words(text) if word in _ASKING]
    given = [word for word in [*_words(question), *_words(answer)] if word in _ASKING]
    return len(found) >= len(given) > 0 and "which" not in found


@lru_cache(maxsize=16)  # each check of a sentence asks for the same three texts
def _words(text: str) -> tuple[str, ...]:
    return tuple(_OWNED.sub("", word) for word in _WORD.findall(text.lower()))


@cache
def _lemmas(word: str) -> frozenset[str]:
    return frozenset({word, *(lemma for lemmas in parts_of_speech(word).values() for lemma in lemmas)})

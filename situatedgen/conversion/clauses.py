"""Analyses the clauses of a parsed sentence: their root, completeness, and the extent of phrases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.conversion.inversion import strip_final_mark
from situatedgen.conversion.lexicon import DETERMINERS, SUBORDINATORS, is_plural_noun, parts_of_speech, words
from situatedgen.conversion.morphology import auxiliary, may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_SUBJECTS = frozenset({"nsubj", "nsubjpass", "expl", "csubj"})


def is_clause(alone: Doc, *, ended: bool) -> bool:
    """Whether the answer has a subject and a finite verb; `ended` if it was written with a period."""
    hidden = any(test(alone) for test in (_ends_in_verb, _has_clause_under_noun, _has_plain_verb, _opens_with_plural))
    if _hides_verb(alone) or (ended and hidden):
        return True
    root = root_of(alone)
    subject = next((child for child in root.lefts if child.dep_ in _SUBJECTS), None)
    if subject is None or not _is_finite(root) or alone[0].lower_ in SUBORDINATORS:
        return False
    if auxiliary(alone[0].text) is not None or root.pos_ not in {"VERB", "AUX"}:
        return False
    return ended or not _is_rather_noun(alone, root)


def is_clause_framed(known: Doc) -> bool:
    """Whether the parse of "I know that …" shows that the answer is a clause."""
    clause = next((child for child in known[1].rights if child.dep_ == "ccomp"), None)
    if known[1].dep_ != "ROOT" or clause is None:
        return False
    subject = any(child.dep_ in _SUBJECTS and child.i > 2 for child in clause.lefts)
    finite = clause.tag_ in _FINITE or any(child.tag_ in _FINITE for child in clause.lefts)
    return subject and finite and "VERB" in parts_of_speech(clause.lower_)


def clause_parts(alone: Doc) -> tuple[str, str, str] | None:
    """Subject, verb and rest of a clause whose verb has no auxiliary; None for others."""
    root = root_of(alone)
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or root.pos_ != "VERB" or subject.right_edge.i + 1 != root.i:
        return None
    return alone[: root.i].text, root.text, strip_final_mark(alone[root.i + 1 :].text)


def root_of(doc: Doc | Span) -> Token:
    """The root of the first sentence of a parse."""
    return next(token for token in doc if token.dep_ == "ROOT")


def _is_finite(root: Token) -> bool:
    helpers = (child for child in root.lefts if child.dep_ in {"aux", "auxpass"})
    return root.tag_ in _FINITE or any(child.tag_ in _FINITE for child in helpers)


def _is_rather_noun(alone: Doc, root: Token) -> bool:
    """Whether a noun phrase was parsed as a clause: "the candle left in the open", "mountain ranges"."""
    objects = any(child.dep_ in {"dobj", "aux"} for child in root.children)
    reduced = root.tag_ == "VBD" and may_be_participle(root.lower_) and not objects
    first = alone[0].lower_
    imperative = len(alone) <= 3 and may_be_base(first) and "VERB" in parts_of_speech(first)
    steps = ", then " in alone.text or (len(alone) <= 4 and is_plural_noun(root.text))
    return reduced or imperative or steps


def _ends_in_verb(alone: Doc) -> bool:
    """Whether the last word, parsed as a noun, may be the verb: "The height increases."."""
    last = alone[-2] if alone[-1].is_punct and len(alone) > 2 else alone[-1]
    verbal = "VERB" in parts_of_speech(last.lower_) and last.lower_.endswith("s")
    return alone[0].lower_ in {"the", "a", "an", "its", "their"} and last.tag_ == "NNS" and verbal


def _has_clause_under_noun(alone: Doc) -> bool:
    """Whether a verb was parsed as a plural noun with a clause of its own: "Warm air cools as it rises."."""
    root = root_of(alone)
    verbal = root.tag_ == "NNS" and "VERB" in parts_of_speech(root.lower_) and root.i > 0
    return verbal and any(child.dep_ == "advcl" for child in root.rights)


def _has_plain_verb(alone: Doc) -> bool:
    """Whether a noun is followed by a word that can only be a verb: "The sugar dissolves and …"."""
    return any(
        set(parts_of_speech(token.lower_)) == {"VERB"} and token.lower_.endswith("s") and token.nbor(-1).pos_ == "NOUN"
        for token in alone[1:]
    )


def _opens_with_plural(alone: Doc) -> bool:
    """Whether a plural modifier is rather the subject of a verb: "Chameleons change color …"."""
    if len(alone) < 3:
        return False
    first, following = alone[0], alone[1]
    verbal = "VERB" in parts_of_speech(following.lower_) and may_be_base(following.lower_)
    return first.tag_ in {"NNS", "NNPS"} and first.dep_ == "compound" and verbal


def _hides_verb(alone: Doc) -> bool:
    """Whether a plural head after "a" is the verb of a clause parsed as a noun: "A hurricane moves …"."""
    root = root_of(alone)
    verbal = root.tag_ == "NNS" and "VERB" in parts_of_speech(root.lower_) and root.i > 1
    return alone[0].lower_ in {"a", "an"} and alone[0].head.i == root.i and verbal and root.i + 1 < len(alone) - 1


_TIME = re.compile(r" (?:at night|in the \w+|on \w+day|this \w+|last \w+|every \w+)$")
_LIST_WORDS = words("one of the following these")
_KIND_WORDS = words("kind type sort form set part")
_NOMINAL = frozenset({"NOUN", "ADJ", "PROPN", "NUM"})
_LONGEST = 12


def kind_end(token: Token) -> int:
    """The index after the noun phrase that a question word opens, at least the next one."""
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
    """Whether only a noun phrase without a verb follows the question word."""
    rest = [word for word in token.doc[token.i + 1 :] if not word.is_punct]
    if token.i == 0 or not 0 < len(rest) <= _LONGEST:
        return False
    opens = token.nbor().pos_ in _NOMINAL or rest[0].lower_ == "of"
    return opens and all(word.pos_ in _NOMINAL | {"ADP", "CCONJ"} or _is_determiner(word) for word in rest)


def _is_determiner(word: Token) -> bool:
    """Whether a determiner continues the phrase ("in the world") rather than opening a new one.

    An example of a new one: "pain the next morning".
    """
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

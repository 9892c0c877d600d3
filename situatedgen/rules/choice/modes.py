"""What a question phrase is in its clause: the subject, or something that the inverted clause lacks."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DEGREE_WORDS, NEGATIONS, QUESTION_WORDS, parts_of_speech
from situatedgen.rules.clauses.auxiliaries import Kind, auxiliary
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import may_be_base, may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.work import Parsing

_SUPERLATIVE = re.compile(
    r"(?:(?:most|least) \w+|best|\w+est)(?: (?:for|to|in|at|from|away|when|if|because|as)\b|\?|$)"
)
_PASSIVE_END = re.compile(r"\bbe \w+(?:ed|wn|en)\??$")
_KIND_OF = re.compile(
    r"(?:an?|the|one) (?:[\w-]+ )?(?:type|kind|form|part|example|sort|source|symbol|sign) of\??$", re.I
)
_CALLED = re.compile(r"\w+s? (?:[\w-]+ )*(?:called|named|kept)\b")
_WAITING = re.compile(
    r"^(?:(?!\b(?:that|who|which|where|you|we|they|to)\b).)+ (?:called|named|(?:of|for|as)(?: \w+ing)?)\??$", re.I
)
_PREDICATE = re.compile(r"\b(?:likely|unlikely|able|known|expected) to\b")
_AUXILIARY_NOUNS = words("can will might may must")
_CONTRACTED = words("'s ’s 're ’re")
_OPENS_NOUN = frozenset({"DET", "PRON", "PROPN", "NOUN", "NUM"})


class Mode(StrEnum):
    """What the question phrase is in its clause; a noun after "be" may be its subject or what it is."""

    SUBJECT = "subject"
    BE_NOUN = "be_noun"
    INVERTED = "inverted"


def is_auxiliary(token: Token) -> bool:
    """The token is an auxiliary, and not the noun written like one."""
    if token.lower_ in _CONTRACTED:
        return token.pos_ in {"AUX", "VERB"} or token.nbor(-1).lower_ in QUESTION_WORDS
    if auxiliary(token.text) is None:
        return False
    return not (token.lower_ in _AUXILIARY_NOUNS and token.pos_ in {"NOUN", "PROPN"})


def nominal_mode(doc: Doc, verb: int, rest: str) -> Parsing[Mode]:
    """The mode of what, which or who, before the clause whose verb is at a token."""
    follower = _after_adverbs(doc, verb + 1)
    if not is_auxiliary(doc[verb]) or follower is None:
        return Mode.SUBJECT
    moved = auxiliary("is" if doc[verb].lower_ in _CONTRACTED else doc[verb].text)
    if moved is None or moved.kind is Kind.BE:
        return _be_mode(follower)
    if moved.kind is Kind.DO:
        denied = doc[verb + 1].lower_ in NEGATIONS and follower.i > verb + 1
        return Mode.SUBJECT if denied and _is_base(follower) else Mode.INVERTED
    if moved.kind is Kind.MODAL:
        return Mode.SUBJECT if _is_base(follower) and not _does_something(follower) else Mode.INVERTED
    if follower.lower_ in {"been", "had"} or follower.tag_ == "VBN":
        return Mode.SUBJECT
    (bare,) = yield [f"This {rest}."]
    return Mode.SUBJECT if bare[1].dep_ == "ROOT" else Mode.INVERTED


def adverb_mode(doc: Doc, verb: int) -> Mode:
    """The mode of where and the like: a "where" may itself be the subject ("Where is known for …")."""
    follower = _after_adverbs(doc, verb + 1)
    moved = auxiliary(doc[verb].text)
    if follower is None or moved is None:
        return Mode.INVERTED
    if moved.kind is Kind.BE:
        found = parts_of_speech(follower.lower_)
        known = "ADJ" in found or ("VERB" in found and may_be_participle(follower.lower_))
        predicate = known and follower.tag_ in {"VBN", "JJ"} and follower.dep_ not in {"amod", "compound"}
        return Mode.SUBJECT if predicate or follower.lower_ == "to" else Mode.INVERTED
    if moved.kind is Kind.HAVE:
        done = any(token.tag_ == "VBN" for token in doc[follower.i :])
        return Mode.SUBJECT if follower.pos_ in {"DET", "ADJ"} and not done else Mode.INVERTED
    perfect = follower.lower_ == "have" and any(token.tag_ == "VBN" for token in doc[follower.i :])
    leads = follower.lower_ in {"be", "have"} and not perfect
    return Mode.SUBJECT if moved.kind is Kind.MODAL and leads else Mode.INVERTED


def _after_adverbs(doc: Doc, place: int) -> Token | None:
    while place < len(doc) and _is_adverb(doc[place]):
        place += 1
    return doc[place] if place < len(doc) and not doc[place].is_punct else None


def _is_adverb(token: Token) -> bool:
    if token.lower_ in DEGREE_WORDS | NEGATIONS:
        return not token.is_title
    adverb = token.tag_ in {"RB", "RBS"} and "ADV" in parts_of_speech(token.lower_)
    return adverb and token.lower_ not in {"there", "here"} and not token.is_title


def _is_base(token: Token) -> bool:
    """The verb of a clause whose subject is asked for follows its modal at once."""
    word = token.lower_
    if word in {"be", "have", "not"}:
        return True
    if not may_be_base(word) or token.pos_ in {"DET", "PRON", "PROPN"} or token.tag_ in {"NNS", "PRP$", "JJ"}:
        return False
    determined = token.tag_ == "VB" and token.i + 1 < len(token.doc) and token.nbor().pos_ in {"DET", "PRON"}
    if _PASSIVE_END.search(token.doc[token.i + 1 :].text) and not determined:
        return False
    return token.tag_ in {"VB", "VBP"} or "NOUN" not in parts_of_speech(word)


def _does_something(follower: Token) -> bool:
    """A "do" follows, so that the word after the modal is its subject: "would rain do if …"."""
    return follower.lower_ != "help" and follower.i + 1 < len(follower.doc) and follower.nbor().lower_ == "do"


def _be_mode(follower: Token) -> Mode:
    """After a form of be: a predicate of the question word, or a noun phrase."""
    after = follower.doc[follower.i + 1 :].text
    if follower.lower_ == "both" or (follower.lower_ == "the" and _SUPERLATIVE.match(after)):
        return Mode.SUBJECT
    return Mode.BE_NOUN if _opens_noun(follower, after) or _waits(follower, after) else Mode.SUBJECT


def _waits(follower: Token, after: str) -> bool:
    """The clause ends in a word that waits for the answer, so that a noun opens it: "What is writing a form of?"."""
    nominal = follower.tag_ in {"VBG", "NN", "NNS", "JJ", "IN"} or (follower.tag_ == "VBN" and _CALLED.search(after))
    return bool((nominal and _WAITING.search(after)) or _KIND_OF.match(after))


def _opens_noun(follower: Token, after: str) -> bool:
    last = follower.i + 1 == len(follower.doc) or follower.nbor().is_punct
    if last and "NOUN" in parts_of_speech(follower.lower_) and follower.tag_ != "JJ":
        return True
    if follower.lower_ == "there" or follower.pos_ in _OPENS_NOUN or follower.tag_ == "PRP$":
        return True
    if follower.tag_ == "VBG" and _PREDICATE.search(after):
        return True
    described = follower.tag_ in {"JJ", "JJR", "JJS", "VBN", "VBG"}
    return described and follower.dep_ in {"amod", "compound", "nsubj", "csubj"}

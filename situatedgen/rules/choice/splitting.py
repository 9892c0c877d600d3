"""A fronted question cut into its question phrase and the clause after it, and who is asked about: subject or not."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DEGREE_WORDS, NEGATIONS, parts_of_speech
from situatedgen.rules.clauses.auxiliaries import Kind, auxiliary
from situatedgen.rules.clauses.morphology import may_be_base, may_be_participle
from situatedgen.rules.clauses.tidying import unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.work import Parsing

_NOMINAL = frozenset({"what", "which", "who", "whom", "whose"})
_RELATIVES = frozenset({"that", "which", "who", "whom", "whose", "where", "when"})
_SUPERLATIVE = re.compile(r"(?:(?:most|least) \w+|best|\w+est)(?: (?:for|to|in|at|when|if|because|as)\b|\?|$)")
_LISTED = re.compile(r"^(?:one )?of (?:the following|these)\b", re.I)
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_AUXILIARY_NOUNS = frozenset({"can", "will", "might", "may", "must"})


class Mode(StrEnum):
    """What the question phrase is in its clause."""

    SUBJECT = "subject"
    BE_NOUN = "be_noun"
    INVERTED = "inverted"


@dataclass(frozen=True, slots=True)
class FrontedQuestion:
    """A question: the word before its question word, that word, what belongs to it, and the clause after."""

    before: str
    word: str
    kind: str
    rest: str
    mode: Mode


def _adverb_mode(doc: Doc, verb: int) -> Mode:
    """A "where" that is itself the subject: "Where is known for …", "Where would be …"."""
    follower = _after_adverbs(doc, verb + 1)
    moved = auxiliary(doc[verb].text)
    if follower is None or moved is None:
        return Mode.INVERTED
    if moved.kind is Kind.BE:
        known = "ADJ" in parts_of_speech(follower.lower_) or may_be_participle(follower.lower_)
        predicate = known and follower.tag_ in {"VBN", "JJ"} and follower.dep_ not in {"amod", "compound"}
        return Mode.SUBJECT if predicate or follower.lower_ == "likely" else Mode.INVERTED
    return Mode.SUBJECT if moved.kind is Kind.MODAL and follower.lower_ in {"be", "have"} else Mode.INVERTED


def split_question(doc: Doc, asked: int) -> Parsing[FrontedQuestion | None]:
    """The parts of a parsed question whose question word is at a token, or None where no verb is found."""
    verb = yield from _verb_place(doc, asked)
    if verb is None:
        return None
    while verb > asked + 2 and doc[verb - 1].lower_ in DEGREE_WORDS and doc[verb - 1].lower_ not in {"first", "more"}:
        verb -= 1
    verb = _after_aside(doc, verb)
    rest = unmarked(doc[verb:].text)
    if doc[asked].lower_ in {"where", "when", "why"}:
        mode = _adverb_mode(doc, verb)
    else:
        mode = yield from _mode(doc, verb, rest)
    before = doc[:asked].text
    return FrontedQuestion(before, doc[asked].lower_, doc[asked + 1 : verb].text, rest, mode)


def _after_aside(doc: Doc, verb: int) -> int:
    """The token after an aside between commas: "Which gas, when condensed, forms clouds"."""
    if doc[verb - 1].text != ",":
        return verb
    return next((token.i + 1 for token in doc[verb:-2] if token.text == ","), verb)


def _verb_place(doc: Doc, asked: int) -> Parsing[int | None]:
    if doc[asked].lower_ not in _NOMINAL:
        return _first_auxiliary(doc, asked + 1)
    if asked + 1 >= len(doc):
        return None
    if is_auxiliary(doc[asked + 1]) or _opens_with_degree(doc, asked + 1):
        return asked + 1
    listed = _after_list(doc, asked + 1)
    if listed is not None:
        return listed
    rest = unmarked(doc[asked + 1 :].text)
    opening = "One" if rest.startswith("of ") else "The"
    bare, nominal = yield [f"This {rest}.", f"{opening} {rest}."]
    return _nominal_place(doc, asked, bare, nominal)


def _nominal_place(doc: Doc, asked: int, bare: Doc, nominal: Doc) -> int | None:
    found = _subject_end(nominal)
    auxiliary_at = _first_auxiliary(doc, asked + 1)
    if _is_verb_alone(bare) and (found is None or "NOUN" not in parts_of_speech(doc[asked + 1].lower_)):
        return asked + 1
    if found is not None and (auxiliary_at is None or found + asked <= auxiliary_at):
        return found + asked
    if auxiliary_at is not None:
        return auxiliary_at
    return asked + 1 if _is_verb_alone(bare) else _first_finite(doc, asked + 2)


def _after_list(doc: Doc, place: int) -> int | None:
    """Where the verb begins right after "of the following" or "of these"."""
    found = _LISTED.match(doc[place:].text)
    if found is None:
        return None
    place += len(found[0].split())
    if place < len(doc) and (is_auxiliary(doc[place]) or _opens_with_degree(doc, place) or doc[place].tag_ in _FINITE):
        return place
    return None


def _first_finite(doc: Doc, place: int) -> int | None:
    """The first word after a noun that may be a finite verb, whatever the parse says of it."""
    for token in doc[place:]:
        verbal = token.tag_ in _FINITE or token.lower_.endswith(("s", "ed"))
        after_noun = token.nbor(-1).pos_ in {"NOUN", "PROPN"} or token.nbor(-1).lower_ in DEGREE_WORDS | {
            "these",
            "following",
        }
        if verbal and after_noun and "VERB" in parts_of_speech(token.lower_):
            return int(token.i)
    return None


def _subject_end(nominal: Doc) -> int | None:
    """The token after the subject of "The …", when that begins the sentence and a finite verb follows."""
    root = next(token for token in nominal if token.dep_ == "ROOT")
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or subject.left_edge.i != 0:
        return None
    chain = [token for token in root.lefts if token.dep_ in {"aux", "auxpass"}] + [root]
    if chain[0].tag_ not in _FINITE or chain[0].i <= subject.i:
        return None
    return int(subject.right_edge.i) + 1


def _is_verb_alone(bare: Doc) -> bool:
    verb = bare[1]
    return verb.dep_ == "ROOT" and verb.tag_ in _FINITE and "VERB" in parts_of_speech(verb.lower_)


def _opens_with_degree(doc: Doc, place: int) -> bool:
    start = place
    while place < len(doc) and doc[place].lower_ in DEGREE_WORDS:
        place += 1
    if place == start or place == len(doc):
        return False
    return is_auxiliary(doc[place]) or doc[place].tag_ in _FINITE or _is_third_person(doc[place])


def _is_third_person(token: Token) -> bool:
    return token.lower_.endswith("s") and "VERB" in parts_of_speech(token.lower_) and token.pos_ != "ADJ"


def _first_auxiliary(doc: Doc, place: int) -> int | None:
    """The first auxiliary from a token on that stands in no relative clause."""
    inside = False
    for token in doc[place:]:
        if is_auxiliary(token):
            if not inside:
                return int(token.i)
            inside = False
        elif token.lower_ in _RELATIVES:
            inside = True
    return None


def is_auxiliary(token: Token) -> bool:
    """The token is an auxiliary, and not the noun written like one."""
    if token.lower_ in {"'s", "’s", "'re", "’re"}:
        return token.pos_ in {"AUX", "VERB"} or token.nbor(-1).lower_ in _NOMINAL | {"where", "how", "when"}
    if auxiliary(token.text) is None:
        return False
    return not (token.lower_ in _AUXILIARY_NOUNS and token.pos_ in {"NOUN", "PROPN"})


def _mode(doc: Doc, verb: int, rest: str) -> Parsing[Mode]:
    first = doc[verb]
    if not is_auxiliary(first):
        return Mode.SUBJECT
    follower = _after_adverbs(doc, verb + 1)
    if follower is None:
        return Mode.SUBJECT
    moved = auxiliary("is" if first.lower_ in {"'s", "’s"} else first.text)
    if moved is None or moved.kind is Kind.BE:
        return _be_mode(follower)
    if moved.kind is Kind.DO:
        return Mode.INVERTED
    if moved.kind is Kind.MODAL:
        passive = re.search(r"\bbe \w+(?:ed|wn|en)\??$", doc[follower.i + 1 :].text) and follower.lower_ != "be"
        return Mode.SUBJECT if _is_base(follower) and not passive else Mode.INVERTED
    if follower.lower_ in {"been", "had"} or follower.tag_ == "VBN":
        return Mode.SUBJECT
    (bare,) = yield [f"This {rest}."]
    return Mode.SUBJECT if bare[1].dep_ == "ROOT" else Mode.INVERTED


def _after_adverbs(doc: Doc, place: int) -> Token | None:
    while place < len(doc) and (doc[place].lower_ in DEGREE_WORDS | NEGATIONS or doc[place].tag_ in {"RB", "RBS"}):
        if doc[place].lower_ in {"there", "here"} or doc[place].is_title:
            break
        place += 1
    return doc[place] if place < len(doc) and not doc[place].is_punct else None


def _is_base(token: Token) -> bool:
    word = token.lower_
    if word in {"be", "have", "not"}:
        return True
    if not may_be_base(word) or token.pos_ in {"DET", "PRON", "PROPN"} or token.tag_ in {"NNS", "PRP$", "JJ"}:
        return False
    return token.tag_ in {"VB", "VBP"} or "NOUN" not in parts_of_speech(word)


def _be_mode(follower: Token) -> Mode:
    """After a form of be: a predicate of the question word, or a noun phrase."""
    if follower.lower_ == "the" and _SUPERLATIVE.match(follower.doc[follower.i + 1 :].text):
        return Mode.SUBJECT
    last = follower.i + 1 == len(follower.doc) or follower.nbor().is_punct
    if last and "NOUN" in parts_of_speech(follower.lower_) and follower.tag_ != "JJ":
        return Mode.BE_NOUN
    if follower.lower_ == "both":
        return Mode.SUBJECT
    if (
        follower.lower_ == "there"
        or follower.pos_ in {"DET", "PRON", "PROPN", "NOUN", "NUM"}
        or follower.tag_ == "PRP$"
    ):
        return Mode.BE_NOUN
    if follower.tag_ == "VBG" and re.search(
        r"\b(?:likely|unlikely|able|known|expected) to\b", follower.doc[follower.i :].text
    ):
        return Mode.BE_NOUN
    if follower.tag_ in {"JJ", "JJR", "JJS", "VBN", "VBG"} and follower.dep_ in {"amod", "compound", "nsubj", "csubj"}:
        return Mode.BE_NOUN
    return Mode.SUBJECT

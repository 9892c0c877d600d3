"""A fronted question cut into its question phrase and the clause after it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.rules.choice.kinds import head_noun
from situatedgen.rules.choice.lexicon import DEGREE_WORDS, is_plural_noun, parts_of_speech
from situatedgen.rules.choice.modes import Mode, adverb_mode, is_auxiliary, nominal_mode
from situatedgen.rules.choice.sentences import root_of
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import may_be_base, may_be_participle
from situatedgen.rules.clauses.tidying import unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.clauses.work import Parsing

_NOMINAL = words("what which who whom whose")
_RELATIVES = words("that which who whom whose where when")
_LISTED = re.compile(r"^(?:one )?of (?:the following|these)\b", re.I)
_LONGEST_NOUN = 4
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


@dataclass(frozen=True, slots=True)
class FrontedQuestion:
    """A question: the words before its question word, that word, what belongs to it, and the clause after."""

    before: str
    word: str
    kind: str
    rest: str
    mode: Mode


def split_question(doc: Doc, asked: int) -> Parsing[FrontedQuestion | None]:
    """The parts of a parsed question whose question word is at a token, or None where no verb is found."""
    verb = yield from _verb_place(doc, asked)
    if verb is None:
        return None
    verb = _after_aside(doc, _before_degrees(doc, asked, verb))
    rest = unmarked(doc[verb:].text)
    if doc[asked].lower_ in {"where", "when", "why"}:
        mode = adverb_mode(doc, verb)
    else:
        mode = yield from nominal_mode(doc, verb, rest)
    return FrontedQuestion(doc[:asked].text, doc[asked].lower_, doc[asked + 1 : verb].text, rest, mode)


def _before_degrees(doc: Doc, asked: int, verb: int) -> int:
    """The first of the adverbs before a verb: "best explains"."""
    while verb > asked + 2 and doc[verb - 1].lower_ in DEGREE_WORDS - {"first", "more"}:
        verb -= 1
    return verb


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
    if _opens_clause(doc, asked + 1):
        return asked + 1
    listed = _after_list(doc, asked + 1)
    if listed is not None:
        return listed
    rest = unmarked(doc[asked + 1 :].text)
    opening = "One" if rest.startswith("of ") else "The"
    bare, nominal = yield [f"This {rest}.", f"{opening} {rest}."]
    return _nominal_place(doc, asked, bare, nominal)


def _nominal_place(doc: Doc, asked: int, bare: Doc, nominal: Doc) -> int | None:
    """Where the clause begins, by the parse of the rest after "This" (a verb follows) and "The" (a noun does)."""
    found = _subject_end(nominal)
    auxiliary_at = _first_auxiliary(doc, asked + 1)
    alone = _is_verb_alone(bare)
    if found is None and _opens_with_plural(doc, asked + 1):
        return asked + 2
    if alone and (found is None or "NOUN" not in parts_of_speech(doc[asked + 1].lower_)):
        return asked + 1
    if alone and found is not None and found > _LONGEST_NOUN and doc[asked].lower_ == "what":
        return asked + 1
    if found is not None and (auxiliary_at is None or found + asked <= auxiliary_at):
        return _after_participle(doc, found + asked)
    if auxiliary_at is not None:
        return auxiliary_at
    if alone or (found is None and _is_homograph(doc[asked + 1], doc[asked])):
        return asked + 1
    return _first_finite(doc, asked + 2) or _first_base(doc, asked + 2)


def _after_participle(doc: Doc, place: int) -> int:
    """The finite verb after a participle that only describes the noun: "What state shaped like a glove has …"."""
    participle = doc[place].lower_.endswith("ed") and place + 1 < len(doc) and doc[place + 1].pos_ == "ADP"
    if not participle:
        return place
    later = (token.i for token in doc[place + 2 :] if token.tag_ in {"VBZ", "MD"})
    verb = next(later, place)
    joined = any(token.lower_ in _RELATIVES | {"and", "if", "because", ","} for token in doc[place:verb])
    return place if joined else int(verb)


def _opens_with_plural(doc: Doc, place: int) -> bool:
    """A plural noun and a verb for it: "Which features form when …"."""
    if place + 1 >= len(doc) or not is_plural_noun(doc[place].text):
        return False
    verb = doc[place + 1].lower_
    return may_be_base(verb) and "VERB" in parts_of_speech(verb) and verb not in DEGREE_WORDS


def _opens_clause(doc: Doc, place: int) -> bool:
    """An auxiliary stands here, or a finite verb after adverbs."""
    if is_auxiliary(doc[place]):
        return True
    start = place
    while place < len(doc) and doc[place].lower_ in DEGREE_WORDS:
        place += 1
    if place in {start, len(doc)}:
        return False
    return is_auxiliary(doc[place]) or doc[place].tag_ in _FINITE or _is_third_person(doc[place])


def _after_list(doc: Doc, place: int) -> int | None:
    """Where the verb begins right after "of the following" or "of these"."""
    found = _LISTED.match(doc[place:].text)
    after = place + len(found[0].split()) if found else len(doc)
    if after >= len(doc):
        return None
    plain = set(parts_of_speech(doc[after].lower_)) == {"VERB"} and not _describes_plural(doc, after)
    return after if plain or _opens_clause(doc, after) or doc[after].tag_ in _FINITE else None


def _describes_plural(doc: Doc, place: int) -> bool:
    """A participle before a plural noun that has a verb of its own: "manufactured products can be …"."""
    if place + 2 >= len(doc) or not may_be_participle(doc[place].lower_):
        return False
    return is_plural_noun(doc[place + 1].text) and (is_auxiliary(doc[place + 2]) or doc[place + 2].tag_ in _FINITE)


def _first_finite(doc: Doc, place: int) -> int | None:
    """The first word after a noun that may be a finite verb, whatever the parse says of it."""
    for token in doc[place:]:
        before = token.nbor(-1)
        verbal = token.tag_ in _FINITE or token.lower_.endswith(("s", "ed"))
        after_noun = before.pos_ in {"NOUN", "PROPN"} or before.lower_ in DEGREE_WORDS | {"these", "following"}
        if verbal and after_noun and "VERB" in parts_of_speech(token.lower_):
            return int(token.i)
    return None


def _first_base(doc: Doc, place: int) -> int | None:
    """The first word after a plural noun phrase that may be its verb: "Which objects in our system give off …"."""
    for token in doc[place:-1]:
        verbal = may_be_base(token.lower_) and "VERB" in parts_of_speech(token.lower_) and token.pos_ != "ADP"
        goes_on = token.nbor().pos_ in {"ADP", "DET", "PRON", "PART"} or token.tag_ in {"VB", "VBP"}
        phrase = doc[place - 1 : token.i].text
        nominal = token.nbor(-1).pos_ in {"NOUN", "PROPN"}
        if verbal and goes_on and nominal and is_plural_noun(head_noun(phrase)):
            return int(token.i)
    return None


def _is_homograph(token: Token, asked: Token) -> bool:
    """A verb in the third person right after "what", written like a plural noun: "What blocks sunshine?"."""
    return asked.lower_ == "what" and _is_third_person(token)


def _subject_end(nominal: Doc) -> int | None:
    """The token after the subject of "The …", when that begins the sentence and a finite verb follows."""
    root = root_of(nominal)
    subject = next((child for child in root.lefts if child.dep_ in {"nsubj", "nsubjpass"}), None)
    if subject is None or subject.left_edge.i != 0:
        return None
    first = next((token for token in root.lefts if token.dep_ in {"aux", "auxpass"}), root)
    if first.tag_ not in _FINITE or first.i <= subject.i:
        return None
    return int(subject.right_edge.i) + 1


def _is_verb_alone(bare: Doc) -> bool:
    verb = bare[1]
    return verb.dep_ == "ROOT" and verb.tag_ in _FINITE and "VERB" in parts_of_speech(verb.lower_)


def _is_third_person(token: Token) -> bool:
    return token.lower_.endswith("s") and "VERB" in parts_of_speech(token.lower_) and token.pos_ != "ADJ"


def _first_auxiliary(doc: Doc, place: int) -> int | None:
    """The first auxiliary from a token on that stands in no relative clause."""
    inside = False
    for token in doc[place:]:
        if is_auxiliary(token) and not inside:
            return int(token.i)
        inside = token.lower_ in _RELATIVES or (inside and not is_auxiliary(token))
    return None

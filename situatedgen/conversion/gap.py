"""Finds the gap that a wh-phrase leaves in a clause, and puts the answer into the form that fills it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from situatedgen.conversion.answer import Answer, Form, indefinite
from situatedgen.conversion.draft import splice
from situatedgen.conversion.inversion import strip_final_mark
from situatedgen.conversion.lexicon import (
    NOUNS_IN_ING,
    PREPOSITIONS,
    SUBORDINATORS,
    is_plural_noun,
    noun_list,
    parts_of_speech,
    verb_lemma,
    verb_list,
    words,
)
from situatedgen.conversion.morphology import inflect, may_be_base
from situatedgen.conversion.question import AskedNoun, single, with_kind_article
from situatedgen.conversion.scoring import token_at

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

    from situatedgen.conversion.inversion import ScoredDeclarative

_OBJECTS = frozenset({"dobj", "attr", "acomp", "ccomp", "xcomp", "oprd", "dative"})
_CONDITIONS = words("if when because while after")


def main_verb(doc: Doc, offset: int) -> Token | None:
    """The verb at an offset, or the main verb of an auxiliary there."""
    verb = token_at(doc, offset)
    while verb is not None and _helps(verb):
        verb = verb.head
    return verb


def last_verb(doc: Doc, offset: int) -> Token | None:
    """The last verb of the chain that begins at an offset."""
    verb = main_verb(doc, offset)
    return None if verb is None else list(chain(verb))[-1]


def chain(verb: Token) -> Iterator[Token]:
    """The verb, and the verbs to which it, its adjective or its infinitive leads."""
    yield verb
    for child in verb.rights:
        if child.dep_ in {"xcomp", "ccomp"} and child.pos_ in {"VERB", "AUX"}:
            yield from chain(child)
        elif child.dep_ in {"acomp", "attr", "xcomp"}:
            for deeper in child.rights:
                if deeper.dep_ == "xcomp":
                    yield from chain(deeper)


def has_object(token: Token) -> bool:
    """Whether an object or complement follows the verb."""
    return any(child.dep_ in _OBJECTS and not _is_condition(child) for child in token.rights)


def lacks_object(token: Token) -> bool:
    """Whether a verb takes an object and has none; after verbs like "use" an infinitive of purpose is not one."""
    lemma = verb_lemma(token.text)
    passive = token.tag_ == "VBN" and not any(verb_lemma(child.text) == "have" for child in token.lefts)
    if token.pos_ == "AUX" or passive or lemma in verb_list("intransitive"):
        return False
    held = [child for child in token.rights if child.dep_ in _OBJECTS and not _is_condition(child)]
    if lemma in verb_list("using"):
        return all(child.dep_ == "xcomp" and child.tag_ == "VB" for child in held)
    return not held


def next_word(token: Token) -> Token | None:
    """The next token; None at the end of the sentence."""
    if token.i + 1 >= len(token.doc):
        return None
    following = token.nbor()
    return None if following.is_punct and following.i == len(token.doc) - 1 else following


def last_word(doc: Doc) -> Token:
    """The last token that is not punctuation."""
    return next(token for token in reversed(doc) if not token.is_punct)


def _helps(verb: Token) -> bool:
    return bool(verb.dep_ in {"aux", "auxpass"} and verb.head.i > verb.i and verb_lemma(verb.text) != "do")


def _is_condition(child: Token) -> bool:
    """Whether a clause with "if" or "when" was parsed as an object because the object is missing."""
    return child.dep_ in {"ccomp", "advcl"} and child.left_edge.lower_ in _CONDITIONS


_STRANDED_PARTICLES = words("out off up down away along such instead because due according together other")
_PLAIN = words("in on at to from for with of")
_PARTICLE_VERBS = words("give pick get set take")
_AFTER_GAP = frozenset({"IN", "WRB", "TO", ",", "RB", "RBS", "RBR", "JJS"})


def is_stranded(token: Token) -> bool:
    """Whether a preposition has no object after it."""
    following = next_word(token)
    if following is not None and token.lower_ in _PLAIN and following.lower_ in {"if", "when", "because", "while"}:
        return not any(child.dep_ in {"pobj", "pcomp"} for child in token.rights)
    if token.tag_ not in {"IN", "TO", "RP"} or (following is not None and _is_bound(token)):
        return False
    if any(child.dep_ in {"pobj", "pcomp"} and not _is_ago(token, child) for child in token.rights):
        return False
    if token.dep_ == "prt" and verb_lemma(token.head.text) in _PARTICLE_VERBS:
        return False
    if following is None or any(_is_ago(token, child) for child in token.rights):
        return True
    return following.tag_ in _AFTER_GAP and token.dep_ in {"prep", "agent", "dative"}


def _is_bound(token: Token) -> bool:
    """Whether this is a particle or a conjunction, which takes no object."""
    return token.lower_ in _STRANDED_PARTICLES or token.dep_ in {"mark", "prt", "neg"}


def _is_ago(preposition: Token, child: Token) -> bool:
    """Whether this is a time like "twenty years ago" or "every morning", not the object of the preposition."""
    if preposition.lower_ == "to" and child.left_edge.lower_ in {"every", "each"}:
        return True
    last = child.doc[child.right_edge.i]
    following = last.nbor().lower_ if last.i + 1 < len(last.doc) else ""
    return preposition.lower_ != "of" and "ago" in {last.lower_, following}


_NO_OBJECTS = words("most next first day time night morning year week month moment today tomorrow")
_NAMED = words("called named considered termed labeled")
_DO_TAGS = {"does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}
_OPENS_OBJECT = frozenset({"DT", "PRP", "PRP$", "CD", "EX"})
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
_PARTICLES = words("up down out off over inside outside")


class GapKind(StrEnum):
    """The role of the answer in its gap."""

    DO = "do"
    PREPOSITION = "preposition"
    COMPLEMENT = "complement"
    OBJECT = "object"
    SUBJECT = "subject"
    END = "end"


@dataclass(frozen=True, slots=True)
class Gap:
    """A gap: half-open offsets that the answer replaces, its role, and the verb or preposition before it."""

    start: int
    end: int
    kind: GapKind
    governor: str
    tag: str


def find_gap(found: ScoredDeclarative) -> Gap:
    """The likeliest gap that a nominal question phrase left in a declarative."""
    end = Gap(len(found.text), len(found.text), GapKind.END, "", "")
    doc = found.doc
    verb = main_verb(doc, found.declarative.verb.start)
    if verb is None:
        return end
    tokens = [verb, *(token for token in doc[verb.i + 1 :] if not (token.is_punct and token.i == len(doc) - 1))]
    finders = (_do_gap, _after_saying, _before_relative, _after_use, _after_preposition, _complement_gap, _object_gap)
    return next((gap for finder in finders for gap in finder(tokens)), end)


def _gap_after(token: Token, kind: GapKind) -> Gap:
    offset = token.idx + len(token.text)
    return Gap(offset, offset, kind, verb_lemma(token.text), token.tag_)


def _do_gap(tokens: list[Token]) -> Iterator[Gap]:
    """The verb "do" without an object, which a verb phrase replaces."""
    for token in tokens:
        if verb_lemma(token.text) == "do" and not _is_helping(token) and not _has_own_object(token):
            yield Gap(token.idx, token.idx + len(token.text), GapKind.DO, "do", _do_tag(token))


def _has_own_object(token: Token) -> bool:
    following = next_word(token)
    times = any(child.lower_ in _NO_OBJECTS for child in token.rights)
    if following is not None and following.tag_ in _OPENS_OBJECT and not times:
        return True
    return any(child.dep_ == "dobj" and child.lower_ not in _NO_OBJECTS for child in token.rights)


def _do_tag(token: Token) -> str:
    if token.lower_ in _DO_TAGS:
        return _DO_TAGS[token.lower_]
    before = token.nbor(-1) if token.i else token
    finite = token.tag_ == "VBP" and before.tag_ not in {"MD", "TO"} and before.pos_ != "AUX"
    return "VBP" if finite else "VB"


def _is_helping(token: Token) -> bool:
    following = next_word(token)
    return following is not None and following.lower_ in {"not", "n't"} and token.dep_ == "aux"


def _after_saying(tokens: list[Token]) -> Iterator[Gap]:
    """After a verb of saying directly followed by a finite verb: the subject of the latter."""
    for token in tokens:
        following = next_word(token)
        if following is None or token.pos_ != "VERB" or verb_lemma(token.text) not in verb_list("saying"):
            continue
        if following.tag_ in _FINITE | {"VB"} and following.pos_ in {"VERB", "AUX"}:
            yield _gap_after(token, GapKind.SUBJECT)


def _before_relative(tokens: list[Token]) -> Iterator[Gap]:
    """Between a verb and a relative clause that was left behind: "produces | that helps plants grow"."""
    for before, token in pairwise(tokens):
        following = next_word(token)
        relative = token.lower_ in {"that", "who", "which"} and before.pos_ == "VERB"
        says = verb_lemma(before.text) in verb_list("saying")
        if relative and following is not None and (following.tag_ in _FINITE or not says):
            yield _gap_after(before, GapKind.OBJECT)


def _after_use(tokens: list[Token]) -> Iterator[Gap]:
    """After "use" directly followed by an infinitive: "use | to see the patterns"."""
    for token in chain(tokens[0]):
        following = next_word(token)
        active = verb_lemma(token.text) == "use" and token.tag_ != "VBN" and lacks_object(token)
        if active and following is not None and following.lower_ in {"to", "when", "for", "in"}:
            yield _gap_after(token, GapKind.OBJECT)


def _after_preposition(tokens: list[Token]) -> Iterator[Gap]:
    """After a preposition that has no object."""
    if (
        tokens[-1].lower_ in PREPOSITIONS - _PARTICLES - {"before", "after", "since"}
        and len(tokens) > 1
        and not is_in_relative(tokens[-1])
    ):
        yield _gap_after(tokens[-1], GapKind.PREPOSITION)
    for token in tokens[1:]:
        if is_stranded(token) and not is_in_relative(token):
            yield _gap_after(token, GapKind.PREPOSITION)


def is_in_relative(token: Token) -> bool:
    """Whether the preposition is in a relative or conditional clause: "something you have knowledge in"."""
    return any(one.dep_ == "relcl" or (one.dep_ == "advcl" and _is_conditional(one)) for one in token.ancestors)


def _is_conditional(clause: Token) -> bool:
    """Whether this is a clause with "when" or "if", in which nothing is asked for."""
    return any(child.tag_ == "WRB" or (child.dep_ == "mark" and child.lower_ != "to") for child in clause.lefts)


def _complement_gap(tokens: list[Token]) -> Iterator[Gap]:
    """After a form of be, become or feel without a complement, or after "called"."""
    for token in tokens:
        following = next_word(token)
        open_end = following is None or following.tag_ in {"IN", "WRB", ",", "RB"}
        if open_end and _is_bare_link(token, following):
            yield _gap_after(token, GapKind.COMPLEMENT)
    for token in tokens:
        following = next_word(token)
        if token.lower_ in _NAMED and (following is None or following.tag_ in {"IN", "WRB", ","}):
            yield _gap_after(token, GapKind.COMPLEMENT)


def _is_bare_link(token: Token, following: Token | None) -> bool:
    lemma = verb_lemma(token.text) if token.pos_ in {"VERB", "AUX"} else ""
    if lemma not in {"be", "become", "feel"} or token.dep_ in {"aux", "auxpass"}:
        return False
    return following is None or not has_object(token)


def _object_gap(tokens: list[Token]) -> Iterator[Gap]:
    """After the last verb of the chain that lacks an object, or that takes a second one."""
    verbs = list(chain(tokens[0]))
    for token in reversed(verbs):
        if lacks_object(token):
            yield _gap_after(_with_particle(_last_joined(token)), GapKind.OBJECT)
    for token in verbs:
        following = next_word(token)
        if verb_lemma(token.text) in verb_list("expecting") and following is not None and following.lower_ == "to":
            yield _gap_after(token, GapKind.SUBJECT)
    for token in reversed(verbs):
        first = next((child for child in token.rights if child.dep_ == "dobj"), None)
        if first is not None and verb_lemma(token.text) in verb_list("two_objects"):
            last = first.doc[first.right_edge.i]
            offset = last.idx + len(last.text)
            yield Gap(offset, offset, GapKind.OBJECT, verb_lemma(token.text), token.tag_)


def _last_joined(token: Token) -> Token:
    """The last of the coordinated verbs that share an object: "observe and record"."""
    for child in token.rights:
        if child.dep_ == "conj" and child.tag_ == token.tag_ and child.i <= token.i + 2 and lacks_object(child):
            return child
    return token


def _with_particle(token: Token) -> Token:
    following = next_word(token)
    return following if following is not None and following.dep_ == "prt" else token


_ATTRIBUTES = words("color colour size shape")
STATES = words("solid liquid gas gaseous plasma")
_YEARLY = re.compile(r"^of (?:the )?(?:year|day|month|week)\b")
_NUMBER = re.compile(r"^(?:two|three|four|five) ", re.I)
_BODY_SYSTEM = re.compile(r"^(?:human |body |organ )+(?=system)")


def slot_words(kind: AskedNoun, answer: Answer) -> str:
    """The answer in the form that replaces the kind asked for.

    Example:
        "thermal" for "type of energy" becomes "thermal energy", "Colorado" for "western state" "the western state of
        Colorado".
    """
    if is_modifier(kind, answer):
        return _modify_noun(kind, answer)
    if kind.head == "state" and answer.text in STATES:
        return f"the {answer.text} state"
    noun = answer.place if kind.head in noun_list("places") else answer.noun
    if is_named_place(kind, answer):
        return f"the {kind.text} of {noun.removeprefix('the ')}"
    if not kind.restricts or answer.form is not Form.NOUN:
        return noun
    if kind.head in noun_list("times") and kind.text.lower().startswith(f"{kind.head} "):
        return f"{noun} {_YEARLY.sub('', kind.text[len(kind.head) + 1 :])}".strip()
    said = kind if answer.plural else single(kind)
    return noun if repeats(kind, answer) else f"{noun}, {with_kind_article(said, apposed=True)},"


def is_named_place(kind: AskedNoun, answer: Answer) -> bool:
    """Whether the answer is a named place and the kind is restricted only by words before its noun.

    For example "the western state of Colorado".
    """
    place = kind.head in noun_list("places") and answer.place[:1].isupper() and kind.restricts
    return place and kind.text.lower().endswith(kind.head) and not repeats(kind, answer)


def is_modifier(kind: AskedNoun, answer: Answer) -> bool:
    """Whether the answer only describes the noun asked about: "thermal" for "which type of energy"."""
    if not kind.head or kind.head in _ATTRIBUTES:
        return False
    if answer.form is Form.ADJECTIVE:
        return True
    if not answer.adjectival or answer.is_name or kind.head in noun_list("places"):
        return False
    asks_attribute = kind.text.split(" ", 1)[0].lower() in _ATTRIBUTES
    return kind.generic or kind.head in {"system", "state"} or asks_attribute


def repeats(kind: AskedNoun, answer: Answer) -> bool:
    """Whether the answer contains the noun that was asked about."""
    return kind.head in answer.text.lower().split()


def _modify_noun(kind: AskedNoun, answer: Answer) -> str:
    attribute, _, rest = kind.text.partition(" ")
    noun = rest if attribute.lower() in _ATTRIBUTES and rest else kind.text
    phrase = f"{answer.text} {_BODY_SYSTEM.sub('', _NUMBER.sub('', noun))}"
    if kind.head in {"system", "state"}:
        return f"the {phrase}"
    return phrase if kind.plural or kind.head in noun_list("mass") else f"{indefinite(phrase)} {phrase}"


_KEEPS_BARE = words(
    "home company stage fire bed school work church asleep awake tv hands line sleep college court debt love jail"
    " prison class trouble danger mind action shape time space town control heart hurt run swim play help care part"
    " place fun sense change war peace rope"
    " use dance jump all everything television fruit score tag balance emotion haste code"
)
_DETERMINED = words(
    "them it him us me you this that"
    " a an the his her its their your my our some any no each one two up out off on in to at all every"
)
_BODY_PARTS = words(
    "mouth head eyes hands teeth face nose arms legs heart feet lips arm leg foot mind breath hair eye hand"
)
_OF_ONESELF = words(
    "open close clear wash brush raise shut bow nod cover cross rub wipe lift turn shave move stretch change lose catch"
)
_FIXED = {"play ball": "ball", "set table": "the table", "pass sentence": "sentence"}
_ADVERBS = words("not never always quickly")
_MODALS = words("may might can will would could should")
_JOINED_VERB = re.compile(r"(,? and) (see|observe|record|measure|monitor|compare|wait|watch|use|count|write|add)( |$)")
_TO_NOUN = re.compile(r"^(?:for|about|into|with|from|like|on) [a-z]+(?: [a-z]+)?$")


def verb_phrase(answer: Answer, tag: str) -> str:
    """The answer as a verb phrase in the form of a Penn tag; "" if it is not one.

    Example:
        "complete job" under VBD becomes "completed a job".
    """
    first, _, rest = _base_words(answer).partition(" ")
    if not first:
        return ""
    if first in _ADVERBS:
        return f"{first} {inflect(rest.split(' ', 1)[0], tag)}{rest[len(rest.split(' ', 1)[0]) :]}"
    if rest in _BODY_PARTS and first in _OF_ONESELF:
        return f"{inflect(first, tag)} one's {rest}"
    if f"{first} {rest}" in _FIXED:
        return f"{inflect(first, tag)} {_FIXED[f'{first} {rest}']}"
    joined = _JOINED_VERB.sub(lambda match: f"{match[1]} {inflect(match[2], tag)}{match[3]}", rest)
    return f"{inflect(first, tag)} {_with_object(joined)}".strip()


def is_verbal(answer: Answer) -> bool:
    """Whether the answer can be read as a verb phrase."""
    return bool(_base_words(answer))


def gerund(answer: Answer) -> str:
    """The answer as a noun: a verb phrase as gerund, a noun with its article, anything else unchanged."""
    if answer.form in {Form.VERB, Form.INFINITIVE}:
        return verb_phrase(answer, "VBG") or answer.text
    return answer.noun


def infinitive(answer: Answer) -> str:
    """The answer as "to" and a verb phrase; "" if it is not one."""
    phrase = verb_phrase(answer, "VB")
    return f"to {phrase}" if phrase else ""


def _base_words(answer: Answer) -> str:
    """The verb phrase with its verb in the base form; "" if the answer is not one."""
    first, *rest = answer.text.split(" ")
    if answer.form is Form.VERB and first in _MODALS:
        return " ".join(rest)
    if answer.form is Form.INFINITIVE:
        return " ".join(rest)
    if answer.form is Form.GERUND or (answer.form is Form.VERB and not may_be_base(first.lower())):
        return " ".join([verb_lemma(first), *rest])
    if answer.form in {Form.CLAUSE, Form.QUESTION, Form.ADVERBIAL}:
        return ""
    if first.lower() in _ADVERBS and rest and may_be_base(rest[0]):
        return answer.text
    if answer.form is Form.NOUN and answer.text.endswith("ing"):
        return ""
    return answer.text if answer.may_be_verb else ""


def _with_object(rest: str) -> str:
    """The words after a verb, with an article before a bare countable noun."""
    if _TO_NOUN.match(rest):
        preposition, _, noun = rest.partition(" ")
        return f"{preposition} {_with_object(noun)}"
    if not _is_bare_noun(rest.lower().split()) or rest[0].isupper():
        return rest
    article = "the" if rest.lower().split()[-1] in noun_list("definite") else indefinite(rest)
    return f"{article} {rest}"


def _is_bare_noun(parts: list[str]) -> bool:
    """Whether one or two words form a singular countable noun without an article."""
    if not 1 <= len(parts) <= 2 or parts[0] in PREPOSITIONS | _DETERMINED or parts[0].endswith("self"):
        return False
    if is_plural_noun(parts[0]):
        return False
    last = parts[-1]
    if last in noun_list("mass") | _KEEPS_BARE or last.endswith(("s", "self", "selves")) or is_plural_noun(last):
        return False
    if set(parts_of_speech(last)) not in ({"NOUN"}, {"NOUN", "VERB"}):
        return False
    described = len(parts) == 1 or bool({"NOUN", "ADJ"} & set(parts_of_speech(parts[0])))
    return described and not (last.endswith("ing") and last not in NOUNS_IN_ING)


_OPENS_SENTENCE = words("he she it they this we i you there")
_OPENS_LEAD = SUBORDINATORS | words(
    "in on at during for with without to by from of despite even once unlike like under over upon given compared"
    " instead until where whenever though thanks due based having being"
)
_FINITE_TAGS = frozenset({"VBZ", "VBP", "VBD", "MD"})


def replace_tokens(doc: Doc, start: int, end: int, phrase: str) -> str:
    """The sentence, repaired and without its final mark, with the tokens from `start` to `end` replaced by a phrase."""
    text = mend_commas(doc)
    last = doc[end - 1].idx + len(doc[end - 1].text)
    return splice(text, doc[start].idx, min(last, len(text)), phrase)


def mend_commas(doc: Doc) -> str:
    """The text without its final mark, and with a semicolon instead of a comma between two full clauses.

    Example:
        "He was cold, he lit a fire" becomes "He was cold; he lit a fire".
    """
    text = strip_final_mark(doc.text)
    for token in doc:
        if token.text == "," and _is_splice(token):
            text = text[: token.idx] + ";" + text[token.idx + 1 :]
    return text


def _is_splice(comma: Token) -> bool:
    doc = comma.doc
    if comma.i + 2 >= len(doc) or not (_opens_with_pronoun(comma) or _opens_with_noun(comma)):
        return False
    start = max((token.i + 1 for token in doc[: comma.i] if token.text in {",", ";"}), default=0)
    return _is_clause(doc[: comma.i]) and doc[0].lower_ not in _OPENS_LEAD and doc[start].lower_ not in _OPENS_LEAD


def _opens_with_pronoun(comma: Token) -> bool:
    pronoun, verb = comma.doc[comma.i + 1], comma.doc[comma.i + 2]
    return pronoun.lower_ in _OPENS_SENTENCE and (verb.tag_ in _FINITE_TAGS or verb.pos_ in {"AUX", "ADV"})


def _opens_with_noun(comma: Token) -> bool:
    """Whether a noun phrase with a determiner after the comma is the subject of a finite verb."""
    opening = comma.nbor()
    if opening.tag_ not in {"DT", "PRP$"}:
        return False
    subjects = (token for token in comma.doc[opening.i :] if token.dep_ in {"nsubj", "nsubjpass"})
    subject = next((token for token in subjects if token.left_edge.i == opening.i), None)
    if subject is None or subject.head.i < subject.i or subject.head.dep_ in {"relcl", "advcl", "acl"}:
        return False
    helpers = (child for child in subject.head.lefts if child.dep_ in {"aux", "auxpass"})
    return subject.head.tag_ in _FINITE_TAGS or any(child.tag_ in _FINITE_TAGS for child in helpers)


def _is_clause(span: Span) -> bool:
    subjects = any(token.dep_ in {"nsubj", "nsubjpass", "expl"} for token in span)
    return subjects and any(token.tag_ in _FINITE_TAGS for token in span)

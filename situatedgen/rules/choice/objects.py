"""Questions whose question phrase is an object or a complement: "What does a chef do when working?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.adverbials import splice_adverbial
from situatedgen.rules.choice.answers import Answer
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.gaps import Gap, GapKind, find_gap
from situatedgen.rules.choice.kinds import Kind, with_kind_article
from situatedgen.rules.choice.lexicon import noun_list, verb_lemma, verb_list
from situatedgen.rules.choice.places import place_phrase, time_phrase
from situatedgen.rules.choice.slots import slot_words
from situatedgen.rules.choice.verbs import gerund, infinitive, is_verbal, verb_phrase
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.scoring import token_at

if TYPE_CHECKING:
    from situatedgen.rules.clauses.inversion import ScoredDeclarative

_OBJECTS = words("it them the this these that your my his her their")
_THINGS = words("it this that these those there")
_KIND_OF = re.compile(r"\b(?:type|kind|form|sort) of$")
_LEFT_BEHIND = re.compile(r"^ (?:that|which|who)\b")
_NEEDS_TO = re.compile(r"\b(?:need|require)(?:s|ed)? to \w+$")
_VERBAL = frozenset({Form.VERB, Form.INFINITIVE, Form.GERUND})


def state_object(found: ScoredDeclarative, answer: Answer, kind: Kind) -> Draft:
    """The answer in the gap that the question phrase left in a declarative.

    Example:
        "People aim to do at work" + "complete job" gives "People aim to complete a job at work".
    """
    gap = find_gap(found)
    if _is_situated(kind, answer) and _may_be_adverbial(found, gap):
        return _adverbial(found, answer, kind)
    kind_of = gap.kind is GapKind.PREPOSITION and _KIND_OF.search(found.text[: gap.start])
    phrase = answer.text if kind_of and answer.form is Form.NOUN else _gap_words(gap, answer, kind)
    if phrase is None:
        return Draft(splice(found.text, gap.end, gap.end, answer.noun), "object_end")
    if answer.form is Form.CLAUSE:
        return Draft(f"{found.text} {phrase}", "object_clause")
    start = gap.start
    if gap.kind is GapKind.PREPOSITION and answer.form is Form.ADVERBIAL:
        start = found.text.rindex(" ", 0, gap.start)
    shape = "object_odd" if _is_odd(found, gap, answer, kind) else f"object_{gap.kind.value}"
    if shape == "object_subject" and kind.text:
        shape = "object_odd"
    if shape in {"object_object", "object_preposition"} and _is_plain(found, gap, answer, kind):
        shape += "_plain"
    return Draft(splice(found.text, start, gap.end, phrase), shape)


def _is_situated(kind: Kind, answer: Answer) -> bool:
    """A place or time is asked for; a state is one only by its name."""
    named = kind.head != "state" or answer.place[:1].isupper()
    return answer.form is Form.NOUN and named and kind.head in noun_list("places") | noun_list("times")


def _may_be_adverbial(found: ScoredDeclarative, gap: Gap) -> bool:
    """No gap asks for a noun: there is none, or only after a passive, or someone is somewhere."""
    if gap.kind is GapKind.COMPLEMENT:
        return gap.governor == "be" and found.text.split(" ", 1)[0].lower() not in _THINGS
    return gap.kind is GapKind.END or (gap.kind is GapKind.OBJECT and gap.tag == "VBN")


def _adverbial(found: ScoredDeclarative, answer: Answer, kind: Kind) -> Draft:
    """The answer as the place or time that its kind is."""
    lost = kind.restricts and kind.head not in answer.text.lower()
    restrictor = f", {with_kind_article(kind)}," if lost else ""
    if kind.head in noun_list("places"):
        return Draft(splice_adverbial(found, place_phrase(answer) + restrictor), "object_place")
    return Draft(splice_adverbial(found, time_phrase(answer) + restrictor), "object_time")


def _is_plain(found: ScoredDeclarative, gap: Gap, answer: Answer, kind: Kind) -> bool:
    """A noun without a restrictor in the gap of an object, and no relative clause left behind it."""
    if answer.form is not Form.NOUN or kind.restricts or (kind.text and gap.kind is GapKind.PREPOSITION):
        return False
    verbal = answer.may_be_verb and not answer.noun.startswith(("a ", "an ", "the ")) and not answer.plural
    left_behind = _LEFT_BEHIND.match(found.text[gap.end :])
    return not (verbal or left_behind or _NEEDS_TO.search(found.text[: gap.start]))


def _is_odd(found: ScoredDeclarative, gap: Gap, answer: Answer, kind: Kind) -> bool:
    """The answer fits its gap badly: an adjective for an object, a verb for a noun, "do to" with another verb."""
    if gap.kind is GapKind.DO:
        following = token_at(found.doc, gap.end + 1)
        if following is not None and following.lower_ == "with":
            return following.nbor().lower_ in _OBJECTS or " " not in answer.text
        return following is not None and following.lower_ in {"to", "about"} and following.tag_ == "IN"
    described = answer.adjectival and not kind.text and gap.kind in {GapKind.OBJECT, GapKind.PREPOSITION}
    return described or (answer.form is Form.VERB and (bool(kind.text) or gap.kind is GapKind.PREPOSITION))


def _gap_words(gap: Gap, answer: Answer, kind: Kind) -> str | None:
    """The answer in the form that a gap asks for, None when it has none."""
    if gap.kind is GapKind.DO:
        return verb_phrase(answer, gap.tag) or None
    if _repeats_verb(gap, answer):
        return answer.text.split(" ", 1)[1]
    if kind.head in {"role", "function"} and gap.governor in {"fill", "play", "serve", "perform"}:
        return f"the {kind.head} of {answer.noun}"
    if answer.form is Form.CLAUSE:
        return None if gap.kind is GapKind.PREPOSITION else f"that {answer.text}"
    if gap.kind is GapKind.COMPLEMENT:
        return _complement_words(gap, answer, kind)
    if gap.kind is GapKind.OBJECT and gap.governor in verb_list("wanting") and answer.form is not Form.NOUN:
        return infinitive(answer) if is_verbal(answer) else slot_words(kind, answer)
    return gerund(answer) if answer.form in _VERBAL else slot_words(kind, answer)


def _complement_words(gap: Gap, answer: Answer, kind: Kind) -> str:
    if answer.form is Form.VERB and gap.governor == "be":
        return infinitive(answer)
    if gap.governor == "feel" and answer.text.startswith("being "):
        return answer.text.removeprefix("being ")
    if answer.adjectival and not kind.text:
        return answer.text
    return gerund(answer) if answer.form in _VERBAL else slot_words(kind, answer)


def _repeats_verb(gap: Gap, answer: Answer) -> bool:
    """The answer begins with the verb that stands before the gap: "feel cold" after "feel"."""
    first, _, rest = answer.text.partition(" ")
    return bool(gap.governor and rest and answer.may_be_verb and verb_lemma(first) == gap.governor)

"""A "what" or "which" in the answer's place: "serves as a security measure at a what?", "able to do what?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import Draft
from situatedgen.rules.choice.extents import kind_end
from situatedgen.rules.choice.forms import Form
from situatedgen.rules.choice.kinds import Kind, read_kind
from situatedgen.rules.choice.lexicon import SUBJECT_PRONOUNS, parts_of_speech, verb_lemma, verb_list
from situatedgen.rules.choice.neighbours import is_determined, takes_verb, verb_tag
from situatedgen.rules.choice.slots import is_named_place, slot_words
from situatedgen.rules.choice.splices import put
from situatedgen.rules.choice.verbs import gerund, infinitive, is_verbal, verb_phrase
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.morphology import may_be_participle

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

    from situatedgen.rules.choice.answers import Answer

_TO_NOUN = words("lead refer devote due close similar prone attribute contribute adapt look")
_DO_TAGS = {"do": "VB", "does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}
_RELATIVES = words("that which whose where")


def state_inside_what(token: Token, answer: Answer) -> Draft:
    """The sentence with the answer in place of a "what" or "which" and its noun."""
    before = token.nbor(-1)
    if before.lower_ in _DO_TAGS and is_verbal(answer):
        return _do(token, before, answer)
    if before.lower_ == "done" and may_be_participle(answer.text):
        return Draft(put(token.doc, before.i, token.i + 1, answer.text), "inside_do")
    end = kind_end(token)
    kind = read_kind(token.doc[token.i + 1 : end].text)
    if _keeps_gerund(before, answer):
        return Draft(put(token.doc, token.i, end, answer.text), "inside_what")
    if end == token.i + 1 and _asks_verb(before, answer):
        return Draft(put(token.doc, token.i, end, verb_phrase(answer, verb_tag(before))), "inside_verb")
    if is_determined(before):
        phrase = _without_article(answer).removeprefix("one's own " if before.lower_ == "own" else "\0")
        return Draft(put(token.doc, token.i, token.i + 1, phrase), "inside_noun")
    if before.lower_ == "because" and answer.form is Form.NOUN:
        return Draft(put(token.doc, token.i, end, f"of {answer.noun}"), "inside_odd")
    if answer.form is Form.CLAUSE and before.pos_ == "ADP":
        return Draft(put(token.doc, token.i, end, answer.text), "inside_odd")
    restricted = kind.restricts and not is_named_place(kind, answer)
    fits = answer.form is Form.NOUN and not restricted
    shape = (
        ("inside_kind" if fits else "inside_kind_odd")
        if kind.text
        else "inside_odd"
        if _is_stray_verb(before, answer)
        else "inside_what"
    )
    draft = Draft(put(token.doc, token.i, end, _noun(token, end, kind, answer)), shape)
    strange = answer.form is Form.GERUND and verb_lemma(before.text) == "feel"
    return draft.doubted(0.6) if strange else draft


def _is_stray_verb(before: Token, answer: Answer) -> bool:
    """A verb phrase where nothing makes it fit ("should have what done"), or none where "do" asks for one."""
    if verb_lemma(before.text) == "do":
        return True
    return answer.form is Form.VERB and verb_lemma(before.text) in {"have", "be"}


def _do(token: Token, before: Token, answer: Answer) -> Draft:
    """The answer for "do what"; before "to" its verb rarely fits."""
    tag = "VBP" if before.tag_ == "VBP" and before.lower_ == "do" else _DO_TAGS[before.lower_]
    target = token.i + 1 < len(token.doc) and token.nbor().lower_ in {"to", "with", "about", "for"}
    listed = token.doc[token.i + 1 : token.i + 3].text.lower() in {"of the", "of these"}
    text = put(token.doc, before.i, kind_end(token) if listed else token.i + 1, verb_phrase(answer, tag))
    return Draft(text, "inside_do_odd" if target else "inside_do")


def _keeps_gerund(before: Token, answer: Answer) -> bool:
    """A gerund stays one: after "lead to", and after an adverb that no modal precedes."""
    if answer.form is not Form.GERUND:
        return False
    if before.lower_ == "to":
        return verb_lemma(before.head.text) in _TO_NOUN
    if before.tag_ != "RB" or not before.i:
        return False
    earlier = before.nbor(-1)
    return earlier.tag_ != "MD" and earlier.lower_ not in SUBJECT_PRONOUNS - {"it"}


def _asks_verb(before: Token, answer: Answer) -> bool:
    infinitive = before.lower_ == "to" and verb_lemma(before.head.text) not in _TO_NOUN
    helped = _before_adverbs(before).tag_ == "MD" or (
        before.tag_ == "RB" and _before_adverbs(before).lower_ in _DO_TAGS
    )
    subject = infinitive or before.lower_ in SUBJECT_PRONOUNS - {"there"} or helped
    joined = before.lower_ in {"and", "or"} and before.i > 0 and before.nbor(-1).tag_ == "VB" and answer.may_be_verb
    return takes_verb(before) and is_verbal(answer) and (answer.form is not Form.NOUN or subject or joined)


def _noun(token: Token, end: int, kind: Kind, answer: Answer) -> str:
    before = token.nbor(-1)
    if not kind.text and (_takes_adjective(before, answer) or _names_kind(before)):
        return answer.text
    if kind.text and answer.place[:1].isupper() and _is_restricted_after(token.doc, end):
        return f"{slot_words(kind, answer)},"
    if before.lower_ == "by" and before.head.tag_ != "VBN" and " " in answer.text and answer.may_be_verb:
        return verb_phrase(answer, "VBG")
    if not kind.text and answer.form is Form.VERB and before.pos_ == "VERB":
        return _after_verb(verb_lemma(before.text), answer)
    if before.pos_ == "ADP" and not kind.text and answer.form is not Form.ADJECTIVE:
        return gerund(answer)
    return slot_words(kind, answer)


def _takes_adjective(before: Token, answer: Answer) -> bool:
    """The answer describes what stands before: after a linking verb, "as", or an adjective joined to it."""
    links = before.lower_ == "as" or verb_lemma(_before_adverbs(before).text) in verb_list("linking")
    joined = before.lower_ in {"and", "or", "yet", "but"} and before.i > 0 and before.nbor(-1).pos_ == "ADJ"
    described = "ADJ" in parts_of_speech(answer.text) or answer.form is Form.ADJECTIVE
    return (answer.adjectival and links) or (joined and described)


def _names_kind(before: Token) -> bool:
    """A kind is named after it: "a type of"."""
    return before.lower_ == "of" and before.i > 0 and before.nbor(-1).lower_ in {"type", "kind", "sort", "form"}


def _after_verb(verb: str, answer: Answer) -> str:
    """A verb phrase after another verb: "avoid getting wet", "need to have rest", "make him feel safe"."""
    if verb in verb_list("to_infinitive"):
        return infinitive(answer)
    return verb_phrase(answer, "VBG") if verb in verb_list("to_gerund") else answer.text


def _before_adverbs(token: Token) -> Token:
    """The word itself, or the one before it and the adverbs: "was" of "was always"."""
    while token.i and token.tag_ == "RB":
        token = token.nbor(-1)
    return token


def _is_restricted_after(doc: Doc, end: int) -> bool:
    """A participle or a relative clause follows the noun that was asked about."""
    return end < len(doc) and (doc[end].tag_ == "VBN" or doc[end].lower_ in _RELATIVES)


def _without_article(answer: Answer) -> str:
    first, _, rest = answer.text.partition(" ")
    return rest if first.lower() in {"a", "an", "the"} and rest else answer.text

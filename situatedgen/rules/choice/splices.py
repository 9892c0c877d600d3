"""Words put into a sentence, and its comma splices mended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.drafts import splice
from situatedgen.rules.choice.lexicon import SUBORDINATORS
from situatedgen.rules.clauses.lexicon import words
from situatedgen.rules.clauses.tidying import unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

_OPENS_SENTENCE = words("he she it they this we i you there")
_OPENS_LEAD = SUBORDINATORS | words(
    "in on at during for with without to by from of despite even once unlike like under over upon given compared"
    " instead until where whenever though thanks due based having being"
)
_FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})


def put(doc: Doc, start: int, end: int, phrase: str) -> str:
    """The sentence, mended and without its final mark, with a phrase in place of the tokens from `start` to `end`."""
    text = mended(doc)
    last = doc[end - 1].idx + len(doc[end - 1].text)
    return splice(text, doc[start].idx, min(last, len(text)), phrase)


def mended(doc: Doc) -> str:
    """The text without its final mark, a semicolon in place of a comma between two full clauses.

    Example:
        "He was cold, he lit a fire" becomes "He was cold; he lit a fire".
    """
    text = unmarked(doc.text)
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
    return pronoun.lower_ in _OPENS_SENTENCE and (verb.tag_ in _FINITE or verb.pos_ in {"AUX", "ADV"})


def _opens_with_noun(comma: Token) -> bool:
    """A noun phrase that begins right after the comma with a determiner is the subject of a finite verb."""
    opening = comma.nbor()
    if opening.tag_ not in {"DT", "PRP$"}:
        return False
    subjects = (token for token in comma.doc[opening.i :] if token.dep_ in {"nsubj", "nsubjpass"})
    subject = next((token for token in subjects if token.left_edge.i == opening.i), None)
    if subject is None or subject.head.i < subject.i or subject.head.dep_ in {"relcl", "advcl", "acl"}:
        return False
    helpers = (child for child in subject.head.lefts if child.dep_ in {"aux", "auxpass"})
    return subject.head.tag_ in _FINITE or any(child.tag_ in _FINITE for child in helpers)


def _is_clause(span: Span) -> bool:
    subjects = any(token.dep_ in {"nsubj", "nsubjpass", "expl"} for token in span)
    return subjects and any(token.tag_ in _FINITE for token in span)

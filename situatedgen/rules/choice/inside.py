"""Question words that stand in the answer's place: "he is where?", "a security measure at a what?"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.answers import Answer, Form
from situatedgen.rules.choice.asking import Asked
from situatedgen.rules.choice.drafts import Draft, splice
from situatedgen.rules.choice.kinds import kind_end, read_kind, slot_words
from situatedgen.rules.choice.lexicon import DETERMINERS, PREPOSITIONS, SUBJECT_PRONOUNS, verb_lemma
from situatedgen.rules.choice.places import place_phrase, time_phrase
from situatedgen.rules.choice.splices import mended
from situatedgen.rules.choice.verbs import gerund, infinitive, is_verbal, verb_phrase
from situatedgen.rules.clauses.auxiliaries import Kind, auxiliary
from situatedgen.rules.clauses.tidying import unmarked

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_TO_NOUN = frozenset("lead refer devote due close similar prone attribute contribute adapt look".split())
_LINKING = frozenset("be become seem feel look appear get stay remain sound taste smell turn go grow".split())
_DO_TAGS = {"do": "VB", "does": "VBZ", "did": "VBD", "doing": "VBG", "done": "VBN"}


def state_inside(doc: Doc, asked: Asked, answer: Answer) -> Draft:
    """The sentence with the answer in place of its question phrase."""
    token = doc[asked.word]
    if token.lower_ in {"where", "wheres"}:
        return _where(token, answer)
    if token.lower_ == "when":
        return _put(
            token, token.i + 1, _after_preposition(token, answer) or time_phrase(answer), "choice.inside_when", 0.6
        )
    if token.lower_ == "why":
        return _why(token, answer)
    if token.lower_ == "how":
        return _how(token, answer)
    return _what(token, answer)


def _put(token: Token, end: int, words: str, shape: str, sure: float, *, start: int | None = None) -> Draft:
    """The sentence with words in place of the tokens from `start` (or the question word) to `end`."""
    doc = token.doc
    text = mended(doc)
    first = doc[token.i if start is None else start].idx
    last = doc[end - 1].idx + len(doc[end - 1].text)
    return Draft(splice(text, first, min(last, len(text)), words), shape, sure)


def _after_preposition(token: Token, answer: Answer) -> str:
    before = token.nbor(-1)
    return answer.noun if before.lower_ in PREPOSITIONS else ""


def _where(token: Token, answer: Answer) -> Draft:
    before = token.nbor(-1) if token.i else token
    last = (
        token.i + 1 == len(unmarked(token.doc.text).split()) or token.nbor().is_punct
        if token.i + 1 < len(token.doc)
        else True
    )
    shape = "choice.inside_where_end" if last else "choice.inside_where"
    sure = 0.85 if last else 0.6
    if before.lower_ in DETERMINERS or before.tag_ == "PRP$" or _opens_determined(before) or _follows_adjective(before):
        return _put(token, token.i + 1, answer.text, shape, sure)
    words = _after_preposition(token, answer)
    return _put(token, token.i + 1, words or place_phrase(answer, _verb_before(token)), shape, sure)


def _follows_adjective(before: Token) -> bool:
    """An adjective after a preposition: "in rural"."""
    return bool(before.pos_ == "ADJ" and before.i and before.nbor(-1).pos_ == "ADP")


def _verb_before(token: Token) -> str:
    """The verb whose place is asked for, when nothing stands between them."""
    before = token.nbor(-1)
    if before.tag_ == "RP" and before.i:
        before = before.nbor(-1)
    if before.pos_ in {"VERB", "AUX"}:
        return verb_lemma(before.text)
    return verb_lemma(token.head.text) if token.head.pos_ == "VERB" and token.head.i < token.i else ""


def _why(token: Token, answer: Answer) -> Draft:
    reason = (
        f"because {answer.text}" if answer.form is Form.CLAUSE else infinitive(answer) or f"because of {answer.noun}"
    )
    return _put(token, token.i + 1, reason, "choice.inside_why", 0.4)


def _how(token: Token, answer: Answer) -> Draft:
    end = kind_end(token)
    if (
        end > token.i + 1
        or token.i + 1 < len(token.doc)
        and token.nbor().lower_ in {"long", "many", "much", "far", "often"}
    ):
        return _put(token, max(end, token.i + 2), answer.text, "choice.inside_amount", 0.7)
    return _put(token, token.i + 1, answer.text, "choice.inside_how", 0.4)


def _what(token: Token, answer: Answer) -> Draft:
    before = token.nbor(-1)
    if verb_lemma(before.text) == "do" and is_verbal(answer) and before.lower_ in _DO_TAGS:
        tag = "VB" if before.lower_ == "do" and before.tag_ != "VBP" else _DO_TAGS[before.lower_]
        words = verb_phrase(answer, tag)
        return _put(
            token, token.i + 1, words, _shape(token, "do"), 0.45 if _takes_target(token) else 0.8, start=before.i
        )
    end = kind_end(token)
    kind = read_kind(token.doc[token.i + 1 : end].text)
    if before.lower_ == "to" and answer.form is Form.GERUND and before.head.lemma_ in _TO_NOUN:
        return _put(token, end, answer.text, _shape(token, "what"), 0.75)
    subject = before.lower_ in SUBJECT_PRONOUNS - {"there"} or before.tag_ == "MD"
    if (
        answer.form is Form.GERUND
        and before.tag_ == "RB"
        and not any(word.tag_ == "MD" for word in token.doc[before.i - 1 : before.i])
    ):
        return _put(token, end, answer.text, _shape(token, "what"), 0.75)
    if end == token.i + 1 and _takes_verb(before) and is_verbal(answer) and (answer.form is not Form.NOUN or subject):
        return _put(token, end, verb_phrase(answer, _verb_tag(before)), _shape(token, "verb"), 0.75)
    if _is_determined(before):
        return _put(token, token.i + 1, _without_article(answer), _shape(token, "noun"), 0.85)
    if answer.adjectival and not kind.text and verb_lemma(before.text) in _LINKING:
        return _put(token, end, answer.text, _shape(token, "what"), 0.8)
    named = slot_words(kind, answer)
    if kind.text and answer.place[:1].isupper() and _is_restricted_after(token.doc, end):
        return _put(token, end, f"{named},", _shape(token, "kind"), 0.6)
    words = gerund(answer) if before.pos_ == "ADP" and not kind.text and answer.form is not Form.ADJECTIVE else named
    return _put(token, end, words, _shape(token, "kind" if kind.text else "what"), 0.7 if kind.text else 0.8)


def _is_restricted_after(doc: Doc, end: int) -> bool:
    """A participle or a relative clause follows the noun that was asked about."""
    return end < len(doc) and (doc[end].tag_ == "VBN" or doc[end].lower_ in {"that", "which", "whose", "where"})


def _takes_target(token: Token) -> bool:
    """ "do what to", "do what with": the answer's verb rarely takes the same preposition."""
    return token.i + 1 < len(token.doc) and token.nbor().lower_ in {"to", "with", "about", "for"}


def _shape(token: Token, name: str) -> str:
    last = all(word.is_punct for word in token.doc[token.i + 1 :])
    return f"choice.inside_{name}_end" if last else f"choice.inside_{name}"


def _is_determined(before: Token) -> bool:
    return (
        before.lower_ in DETERMINERS
        or before.tag_ in {"PRP$", "POS"}
        or before.lower_ in {"'s", "’s"}
        or _opens_determined(before)
        or _is_degree(before)
    )


def _is_degree(before: Token) -> bool:
    """An adjective, or a word like "very": what follows takes no article."""
    return before.tag_ in {"JJ", "JJR"} or before.lower_ in {
        "very",
        "so",
        "more",
        "too",
        "quite",
        "most",
        "less",
        "little",
    }


def _opens_determined(before: Token) -> bool:
    """An adjective or adverb after a determiner: "the big", "a very"."""
    place = before.i
    while place and before.doc[place].pos_ in {"ADJ", "ADV", "PUNCT", "NOUN"} and place > before.i - 4:
        place -= 1
    determined = before.doc[place].lower_ in DETERMINERS or before.doc[place].tag_ in {"PRP$", "POS"}
    possessed = before.pos_ == "NOUN" and before.doc[place].tag_ == "PRP$"
    return place < before.i and determined and (before.pos_ in {"ADJ", "ADV"} or possessed)


def _without_article(answer: Answer) -> str:
    first, _, rest = answer.text.partition(" ")
    return rest if first.lower() in {"a", "an", "the"} and rest else answer.text


def _takes_verb(before: Token) -> bool:
    """A verb may follow: after "to", a modal, a subject, or a conjunction."""
    if before.lower_ == "to" or before.tag_ in {"MD", "RB"} or before.lower_ in SUBJECT_PRONOUNS:
        return True
    moved = auxiliary(before.text)
    return before.pos_ in {"NOUN", "PROPN", "CCONJ"} or (moved is not None and moved.kind is not Kind.BE)


def _continues_gerund(before: Token) -> bool:
    """A conjunction after a gerund and its words: "having fun and"."""
    return before.lower_ in {"and", "or"} and any(
        word.tag_ == "VBG" for word in before.doc[max(before.i - 4, 0) : before.i]
    )


def _verb_tag(before: Token) -> str:
    """The form of a verb after a word: the base after "to" or a modal, else as the sentence's other verbs."""
    near = before.doc[max(before.i - 2, 0) : before.i + 1]
    if before.lower_ == "to":
        return "VB"
    if any(verb_lemma(word.text) == "be" for word in near) or _continues_gerund(before):
        return "VBG"
    if before.lower_ in {"and", "or", "just", "only"} or any(
        word.tag_ == "MD" or word.lower_ in {"to", "n't", "not"} for word in near
    ):
        return "VB"
    past = not before.doc[0].tag_ == "VBZ" and any(token.tag_ == "VBD" for token in before.doc)
    if past:
        return "VBD"
    return "VBZ" if before.lower_ in {"he", "she", "it"} or before.tag_ in {"NN", "NNP"} else "VB"

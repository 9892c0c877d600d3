"""The article that a bare noun phrase takes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DETERMINERS, NOUNS_IN_ING, is_plural_noun, noun_list, parts_of_speech
from situatedgen.rules.clauses.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SILENT_H = ("hour", "honest", "honor", "heir")
_LIKE_CONSONANTS = ("uni", "use", "usu", "euro", "one", "once", "ura", "uter", "ut", "ubiq", "eu")
_LETTERS_LIKE_VOWELS = frozenset("AEFHILMNORSX")
_ONE_OF_ITS_KIND = words("same second third last only next entire whole main")
_OPENS_CLAUSE = words("how why where who whether")
_PART_OF = re.compile(
    r"^((?:side|edge|end|middle|top|bottom|front|back|center|surface) of) "
    r"(?=(?:road|street|line|page|mountain|hill|sea|ocean|earth|lake|river|house|room|building|tree|closet|store|forest)$)"
)
KIN = words("brother sister aunt uncle grandma grandmother grandpa mother father mom dad boss")
_PLURAL_OWNERS = words("people children men women")
_ABSTRACT = tuple(
    "ness ism ology ography ics ship hood ction ation ition ution sion osis esis ware bility ality ivity".split()
)


def with_article(text: str, phrase: Span) -> str:
    """A noun phrase with the article it needs; `phrase` is its parse where a noun stands.

    Example:
        "bank" becomes "a bank", "surface of earth" "the surface of earth", "water" stays.
    """
    text = _PART_OF.sub(r"\1 the ", text)
    article = _article(phrase)
    return f"{article} {text}" if article else text


def indefinite(text: str) -> str:
    """The form of "a" before a text.

    Example:
        >>> indefinite("hour")
        'an'
    """
    word = text.lstrip("\"'“‘(").split(" ", 1)[0]
    lower = word.lower()
    if len(word) > 1 and word.isupper() and "." not in word:
        return "an" if word[0] in _LETTERS_LIKE_VOWELS else "a"
    if lower.startswith((*_SILENT_H, "8")) or lower in {"11", "18"}:
        return "an"
    if lower.startswith(_LIKE_CONSONANTS) and not lower.startswith("unin"):
        return "a"
    return "an" if lower[:1] in set("aeiou") else "a"


def _article(phrase: Span) -> str:
    head, first = _head(phrase), phrase[0]
    if len(phrase) == 1 and first.lower_ in noun_list("definite"):
        return "the"
    if len(phrase) == 2 and f"{first.lower_}-{head.lower_}" in noun_list("definite"):
        return "the"
    if _has_article(phrase, head):
        return ""
    if head.lower_ in {"sun", "moon"} and len(phrase) == 1:
        return "the"
    if _is_name(first, head):
        return "the" if _name_needs_the(phrase, head) and not _is_owned(phrase, head) else ""
    return _before_owner(phrase) if _is_owned(phrase, head) else _common(phrase, head)


def _has_article(phrase: Span, head: Token) -> bool:
    """The phrase has a determiner, or is no noun phrase that takes one."""
    first = phrase[0]
    only_noun = set(parts_of_speech(first.lower_)) == {"NOUN"}
    if first.lower_ in DETERMINERS | _OPENS_CLAUSE or first.tag_ == "PRP$" or not first.text[0].isalpha():
        return True
    nominal = head.pos_ == "NOUN" or set(parts_of_speech(head.lower_)) == {"NOUN"}
    adverb = first.pos_ == "ADV" and not (len(phrase) > 1 and nominal)
    if first.pos_ in {"DET", "PRON", "NUM"} or adverb:
        return not only_noun
    if first.pos_ == "ADJ" and any(token.lower_ == "to" for token in phrase[:3]):
        return True
    return head.pos_ not in {"NOUN", "PROPN", "ADJ", "VERB", "X"} and not only_noun


def _head(phrase: Span) -> Token:
    """The last word before a preposition, a participle or a comma: the head, whatever the parse says of it."""
    for token in phrase[1:]:
        if token.lower_ == "full" and phrase.doc[token.i - 1].pos_ == "NOUN":
            return phrase.doc[token.i - 1]
        participle = token.tag_ in {"VBG", "VBN"} and token.i + 1 < phrase.end
        opens = token.pos_ in {"ADP", "SCONJ", "PUNCT", "CCONJ"} and token.tag_ != "HYPH"
        if participle or opens or token.tag_ in {"WDT", "WP", "TO"}:
            previous = phrase.doc[token.i - 1]
            if previous.pos_ in {"NOUN", "PROPN"} or previous.lower_ in NOUNS_IN_ING:
                return previous
    return phrase[-1]


def _is_name(first: Token, head: Token) -> bool:
    named = first.text[:1].isupper() and first.pos_ == "PROPN" and head.lower_ in noun_list("geographic")
    return head.text[:1].isupper() or named


def _name_needs_the(phrase: Span, head: Token) -> bool:
    if head.lower_ in noun_list("definite") or _before_of(phrase, head):
        return True
    return head.lower_ in noun_list("definite_names") and len(phrase) > 1


def _is_owned(phrase: Span, head: Token) -> bool:
    return any(token.tag_ == "POS" for token in phrase.doc[phrase.start : head.i])


def _before_owner(phrase: Span) -> str:
    """The article before "friend's house", none before "Earth's surface" or "people's homes"."""
    owner = next(token for token in phrase if token.tag_ == "POS").nbor(-1)
    if owner.lower_ in {"sun", "moon", "doctor", "dentist"} | noun_list("definite") and not is_plural_noun(owner.text):
        return "the"
    if owner.lower_ in KIN:
        return "one's"
    if owner.text[:1].isupper() or owner.lower_ in _PLURAL_OWNERS or is_plural_noun(owner.text):
        return ""
    return indefinite(phrase.text)


def _common(phrase: Span, head: Token) -> str:
    before = phrase.doc[phrase.start : head.i]
    if any(token.tag_ in {"JJS", "RBS"} or token.lower_ in _ONE_OF_ITS_KIND for token in before):
        return "the"
    if _before_of(phrase, head):
        return _article_before_of(phrase, head)
    if _is_definite(phrase, head):
        return "the"
    return "" if _is_uncounted(head) else indefinite(phrase.text)


def _before_of(phrase: Span, head: Token) -> bool:
    return bool(head.i + 1 < phrase.end and head.nbor().lower_ == "of")


def _article_before_of(phrase: Span, head: Token) -> str:
    if _is_plural(head):
        return ""
    return indefinite(phrase.text) if head.lower_ in noun_list("measure") else "the"


def _is_definite(phrase: Span, head: Token) -> bool:
    """A noun that there is one of; rooms and organs only where nothing describes them."""
    joined = len(phrase) > 1 and phrase[1].lower_ == "and"
    if head.i == phrase.start or joined:
        return phrase[0].lower_ in noun_list("definite")
    pair = f"{head.nbor(-1).lower_}-{head.lower_}"
    return head.lower_ in noun_list("always_definite") or pair in noun_list("definite")


def _is_plural(head: Token) -> bool:
    if parts_of_speech(head.lower_).get("NOUN"):
        return is_plural_noun(head.text)
    unknown = not parts_of_speech(head.lower_) and head.lower_.endswith("s")
    return head.tag_ in {"NNS", "NNPS"} or (unknown and not head.lower_.endswith(("ss", "us", "sis", "tis", "xis")))


def _is_uncounted(head: Token) -> bool:
    word = head.lower_
    described = head.i > 0 and head.nbor(-1).pos_ in {"NOUN", "ADJ", "PROPN", "VERB"} and head.nbor(-1).lower_ != "is"
    if word in noun_list("alone"):
        return not described
    if word == "time" and described:
        return bool(head.nbor(-1).pos_ == "NOUN" or head.nbor(-1).lower_ in {"free", "spare"})
    pair = f"{head.nbor(-1).lower_}-{word}" if described else ""
    if pair in noun_list("counted"):
        return False
    if _is_plural(head) or word in noun_list("mass") or pair in noun_list("mass") or _is_no_noun(word):
        return True
    if word.endswith("ing"):
        return word not in NOUNS_IN_ING
    return word.endswith(_ABSTRACT) and word not in noun_list("counted")


def _is_no_noun(word: str) -> bool:
    """The dictionary knows the word, and not as a noun; a word it does not know counts as one."""
    found = parts_of_speech(word)
    return bool(found and "NOUN" not in found) or not word.isalpha()

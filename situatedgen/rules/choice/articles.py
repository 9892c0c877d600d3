"""The article that a bare noun phrase takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from situatedgen.rules.choice.lexicon import DETERMINERS, NOUNS_IN_ING, is_plural_noun, noun_list, parts_of_speech

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SILENT_H = ("hour", "honest", "honor", "heir")
_VOWEL_AS_CONSONANT = ("uni", "use", "usu", "euro", "one", "once", "ura", "uter", "ut", "ubiq", "eu")
_LETTERS_LIKE_VOWELS = frozenset("AEFHILMNORSX")
_NEEDS_THE = frozenset(
    "ocean sea river gulf states islands mountains hemisphere pole desert empire coast kingdom peninsula age ages"
    " plate belt basin reef canyon canal plains galaxy way lakes alps netherlands philippines bahamas east west midwest north"
    " south agency association department service administration commission union war wars dynasty nile amazon thames equator house".split()
)
_FIRST_OF_KIND = frozenset("same second third last only next entire whole main".split())
_ALWAYS_DEFINITE = frozenset(
    "ocean sea army navy military police outdoors countryside suburbs woods wilderness atmosphere surface internet government"
    " hemisphere weekend southwest southeast northeast northwest tundra crust mantle universe sky sun world".split()
)
_GEOGRAPHIC = frozenset(
    "bay lake river island park street valley mountains creek county city beach canyon zoo state".split()
)
_ABSTRACT = (
    "ness",
    "ism",
    "ology",
    "ography",
    "ics",
    "ship",
    "hood",
    "ction",
    "ation",
    "ition",
    "ution",
    "sion",
    "osis",
    "bility",
    "ality",
    "ivity",
)
_COUNTED_IN_TION = frozenset(
    "ability liability activity station reaction solution question nation vacation location position operation organization election"
    " election equation section fraction connection illustration explanation decision mission collision"
    " expression pension mansion session conversation celebration invention direction collection auction function"
    " condition competition exhibition tradition ambition constitution institution publication population"
    " plantation junction construction-site corporation generation television division application vision"
    " demonstration foundation attraction option notion eruption potion portion convention occupation reservation"
    " constellation combination prediction hallucination translation transformation mutation addition caption"
    " ration lotion section transaction injection infection obligation invitation relation conclusion explosion".split()
)


def with_article(text: str, phrase: Span) -> str:
    """A noun phrase with the article it needs; `phrase` is its parse where a noun stands.

    Example:
        "bank" becomes "a bank", "surface of earth" "the surface of earth", "water" stays.
    """
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
    if lower.startswith(_SILENT_H) or lower[:2] in {"8", "11", "18"} or lower.startswith("8"):
        return "an"
    if lower.startswith(_VOWEL_AS_CONSONANT) and not lower.startswith("unin"):
        return "a"
    return "an" if lower[:1] in "aeiou" else "a"


def _article(phrase: Span) -> str:
    head = _head(phrase)
    first = phrase[0]
    if len(phrase) == 1 and first.lower_ in noun_list("definite"):
        return "the"
    if (
        first.lower_ in DETERMINERS | {"how", "why", "where", "who", "whether"}
        or first.pos_ in {"DET", "PRON", "NUM", "ADV"}
        or first.tag_ == "PRP$"
    ):
        return ""
    if first.pos_ == "ADJ" and any(token.lower_ == "to" for token in phrase[:3]):
        return ""
    if not first.text[0].isalpha() or head.pos_ not in {"NOUN", "PROPN", "ADJ", "VERB", "X"}:
        return ""
    if head.lower_ in {"sun", "moon"} and len(phrase) == 1:
        return "the"
    if _is_name(head) or (first.text[:1].isupper() and head.lower_ in _GEOGRAPHIC):
        return "the" if _name_needs_the(phrase, head) and not _is_possessed(phrase, head) else ""
    if _is_possessed(phrase, head):
        return _before_owner(phrase)
    return _common(phrase, head)


def _head(phrase: Span) -> Token:
    """The last word before "of", a preposition or a comma: the head, whatever the parse says of it."""
    for token in phrase[1:]:
        if token.pos_ in {"ADP", "SCONJ", "PUNCT", "CCONJ"} or token.tag_ in {"WDT", "WP", "TO", "VBG", "VBN"}:
            previous = phrase.doc[token.i - 1]
            if previous.pos_ in {"NOUN", "PROPN"}:
                return previous
    return phrase[-1]


def _is_name(head: Token) -> bool:
    return head.text[:1].isupper()


def _name_needs_the(phrase: Span, head: Token) -> bool:
    return (
        head.lower_ in _NEEDS_THE
        and (len(phrase) > 1 or head.lower_ in noun_list("definite"))
        or (head.lower_ in noun_list("definite") or (head.i + 1 < phrase.end and head.nbor().lower_ == "of"))
    )


def _is_possessed(phrase: Span, head: Token) -> bool:
    return any(token.tag_ == "POS" for token in phrase.doc[phrase.start : head.i])


def _before_owner(phrase: Span) -> str:
    """The article before "friend's house", none before "Earth's surface" or "people's homes"."""
    owner = next(token for token in phrase if token.tag_ == "POS").nbor(-1)
    if owner.lower_ in {"sun", "moon"}:
        return "the"
    if owner.text[:1].isupper() or owner.lower_ in {"people", "children", "men", "women"} or is_plural_noun(owner.text):
        return ""
    if owner.lower_ in noun_list("definite") or owner.lower_ in {"doctor", "dentist"}:
        return "the"
    return indefinite(phrase.text)


def _common(phrase: Span, head: Token) -> str:
    word = head.lower_
    if any(
        token.tag_ in {"JJS", "RBS"} or token.lower_ in _FIRST_OF_KIND for token in phrase.doc[phrase.start : head.i]
    ):
        return "the"
    if head.i + 1 < phrase.end and head.nbor().lower_ == "of":
        return _before_of(phrase, head)
    if _is_definite(phrase, head):
        return "the"
    return "" if _is_uncounted(head) else indefinite(phrase.text)


def _is_definite(phrase: Span, head: Token) -> bool:
    """A noun that there is one of; rooms and organs only where nothing describes them."""
    if head.i == phrase.start:
        return head.lower_ in noun_list("definite")
    return head.lower_ in _ALWAYS_DEFINITE or _hyphened(phrase, head) in noun_list("definite")


def _before_of(phrase: Span, head: Token) -> str:
    if _is_plural(head):
        return ""
    return indefinite(phrase.text) if head.lower_ in noun_list("measure") else "the"


def _hyphened(phrase: Span, head: Token) -> str:
    before = head.nbor(-1) if head.i > phrase.start else head
    return f"{before.lower_}-{head.lower_}"


def _is_plural(head: Token) -> bool:
    return is_plural_noun(head.text) or head.tag_ in {"NNS", "NNPS"}


def _is_no_noun(word: str) -> bool:
    """The dictionary knows the word, and not as a noun; a word it does not know counts as one."""
    found = parts_of_speech(word)
    return bool(found and "NOUN" not in found) or not word.isalpha()


def _is_uncounted(head: Token) -> bool:
    word = head.lower_
    if word in noun_list("alone"):
        return head.i == 0 or not head.nbor(-1).pos_ in {"NOUN", "ADJ", "PROPN"}
    if _is_plural(head) or word in noun_list("mass") or _is_no_noun(word):
        return True
    if word == "time" and head.i and head.nbor(-1).pos_ in {"NOUN", "ADJ"}:
        return head.nbor(-1).pos_ == "NOUN"
    if word.endswith("ing") and word not in NOUNS_IN_ING:
        return True
    return word.endswith(_ABSTRACT) and word not in _COUNTED_IN_TION

"""Normalises texts into statements: sentence case, capitals of names, checks for cleanness, and word forms."""

import re
import unicodedata
from functools import cache, lru_cache

from situatedgen.resources import read_lines
from situatedgen.rules.places import common_words, land_names, place_names
from situatedgen.rules.spans import Phrase, PhraseBook, find_phrases, phrase_book

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
# English words that are months or places only in certain contexts.
_MONTH_OR_WORD = frozenset({"march", "may", "august"})
_PLACE_OR_WORD = frozenset({"buffalo", "chile", "china", "mobile", "phoenix", "savannah", "turkey"})
_GUARDED = _MONTH_OR_WORD | _PLACE_OR_WORD

_BEFORE_MONTH = re.compile(
    r"\b(?:in|of|since|until|till|during|by|through|between|early|late|mid|last|next|every)[ -]$", re.I
)
_AFTER_DAY = re.compile(r"(?:\d{1,2}(?:st|nd|rd|th)?|first) (?:of )?$", re.I)
_BEFORE_DAY = re.compile(r" (?:the )?\d")
_BEFORE_PLACE = re.compile(r"\b(?:in|near) $", re.I)
_AT_END = re.compile(r"\s*(?:$|[.,;:?!]|(?:and|or|to|through|at|in|on|is|was|by|for|when|where|during)\b)")


def true_case(text: str) -> str:
    """Capitalise names of places, peoples, months, weekdays and holidays; nothing is lowered.

    A word that is also a common one ("turkey", "china", "march", "may") is capitalised only if the words around it call
    for the name. The text keeps its length.

    Example:
        >>> true_case("the united states in july")
        'the United States in July'
        >>> true_case("roast turkey")
        'roast turkey'
    """
    if text.isupper():
        return text
    letters = list(text)
    for phrase in find_phrases(text, _capital_names()):
        if _is_name(text, phrase):
            letters[phrase.start : phrase.end] = _with_capitals(text[phrase.start : phrase.end], phrase.form)
    return "".join(letters)


def is_month(text: str, start: int, end: int) -> bool:
    """Whether "march", "may" or "august" at these offsets is the month, judging by the words around it."""
    before, after = text[:start], text[end:]
    if _BEFORE_DAY.match(after) or _AFTER_DAY.search(before):
        return True
    return bool(_BEFORE_MONTH.search(before) and _AT_END.match(after))


@cache
def _capital_names() -> PhraseBook:
    """Every name that is written with a capital, except common words."""
    lists = (
        *land_names(),
        *read_lines("peoples.txt"),
        *read_lines("festivals.txt"),
        *read_lines("events.txt"),
        *place_names(),
    )
    names = (name for name in lists if name.lower() not in common_words() - _GUARDED)
    return phrase_book((*WEEKDAYS, *MONTHS, *names))


def _is_name(text: str, phrase: Phrase) -> bool:
    """Whether an ambiguous word is used as a name; always true for other words."""
    word = phrase.form.lower()
    if word in _MONTH_OR_WORD:
        return is_month(text, phrase.start, phrase.end)
    if word in _PLACE_OR_WORD:
        before, after = text[: phrase.start], text[phrase.end :]
        return bool(_BEFORE_PLACE.search(before) and _AT_END.match(after))
    return True


def _with_capitals(written: str, form: str) -> str:
    pairs = zip(written, form, strict=True)
    return "".join(letter.upper() if capital.isupper() else letter for letter, capital in pairs)


_PAIRS = {'"': '"', "“": "”", "'": "'", "‘": "’", "«": "»"}
_ENDS = (".", "!", "?")
_OWN_CAPITAL = re.compile(r"[a-z][A-Z]")
_WORD = re.compile(r"[^\W_]")


def tidy_sentence(text: str) -> str:
    """The text as a statement: trimmed, unquoted, with single spaces, a capital and a final period.

    Everything else is unchanged, including a word with its own capitals ("iPhone"); a text without a word becomes
    empty.

    Example:
        >>> tidy_sentence(' "the sun rises in the  east" ')
        'The sun rises in the east.'
    """
    bare = _unquote(" ".join(text.split()))
    if not _WORD.search(bare):
        return ""
    raised = bare if _OWN_CAPITAL.match(bare) else bare[0].upper() + bare[1:]
    return raised if _is_ended(raised) else raised + "."


def _unquote(text: str) -> str:
    """Remove quotes that enclose the whole text and do not occur inside it."""
    while len(text) > 1 and _PAIRS.get(text[0]) == text[-1] and not _has_inner_quote(text):
        text = text[1:-1].strip()
    return text


def _has_inner_quote(text: str) -> bool:
    middle = text[1:-1]
    if text[0] == "'":
        return bool(re.search(r"(?:^|\s)'|'(?:\s|$)", middle))
    return text[0] in middle or text[-1] in middle


def _is_ended(text: str) -> bool:
    return text.rstrip("\"'”’»)").endswith(_ENDS)


MIN_WORDS = 3
MIN_LETTERS = 3
ABBREVIATIONS = frozenset({
    "approx", "apr", "aug", "blvd", "capt", "col", "corp", "dec", "dept", "est", "feb", "gen", "gov", "hon",
    "inc", "jan", "ltd", "mar", "mrs", "nov", "oct", "prof", "rep", "rev", "sen", "sep", "sept", "sgt", "sir",
    "univ", "vol",
})  # fmt: skip
_BREAK = re.compile(r"([^\W\d_]+) ?\.[\"'”’)]* +[\"'“‘(]*[A-Z]")
_ELLIPSIS = re.compile(r"\.\.|…")


def is_clean(text: str) -> bool:
    """Whether a text can be one statement: enough words, some letters, one sentence, no question.

    Example:
        >>> is_clean("Red vs. Blue premiered in 2003.")
        True
        >>> is_clean("Bruce Lee taught martial arts. He opened a school.")
        False
    """
    has_letters = any(letter.isalpha() for letter in text)
    return has_letters and len(text.split()) >= MIN_WORDS and not _asks(text) and not _goes_on(text)


def _asks(text: str) -> bool:
    return text.rstrip("\"'”’»)").endswith("?")


def _goes_on(text: str) -> bool:
    """Whether the text contains a second sentence, or an ellipsis."""
    if "." not in text[:-1]:  # fast path for most texts
        return "…" in text
    return bool(_ELLIPSIS.search(text)) or any(map(_ends_sentence, _BREAK.findall(text)))


def _ends_sentence(word: str) -> bool:
    """Whether a period after this word ends a sentence, unlike one after initials or "vs."."""
    return len(word) >= MIN_LETTERS and word.lower() not in ABBREVIATIONS


# First match wins. Maps singular and plural to one form, which need not be a word.
ENDINGS = (
    ("ies", "y"), ("ie", "y"), ("ches", "ch"), ("che", "ch"), ("shes", "sh"), ("she", "sh"), ("xes", "x"),
    ("xe", "x"), ("ses", "s"), ("se", "s"), ("zzes", "zz"), ("oes", "o"), ("oe", "o"),
    ("ss", "ss"), ("us", "us"), ("is", "is"), ("s", ""),
)  # fmt: skip
ARTICLES = frozenset({"a", "an", "the"})
INITIALS = re.compile(r"\b(?:\w\.){2,}")
WORD = re.compile(r"\w+(?:['’]\w+)*")
POSSESSIVE = re.compile(r"['’]s$")


def word_forms(text: str) -> str:
    """The words of a text without case, plural and possessive, with a space before and after each.

    Example:
        >>> word_forms("Japan's islands, and the U.S.")
        ' japan island and the u '
    """
    if text.isascii() and text.isalpha():  # fast path for a single word, as most keywords are
        return f" {word_form(text.lower())} "
    plain = unicodedata.normalize("NFKC", text).casefold()
    plain = INITIALS.sub(lambda initials: initials.group().replace(".", ""), plain)
    return " ".join(["", *map(word_form, WORD.findall(plain)), ""])


# Cached: words recur in every statement, and computing a form takes 20 times as long as looking it up.
@lru_cache(maxsize=1 << 16)
def word_form(word: str) -> str:
    """The common form of a lower-case word and its singular, plural and possessive.

    Example:
        >>> word_form("countries"), word_form("country's")
        ('country', 'country')
    """
    bare = POSSESSIVE.sub("", word)
    if not bare.endswith(("s", "e")):  # every ending does
        return bare
    for ending, replacement in ENDINGS:
        if bare.endswith(ending) and len(bare) > len(ending):
            return bare.removesuffix(ending) + replacement
    return bare


def name_form(name: str) -> str:
    """The common form of a name and its variants, as `word_forms` writes it, without its article.

    Empty if the name is only an article.

    Example:
        >>> name_form("the United States")
        ' united state '
    """
    words = word_forms(name).split()
    bare = words[1:] if words and words[0] in ARTICLES else words
    return f" {' '.join(bare)} " if bare else ""

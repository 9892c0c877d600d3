"""Whether a text can be a statement at all."""

import re

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
    """Whether a text may be one statement: words enough, letters among them, one sentence, no question.

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
    """Whether a second sentence, or an ellipsis in place of words, stands in the text."""
    if "." not in text[:-1]:  # most texts, and quickly told
        return "…" in text
    return bool(_ELLIPSIS.search(text)) or any(map(_ends_sentence, _BREAK.findall(text)))


def _ends_sentence(word: str) -> bool:
    """Whether a period after this word ends a sentence: initials and "vs." are too short to."""
    return len(word) >= MIN_LETTERS and word.lower() not in ABBREVIATIONS

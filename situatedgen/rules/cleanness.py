"""Whether a text can be a statement at all."""

import re

MIN_WORDS = 3
ABBREVIATIONS = ("approx", "capt", "corp", "dept", "prof")
_NOT_SHORT = "".join(rf"(?<!\b{word})" for word in ABBREVIATIONS)
# A period after a whole word and before a capital: three letters keep "vs." and "Dr." out of it.
_NEXT_SENTENCE = re.compile(rf"(?:[a-z]{{3}}|[A-Z]{{4}}){_NOT_SHORT} ?\.[\"'”’)]* +[\"'“‘(]*[A-Z]")
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
    return bool(_NEXT_SENTENCE.search(text) or _ELLIPSIS.search(text))

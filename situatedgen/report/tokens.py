"""How many tokens a sentence has, counted as the paper did: as NLTK's word tokenizer cuts it.

Importing NLTK takes as long as the rest of a small build. What ordinary sentences hold is counted here; a sentence
with anything else is left to NLTK.
"""

import re
from functools import cache
from typing import Protocol

_UNUSUAL = re.compile(
    r"""[^A-Za-z0-9À-ÖØ-öø-ɏḀ-ỿ ,:;.?!@#$%&*()\[\]{}<>"'«»“”‘’„‒–—―/+=-]"""
    r"""|[,:]{2}|--|""|'\w*'|\w'(?:n|ye|tis|twas)|'t(?:is|was)|[ (\[{<]"[^\w]*$|\.\.[^\w]*.""",
    re.I,
)
_ALONE = re.compile(r"[;@#$%&*?!()\[\]{}<>\"«»“”‘’„‒–—―]|[,:](?!\d)|\.{2,}")
_LAST_STOP = re.compile(r"(?<!\.)\.(?=[\])}>\"'»”’ ]*$)")
_OPENING = re.compile(r"(?<!\w)'(?=\w)(?!(?:[mtsdn]|re|ve|ll)\b)", re.I)
_CLITIC = re.compile(r"(?<=[^' ])(?='(?:[smd]?|ll|LL|re|RE|ve|VE|[SMD]) )|(?<=[^' ])(?=n't |N'T )")
_TWO_WORDS = re.compile(r"\b(?:cannot|gimme|gonna|gotta|lemme)\b|\bwanna(?=\s)", re.I)
# What each of these holds is looked for first: it is found, or not, in a tenth of the time.
_MAY_BE_TWO = re.compile(r"nn|mm|tt", re.I)


class _Tokenizer(Protocol):
    def tokenize(self, text: str) -> list[str]: ...


def token_count(sentence: str) -> int:
    """The number of words and punctuation marks of one sentence.

    Example:
        >>> token_count("July isn't summer in Australia, it's winter.")
        11
    """
    if _UNUSUAL.search(sentence):
        return len(_nltk().tokenize(sentence))
    opened = _OPENING.sub("' ", sentence) if "'" in sentence else sentence
    apart = _ALONE.sub(r" \g<0> ", _LAST_STOP.sub(" . ", opened)).split()
    if "'" not in sentence and not _MAY_BE_TWO.search(sentence):
        return len(apart)
    spaced = " ".join(["", *apart, ""])
    return len(_TWO_WORDS.sub(" two words ", _CLITIC.sub(" ", spaced)).split())


@cache
def _nltk() -> _Tokenizer:
    from nltk.tokenize.destructive import NLTKWordTokenizer  # noqa: PLC0415

    tokenizer: _Tokenizer = NLTKWordTokenizer()
    return tokenizer

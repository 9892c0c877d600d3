"""Tokenizer of the standard caption metrics: Stanford's PTB (CoreNLP 3.4.1), lower-cased, without punctuation."""

import re
from collections.abc import Sequence

from situatedgen.resources import read_lines

# Tokens that pycocoevalcap drops. Its list has the brackets in upper case, but tokens are lower-cased by then, so
# `-lrb-` stays.
DROPPED = frozenset(["''", "'", "``", "`", ".", "?", "!", ",", ":", "-", "--", "...", ";"])
NORMAL = {
    "(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-",
    "£": "#", "€": "$", "¢": "cents", "½": "1/2", "¼": "1/4", "¾": "3/4", "⅓": "1/3", "⅔": "2/3",
    "“": "``", "”": "''", '"': "''", "«": "``", "»": "''", "‘": "`", "’": "'", "–": "--", "—": "--", "…": "...",
    "‐": "-", "&amp;": "&", "&lt;": "<", "&gt;": ">",
}  # fmt: skip

_LETTER = r"[^\W\d_\u00aa\u00ba]"
_ALNUM = r"[^\W_\u00aa\u00b2\u00b3\u00b9\u00ba\u00bc-\u00be\u2070-\u209f]"
_INITIALS = r"(?:[A-Za-z]\.)+"
_HYPHENED = rf"(?:-{_ALNUM}+)"
_STARTERS = "|".join(f"{word}|{word.upper()}" for word in read_lines("ptb_starters.txt"))


def _any_of(name: str) -> str:
    return rf"(?:{'|'.join(read_lines(name))})\."


_PATTERN = re.compile(
    "|".join(
        (
            r"\n",
            r"</?[A-Za-z!][^<>\n]*>|&(?:amp|lt|gt);|-[LRlr][RCSrcs][Bb]-|(?<!\S)[:;=]-?[()]",
            r"(?:https?|ftp)://[^\s\"<>|()]*[^\s\"<>|(),.?!;:'-]",
            rf"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{{2,}}|@[A-Za-z]\w*|#{_LETTER}+",
            r"(?i:can(?=not\b)|(?:gon|wan)(?=na\b)|got(?=ta\b)|(?:gim|lem)(?=me\b)|['’]t(?=(?:is|was)\b))",
            rf"{_LETTER}+?(?=[nN]['’][tT]\b)|[nN]['’][tT]\b",
            r"(?i:['’](?:s|m|d|re|ve|ll|em|cause|till?|n\b['’]?)(?!\w))|['’]\d\d(?:s\b|(?=[\s.,;?!]|$))",
            rf"(?:[cdloCDLO]|[qQ]u|[bB](?=['’]nei))['’]{_LETTER}+{_HYPHENED}*|(?i:ma['’]am\b)",
            rf"{_LETTER}*[aeiouAEIOU]['’](?!(?i:[smd]|[rv]e|ll)\b)[aeiou]{_LETTER}*",
            rf"\b(?:(?i:{_any_of('ptb_abbreviations.txt')})|{_any_of('ptb_state_names.txt')}){_HYPHENED}*(?!\w)",
            r"\b(?i:art|ca|figs?|nos?|op|pp|prop)\.(?=\s*\d)|\b(?i:ph\.d\.?)(?!\w)",
            rf"{_LETTER}{_ALNUM}*\.(?=[,;:])",
            rf"{_LETTER}{_ALNUM}*(?:[.!?]{_LETTER}{_ALNUM}+)+(?![.]\w)",
            rf"\b[A-Za-z](?=\.\s+(?:{_STARTERS})\b)",
            rf"(?:{_ALNUM}+-)?{_INITIALS}(?:{_LETTER}{_ALNUM}*)?{_HYPHENED}*",
            r"\d{1,4}[- ]\d{1,4}/\d{1,4}(?![\w/])",
            r"[A-Z]{1,2}\$|C\+\+|[CF]#|[A-Z]+(?:&[A-Z]+)+",
            rf"\d+(?:[.,:]\d+)+{_HYPHENED}+",
            rf"{_ALNUM}+(?:[-/_]{_ALNUM}+)+",
            r"[-+]?(?:\d+(?:[.,:]\d+)+|\.\d+)|[-+]\d+",
            rf"{_ALNUM}+",
            r"[?!]{2,}|_{2,}|[.]{2,}|-{2,}",
            r"[^\s\u0000-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]",
        )
    )
)


def captions(texts: Sequence[str]) -> list[str]:
    """Tokenise texts; the tokens of each are joined by spaces.

    All texts are tokenised in one pass, as in pycocoevalcap, where the first word of the next text determines whether
    a single letter at the end of a text ("vitamin C.") keeps its period.
    """
    joined = "\n".join(" ".join(text.split()) for text in texts)
    lines = " ".join(_normalise(word) for word in _PATTERN.findall(joined)).split("\n")
    return [" ".join(word for word in line.split(" ") if word and word not in DROPPED) for line in lines]


def _normalise(found: str) -> str:
    if found in NORMAL:
        return NORMAL[found]
    if found[0] in ".-" and not found.strip(".-"):
        return "."
    lowered = found.lower()
    return lowered.replace("’", "'") if lowered[0] in "’n" and "’" in lowered else lowered.replace(" ", "\xa0")

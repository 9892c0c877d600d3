"""Words as the standard caption metrics see them: Stanford's tokenizer (CoreNLP 3.4.1), lower case, no punctuation."""

import re
from collections.abc import Sequence

from situatedgen.resources import read_lines

# What pycocoevalcap leaves out after tokenising. It lists the brackets in capitals, but by then the tokens are in
# lower case, so that `-lrb-` stays.
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


def _short(name: str) -> str:
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
            rf"\b(?:(?i:{_short('ptb_abbreviations.txt')})|{_short('ptb_state_names.txt')}){_HYPHENED}*(?!\w)",
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
    """Each text as its words, joined by spaces.

    All are read in one go, as pycocoevalcap does: there, whether a single letter at the end of a text keeps its
    period ("vitamin C.") depends on the word that opens the next text.
    """
    joined = "\n".join(" ".join(text.split()) for text in texts)
    lines = " ".join(_normal(word) for word in _PATTERN.findall(joined)).split("\n")
    return [" ".join(word for word in line.split(" ") if word and word not in DROPPED) for line in lines]


def _normal(found: str) -> str:
    if found in NORMAL:
        return NORMAL[found]
    if found[0] in ".-" and not found.strip(".-"):
        return "."
    lowered = found.lower()
    return lowered.replace("’", "'") if lowered[0] in "’n" and "’" in lowered else lowered.replace(" ", "\xa0")

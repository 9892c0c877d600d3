"""A sentence in the making: its text, the shape that made it, and how sure that is."""

import re
from dataclasses import dataclass, replace

from situatedgen.rules.choice.articles import KIN, indefinite
from situatedgen.rules.choice.lexicon import is_known
from situatedgen.rules.choice.sureness import sureness

_DOUBLED = re.compile(r"\b(in|on|at|to|of|for|from|with|by|a|an|the|into|as|about) \1\b", re.I)
_TWO_ARTICLES = re.compile(r"\b(a|an|the) (?:a|an|the) (?=\w)", re.I)
_ARTICLE = re.compile(r"(?:\ba|\ban|^An?|(?<=[.“] )An?) (?=([\w\"'“]+))")
_SHOUTED = re.compile(r"\bNOT\b|\b[A-Z]{4,}\b")
_ACRONYMS = frozenset({"AIDS", "NASA", "LASER", "SCUBA"})
_OWNERS = {
    "your": "you your you're",
    "my": "i my",
    "our": "we our",
    "his": "he his",
    "her": "she",
    "its": "it its",
    "their": "someone somebody everyone people person they their children kids students parents",
}
_OWNER_OF = {word: owner for owner, group in _OWNERS.items() for word in group.split()}
_ONES = re.compile(
    r"\bone's(?= (?:own|mouth|head|eyes?|hands?|teeth|face|nose|arms?|legs?|heart|feet|foot|lips|mind|breath|hair"
    rf"|(?:{'|'.join(sorted(KIN))})['’]s)\b)"
)
_ANY_WORD = re.compile(r"[A-Za-z]+(?:'re)?")
_SPACE_BEFORE_MARK = re.compile(r" +(?=[,.;:?!])")
_MARKS_MET = re.compile(r",(?:\s*,)+|,\s*(?=[.;])")
_NO_SPACE_BEFORE = frozenset(",.;:?!'’\"”")


@dataclass(frozen=True, slots=True)
class Draft:
    """A draft of a statement, without its final mark; `doubt` is what doubts have left of its shape's sureness."""

    text: str
    shape: str
    doubt: float = 1.0

    @property
    def confidence(self) -> float:
        """How sure the draft is, from 0 to 1."""
        return sureness(self.shape) * self.doubt

    def doubted(self, factor: float) -> "Draft":
        """The draft, less sure."""
        return replace(self, doubt=self.doubt * factor)


def splice(text: str, start: int, end: int, words: str) -> str:
    """The text with the words in place of what stands between two offsets, single spaces around them.

    Example:
        >>> splice("He is here.", 6, 10, "there")
        'He is there.'
    """
    before, after = text[:start].rstrip(), text[end:].lstrip()
    glue = "" if not after or after[0] in _NO_SPACE_BEFORE else " "
    return f"{before} {words}{glue}{after}".strip()


def smooth(text: str) -> str:
    """The text with "a" and "an" by sound, no word in capitals for stress, and none doubled where phrases met.

    Example:
        >>> smooth("Light passes through a a apple , .")
        'Light passes through an apple.'
    """
    text = _owned(_DOUBLED.sub(r"\1", re.sub(r"\s+", " ", text)))
    text = _SHOUTED.sub(_spoken, text)
    text = _ARTICLE.sub(_by_sound, _TWO_ARTICLES.sub(r"\1 ", text))
    return _MARKS_MET.sub(_single, _SPACE_BEFORE_MARK.sub("", text))


def _owned(text: str) -> str:
    """The text with "one's own" and "one's head" said of whom it speaks: "your own" after "you"."""
    found = _ONES.search(text)
    if found is None or re.search(r"\bone\b(?!['’])", text):
        return text
    before = [_OWNER_OF[word] for word in _lowered(text[: found.start()]) if word in _OWNER_OF]
    after = [_OWNER_OF[word] for word in _lowered(text[found.end() :]) if word in _OWNER_OF and word != "it"]
    return _ONES.sub([*after[:1], *before][-1] if before or after else "one's", text)


def _lowered(text: str) -> list[str]:
    return [word.lower() for word in _ANY_WORD.findall(text)]


def _spoken(match: re.Match[str]) -> str:
    """A word in capitals that the dictionary knows, in small letters; names of letters stay."""
    word = match[0].lower()
    return word if is_known(word) and match[0] not in _ACRONYMS else match[0]


def _by_sound(match: re.Match[str]) -> str:
    if match[1][:1].isupper() and len(match[1]) == 1:
        return match[0]
    return f"{match[0][0]}{indefinite(match[1])[1:]} "


def _single(match: re.Match[str]) -> str:
    return "," if match[0].count(",") > 1 else ""

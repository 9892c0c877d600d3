"""The stem of a question: its last sentence, and the sentences before it."""

import re
from dataclasses import dataclass

from situatedgen.rules.clauses.auxiliaries import auxiliary
from situatedgen.rules.clauses.morphology import may_be_base
from situatedgen.rules.clauses.sentences import split_sentences
from situatedgen.rules.clauses.tidying import spaced

_NO_SPACE = re.compile(r"(?<=[a-z]{2}[.?!])(?=[A-Z][a-z])")
_TAIL = re.compile(r"(?<=\?)[\s.?/A-Z]+$")
_DEGREES = re.compile(r"(?<=°[CF]\.)\s+(?=[A-Z])")
_SLASH = re.compile(r"/$")
_SLIPS = (
    (re.compile(r"\bwhats\b(?= (?:the|a|an|your|it|is)\b)", re.I), "what's"),
    (re.compile(r"\bwheres\b", re.I), "where's"),
    (re.compile(r"\bwhats(?=\?|$)|(?<=\bthe )whats\b", re.I), "what"),
    (re.compile(r"[`´]"), "'"),
    (re.compile(r"(?<![\w.'’-])i(?![\w.'’-])"), "I"),
    (re.compile(r"\bim\b(?= [a-z])"), "I'm"),
    (
        re.compile(
            r"((?:^|, )(?:what|where|why|how|when)) to (?=(?:people|you|they|we|most|kids|humans|living)\b)", re.I
        ),
        r"\1 do ",
    ),
    (re.compile(r"\b(might|could|would|should) have (he|she|they|it|you|[A-Z][a-z]+) been\b"), r"\1 \2 have been"),
    (re.compile(r"\bdoes (?=[^,?]+ likely to\b)"), "is "),
)


_UNINVERTED = re.compile(
    r"^(?P<lead>(?:(?!\b(?:what|which|who|how|why|where)\b).)*(?:^|, ))(?P<word>what|where|why|how)"
    r" (?P<who>you|he|she|they|we|I) (?P<verb>[a-z]+) (?P<rest>(?:(?!\b(?:what|which|who|how|why|where)\b).)+\?)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Stem:
    """A stem's last sentence and what stands before it."""

    text: str
    context: tuple[str, ...]

    @property
    def asks(self) -> bool:
        """The sentence ends in a question mark."""
        return self.text.endswith("?")


def read_stem(question: str) -> Stem:
    """The stem of a question, spaced and with its question mark at the end.

    Example:
        >>> read_stem("Bo ran.  Where might he be?.").text
        'Where might he be?'
    """
    text = _SLASH.sub("?", _TAIL.sub("", spaced(_NO_SPACE.sub(" ", question))))
    for slip, form in _SLIPS:
        text = slip.sub(form, text)
    *context, last = [piece for part in split_sentences(text) for piece in _DEGREES.split(part)] or [""]
    return Stem(_UNINVERTED.sub(_inverted, last), tuple(context))


def _inverted(match: re.Match[str]) -> str:
    """A question in the order of a statement, in its own: "what you expect …" as "what do you expect …"."""
    lead, word, who, verb, rest = (match[name] for name in ("lead", "word", "who", "verb", "rest"))
    if auxiliary(verb) is not None:
        return f"{lead}{word} {verb} {who} {rest}"
    if not may_be_base(verb) or verb.endswith("ing"):
        return match[0]
    return f"{lead}{word} {'does' if who in {'he', 'she'} else 'do'} {who} {verb} {rest}"

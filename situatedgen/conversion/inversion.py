"""Undoes the inversion of a question: "Is ice cold?" becomes "Ice is cold"."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from situatedgen.conversion.lexicon import ABBREVIATIONS
from situatedgen.conversion.morphology import Auxiliary, AuxiliaryKind, auxiliary, inflect, negate_auxiliary
from situatedgen.conversion.scoring import End, Layout, ends, hints, score
from situatedgen.records import Span

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.conversion.parsing import Parsing

_SPACES = re.compile(r"\s+")
_BEFORE_MARK = re.compile(r" +([,.;:!?])(?=\s|$)")
_TRAILING = re.compile(r"[\s?.!,;:]+$")
_ABBREVIATION = re.compile(r"(?:\b[A-Za-z](?:\.[A-Za-z])*|\b(?:Jr|Sr|Dr|Mr|Mrs|Ms|St|Inc|Co|Ltd|etc|vs))\.$")


_DOUBLED = re.compile(r"\b(the|a|an|in|on|of|to|at|be|for|and|from|with) \1\b", re.IGNORECASE)


def drop_doubled_words(text: str) -> str:
    """The text without small words that were typed twice in a row.

    Example:
        >>> drop_doubled_words("the leaves in in September")
        'the leaves in September'
    """
    return _DOUBLED.sub(r"\1", text)


def normalise_spaces(text: str) -> str:
    """The text with single spaces, and none before punctuation."""
    return _BEFORE_MARK.sub(r"\1", _SPACES.sub(" ", text)).strip()


def strip_final_mark(text: str) -> str:
    """The text without its final punctuation; the period of an abbreviation stays.

    Example:
        >>> strip_final_mark("Did he live in the U.S.?")
        'Did he live in the U.S.'
    """
    bare = _TRAILING.sub("", text)
    return bare + "." if _ABBREVIATION.search(text[: len(bare) + 1]) else bare


def capitalise_first(text: str) -> str:
    """The text with its first letter capitalised, unless the first word has its own capitals ("iPhone").

    Example:
        >>> capitalise_first('"war and peace" is long')
        '"War and peace" is long'
    """
    start = next((index for index, letter in enumerate(text) if letter.isalnum()), len(text))
    word = text[start:].split(" ", 1)[0]
    if re.match(r"[a-z][A-Z]", word):
        return text
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]


def sentence(text: str) -> str:
    """The text as a sentence: spaced, capitalised, and with a period unless it has a final mark."""
    whole = capitalise_first(normalise_spaces(text))
    return whole if whole.endswith((".", "!", "?")) else whole + "."


_BREAK = re.compile(r"(?<=[.?!])[\"'”’)]?\s+(?=[\"'“‘(]?[A-Z0-9])")
_INITIALS = re.compile(r"[A-Z](?:\.[A-Z])*")
_LAST_WORD = re.compile(r"([\w.]+)[.]$")


def split_sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, trimmed; a period after an abbreviation or an initial does not end one.

    Example:
        >>> split_sentences("Dr. Seuss wrote it. Is it long?")
        ('Dr. Seuss wrote it.', 'Is it long?')
    """
    pieces: list[str] = []
    start = 0
    for match in _BREAK.finditer(text):
        if _ends_sentence(text[start : match.start()]):
            pieces.append(text[start : match.end()].strip())
            start = match.end()
    return tuple(piece for piece in [*pieces, text[start:].strip()] if piece)


def _ends_sentence(piece: str) -> bool:
    word = _LAST_WORD.search(piece)
    if word is None:
        return True
    last = word.group(1)
    return last.lower() not in ABBREVIATIONS and not _INITIALS.fullmatch(last)


BEFORE_NOT = frozenset({"allegedly", "certainly", "definitely", "possibly", "probably"})
"""Adverbs that precede a negated auxiliary."""

_NEGATIONS = frozenset({"not", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Predicate:
    """The words after a subject: `before` the finite verb, that verb, those `between`, and the main verb.

    `verb` is empty if the finite verb is the main verb.
    """

    before: str
    finite: str
    between: str
    verb: str
    negative: bool


@dataclass(frozen=True, slots=True)
class _Polarity:
    adverbs: tuple[str, ...]
    negation: str


def predicate(moved: Auxiliary, adverbs: Sequence[str], verb: str, *, negative: bool) -> Predicate:
    """The predicate made of an auxiliary, the adverbs after its subject and the verb after those.

    Do-support stays only under a plain "not". "ever" is dropped, or becomes "sometimes" in the present and "never"
    under negation.

    Example:
        >>> from situatedgen.conversion.morphology import AUXILIARIES
        >>> predicate(AUXILIARIES["did"], ["ever"], "see", negative=False).finite
        'saw'
    """
    present = moved.kind in {AuxiliaryKind.BE, AuxiliaryKind.DO} and moved.tag != "VBD"
    polarity = _polarity(adverbs, negative=negative, ever="sometimes" if present else "")
    if moved.kind is AuxiliaryKind.DO and polarity.negation != "not":
        before = " ".join(filter(None, [polarity.negation, *polarity.adverbs]))
        return Predicate(before, inflect(verb, moved.tag), "", "", bool(polarity.negation))
    plain = polarity.negation == "not"
    ahead = [adverb for adverb in polarity.adverbs if plain and adverb.lower() in BEFORE_NOT]
    after = [adverb for adverb in polarity.adverbs if adverb not in ahead]
    between = " ".join(filter(None, ["" if plain else polarity.negation, *after]))
    finite = negate_auxiliary(moved.form) if plain else moved.form
    return Predicate(" ".join(ahead), finite, between, verb, bool(polarity.negation))


def _polarity(adverbs: Sequence[str], *, negative: bool, ever: str) -> _Polarity:
    lower = [adverb.lower() for adverb in adverbs]
    negative = negative != any(word in _NEGATIONS or word == "never" for word in lower)
    dropped = _NEGATIONS | ({"ever", "never", "still"} if negative else {"never"})
    kept = [adverb for adverb, word in zip(adverbs, lower, strict=True) if word not in dropped]
    if not negative:
        stated = (ever if adverb.lower() == "ever" else adverb for adverb in kept)
        return _Polarity(tuple(filter(None, stated)), "")
    if "ever" in lower or "never" in lower:
        return _Polarity(tuple(kept), "never")
    return _Polarity(tuple(kept), "no longer" if "still" in lower else "not")


ALONE = 10.0
"""The margin of a declarative that has no competitor."""


@dataclass(frozen=True, slots=True)
class Declarative:
    """A clause in statement order, without a final mark; spans are offsets into `text`.

    `finite` is where the auxiliary went: it covers the auxiliary with its negation or, without do-support, the
    inflected verb. `verb` is the main verb (if "be" is the main verb: the form of be). `turned` is true if the polarity
    was reversed, `hints` are features of this subject end in the parse of the inverted clause.
    """

    text: str
    subject: Span
    finite: Span
    verb: Span
    auxiliary: Auxiliary
    end: End
    negative: bool
    turned: bool
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScoredDeclarative:
    """A declarative with its parse as a sentence, its score, and its lead over the second best.

    `clause` is the parse of the inverted clause it comes from. `probability` is its share among all plausible ones, 1
    if there was no other. Offsets into `declarative.text` are also valid in `doc`, where only the first letter is
    capitalised and a period added.
    """

    declarative: Declarative
    clause: Doc
    doc: Doc
    score: float
    margin: float
    probability: float

    @property
    def text(self) -> str:
        """The text of the declarative."""
        return self.declarative.text

    def opposite(self) -> Declarative:
        """The same declarative with the opposite polarity, to which the parse does not apply."""
        found = self.declarative
        return _declarative(self.clause, found.auxiliary, found.end, turned=not found.turned)


def declare(clause_text: str, *, negative: bool = False, gapped: bool = False) -> Parsing[ScoredDeclarative | None]:
    """The best declarative of an inverted clause; None if there is none.

    A clause is `gapped` if a wh-phrase was removed from it ("is the capital of France"), so that nothing need follow
    the subject.

    Example:
        declare("Does Guam have a state capital?", negative=True) makes "Guam does not have a state capital".
    """
    bare = strip_final_mark(normalise_spaces(clause_text))
    if not bare:
        return None
    (clause,) = yield [bare]
    found = declaratives(clause, negative=negative, gapped=gapped)
    if not found:
        return None
    docs = yield [as_sentence(declarative.text) for declarative in found]
    return best(clause, found, docs)


def as_sentence(text: str) -> str:
    """The text as it is parsed: capitalised and with a period, all offsets unchanged."""
    return capitalise_first(text) + ("" if text.endswith(".") else ".")


def declaratives(clause: Doc, *, negative: bool = False, gapped: bool = False) -> list[Declarative]:
    """Every plausible declarative of an inverted clause, one per plausible end of its subject."""
    if len(clause) < 2 or (moved := auxiliary(clause[0].text)) is None:
        return []
    contracted = clause[1].lower_ in {"n't", "n’t", "not"}
    first = 2 if contracted else 1
    return [
        _declarative(clause, moved, end, turned=negative != contracted)
        for end in ends(clause, kind=moved.kind, first=first, gapped=gapped)
    ]


def best(clause: Doc, found: Sequence[Declarative], docs: Sequence[Doc]) -> ScoredDeclarative:
    """The declarative whose own parse fits it best; ties go to the earliest subject end."""
    scores = [score(doc, layout(declarative)) for declarative, doc in zip(found, docs, strict=True)]
    index = max(range(len(found)), key=lambda place: (scores[place], -place))
    others = [value for place, value in enumerate(scores) if place != index]
    margin = scores[index] - max(others) if others else ALONE
    probability = 1 / (1 + sum(math.exp(value - scores[index]) for value in others))
    return ScoredDeclarative(found[index], clause, docs[index], scores[index], margin, probability)


def layout(declarative: Declarative) -> Layout:
    """The positions of a declarative's words, as the score uses them."""
    return Layout(
        declarative.subject,
        declarative.finite,
        declarative.verb,
        declarative.auxiliary,
        declarative.hints,
    )


def _declarative(clause: Doc, moved: Auxiliary, end: End, *, turned: bool) -> Declarative:
    adverbs = [token.text for token in clause[end.last + 1 : end.verb]]
    verb = "" if end.verb == end.rest else clause[end.verb].text
    words = predicate(moved, adverbs, verb, negative=turned)
    tensed = moved.tag if moved.kind is AuxiliaryKind.DO and not words.verb else None
    return _assemble(clause, moved, end, words, _rest(clause, end, tensed), turned=turned)


def _rest(clause: Doc, end: End, tensed: str | None) -> str:
    """The words after the verb; verbs coordinated with an inflected one are inflected too."""
    tokens = clause[end.rest :]
    follow = _coordinated_verbs(clause, end) if tensed else set()
    words = (
        inflect(token.lower_, tensed) + token.whitespace_ if tensed and token.i in follow else token.text_with_ws
        for token in tokens
    )
    before = clause[end.rest - 1].whitespace_ if end.rest < len(clause) else ""
    return (before + "".join(words)).rstrip()


def _coordinated_verbs(clause: Doc, end: End) -> set[int]:
    verbs = {end.verb}
    for token in clause[end.rest :]:
        own = any(child.dep_ in {"nsubj", "nsubjpass", "aux", "auxpass"} for child in token.children)
        if token.dep_ == "conj" and token.head.i in verbs and token.tag_ in {"VB", "VBP"} and not own:
            verbs.add(token.i)
    return verbs - {end.verb}


def _assemble(clause: Doc, moved: Auxiliary, end: End, words: Predicate, rest: str, *, turned: bool) -> Declarative:
    subject = clause[end.first : end.last + 1].text
    head = f"{subject} {words.before} " if words.before else f"{subject} "
    finite = Span(len(head), len(head) + len(words.finite))
    text = head + words.finite + (f" {words.between}" if words.between else "")
    verb = Span(len(text) + 1, len(text) + 1 + len(words.verb)) if words.verb else finite
    text += (f" {words.verb}" if words.verb else "") + rest
    seen = hints(clause, end.first, end.last, end.verb)
    subject_span = Span(0, len(subject))
    return Declarative(text, subject_span, finite, verb, moved, end, words.negative, turned, seen)

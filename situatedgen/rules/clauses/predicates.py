"""The words after a subject put in order: adverbs, auxiliary, negation, and the verb that takes its tense."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from situatedgen.rules.clauses.auxiliaries import Auxiliary, Kind, negated
from situatedgen.rules.clauses.morphology import inflect

BEFORE_NOT = frozenset({"allegedly", "certainly", "definitely", "possibly", "probably"})
"""Adverbs that stand before a negated auxiliary."""

_NEGATIONS = frozenset({"not", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Predicate:
    """What follows a subject: `before` the finite verb, that verb, what is `between`, and the main verb.

    `verb` is empty where the finite verb is the main verb.
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
    """The predicate of an auxiliary, the adverbs after its subject and the verb after those.

    Do-support stays only under a plain "not". "ever" falls away, or becomes "sometimes" in the present and
    "never" under negation.

    Example:
        >>> from situatedgen.rules.clauses.auxiliaries import AUXILIARIES
        >>> predicate(AUXILIARIES["did"], ["ever"], "see", negative=False).finite
        'saw'
    """
    present = moved.kind in {Kind.BE, Kind.DO} and moved.tag != "VBD"
    polarity = _polarity(adverbs, negative=negative, ever="sometimes" if present else "")
    if moved.kind is Kind.DO and polarity.negation != "not":
        before = " ".join(filter(None, [polarity.negation, *polarity.adverbs]))
        return Predicate(before, inflect(verb, moved.tag), "", "", bool(polarity.negation))
    plain = polarity.negation == "not"
    ahead = [adverb for adverb in polarity.adverbs if plain and adverb.lower() in BEFORE_NOT]
    after = [adverb for adverb in polarity.adverbs if adverb not in ahead]
    between = " ".join(filter(None, ["" if plain else polarity.negation, *after]))
    finite = negated(moved.form) if plain else moved.form
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

"""The auxiliaries that stand before their subject in a question."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What an auxiliary asks of the verb after the subject."""

    BE = "be"
    DO = "do"
    HAVE = "have"
    MODAL = "modal"


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary: its form in lower case, its kind, and the tag of its form."""

    form: str
    kind: Kind
    tag: str


_FORMS = (
    (Kind.BE, {"am": "VBP", "are": "VBP", "is": "VBZ", "was": "VBD", "were": "VBD"}),
    (Kind.DO, {"do": "VBP", "does": "VBZ", "did": "VBD"}),
    (Kind.HAVE, {"have": "VBP", "has": "VBZ", "had": "VBD"}),
    (
        Kind.MODAL,
        dict.fromkeys(["can", "could", "may", "might", "must", "shall", "should", "will", "would"], "MD"),
    ),
)

AUXILIARIES: dict[str, Auxiliary] = {
    form: Auxiliary(form, kind, tag) for kind, forms in _FORMS for form, tag in forms.items()
}

_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_SLIPS = {"wold": "would", "coud": "could", "cab": "can", "dose": "does", "woud": "would", "shoud": "should"}

CONTRACTIONS: dict[str, str] = {
    "can't": "can", "won't": "will", "shan't": "shall", "ain't": "is",
    **{f"{form}n't": form for form in AUXILIARIES if form not in {"am", "can", "may", "shall", "will"}},
}  # fmt: skip
"""Negative contractions and the auxiliary in each."""


def auxiliary(word: str) -> Auxiliary | None:
    """The auxiliary that a word is: also the stem left of "n't" ("ca", "wo") and common slips ("wold").

    Example:
        >>> auxiliary("Ca").form
        'can'
    """
    lower = word.lower()
    return AUXILIARIES.get(_STEMS.get(lower) or _SLIPS.get(lower) or lower)


def negated(form: str) -> str:
    """The auxiliary with its negation: "cannot", otherwise the form and "not"."""
    return "cannot" if form == "can" else f"{form} not"

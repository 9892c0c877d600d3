"""The forms of English words: lemmas, inflections and auxiliaries."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Token

Forms = dict[str, tuple[str, ...]]


@lru_cache(maxsize=1 << 14)
def lemmas(word: str) -> Forms:
    """The lemmas of a word, by part of speech."""
    import lemminflect  # noqa: PLC0415

    return dict(lemminflect.getAllLemmas(word))


def base_forms(word: str, part: str) -> tuple[str, ...]:
    """The lemmas of a word as this part of speech; by rule if the dictionary lacks the word."""
    import lemminflect  # noqa: PLC0415

    return tuple(lemminflect.getLemma(word, part))


def inflections(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a lemma with a Penn Treebank tag; by rule if the dictionary lacks the word."""
    import lemminflect  # noqa: PLC0415

    return tuple(lemminflect.getInflection(lemma, tag))


_FIXED = {
    ("be", "VBP"): "are",
    ("be", "VBD"): "was",
    ("have", "VBP"): "have",
    **{(verb, tag): verb for verb in ("bid", "broadcast", "forecast", "quit") for tag in ("VBD", "VBN")},
    **{("program", tag): "programmed" for tag in ("VBD", "VBN")},
    **{("mimic", tag): "mimicked" for tag in ("VBD", "VBN")},
    ("lie", "VBD"): "lied",
    ("used", "VBD"): "used",
    ("weave", "VBD"): "wove",
    ("wed", "VBD"): "wed",
    ("wet", "VBD"): "wet",
}
_PREFIXES = ("counter", "under", "inter", "over", "fore", "out", "mis", "pre", "re", "un")
_PLURAL_TAGS = frozenset({"NNS", "NNPS"})
_SINGULAR_PRONOUNS = frozenset({"he", "she", "it", "this", "that", "one", "someone", "somebody", "something",
                                "anyone", "anybody", "anything", "everyone", "everybody", "everything",
                                "nobody", "nothing", "each", "neither", "either"})  # fmt: skip
_PLURAL_PRONOUNS = frozenset({"we", "they", "you", "these", "those", "many", "few", "several", "both"})


@cache
def inflect(lemma: str, tag: str) -> str:
    """A verb in the form of a Penn tag.

    Example:
        >>> inflect("see", "VBD")
        'saw'
    """
    if (lemma, tag) in _FIXED:
        return _FIXED[lemma, tag]
    if tag in {"VB", "VBP"}:
        return lemma
    base = _known_base(lemma)
    return lemma.removesuffix(base) + _inflections(base, tag)[0]


@cache
def base_form(word: str, tag: str) -> str:
    """The lemma of a verb in the form of a Penn tag; the word itself if no known verb has such a form.

    Example:
        >>> base_form("found", "VBD")
        'find'
    """
    return next((lemma for lemma in _lemmas(word) if word in _inflections(lemma, tag)), word)


@cache
def may_be_base(word: str) -> bool:
    """Whether the word is the base form of a verb, or is unknown and not a plural."""
    known = _lemmas(word) or _noun_lemmas(word)
    return word in _lemmas(word) or not (known or (word.endswith("s") and not word.endswith("ss")))


@cache
def is_verb(word: str) -> bool:
    """Whether the word is the base form of a known verb."""
    return word in _lemmas(word)


@cache
def is_only_verb(word: str) -> bool:
    """Whether the word is the base form of a verb and nothing else."""
    return word in _lemmas(word) and not _noun_lemmas(word)


@cache
def may_be_participle(word: str) -> bool:
    """Whether the word may be the past participle of a verb."""
    if word.endswith("ed"):
        return True
    lemmas = _lemmas(_known_base(word))
    irregular = any(lemma != word for lemma in lemmas) and not word.endswith(("ing", "s"))
    return irregular or any(word in _inflections(lemma, "VBN") for lemma in lemmas)


def is_plural(head: Token) -> bool | None:
    """Whether a noun phrase, given by its head, takes a plural verb; None if either is possible."""
    if any(child.dep_ == "cc" and child.lower_ == "and" for child in head.children):
        return True
    if head.lower_ in _SINGULAR_PRONOUNS:
        return False
    if head.lower_ in _PLURAL_PRONOUNS or head.tag_ in _PLURAL_TAGS:
        return True
    return False if head.tag_ == "NN" else None


def agrees(head: Token, form: str) -> bool:
    """Whether a subject, given by its head, agrees with a form of be, have or do."""
    plural = is_plural(head)
    if plural is None or form not in {"is", "are", "was", "were", "has", "have", "does", "do"}:
        return True
    return plural == (form in {"are", "were", "have", "do"})


def _known_base(lemma: str) -> str:
    """The verb without its prefix if the dictionary has only that ("breed" for "outbreed")."""
    if not _lemmas(lemma):
        for prefix in _PREFIXES:
            rest = lemma.removeprefix(prefix)
            if rest != lemma and _lemmas(rest):
                return rest
    return lemma


def _lemmas(word: str) -> tuple[str, ...]:
    found = lemmas(word)
    return found.get("VERB", ()) + found.get("AUX", ())


def _noun_lemmas(word: str) -> tuple[str, ...]:
    found = lemmas(word)
    return tuple(lemma for pos in ("NOUN", "PROPN", "ADJ", "ADV") for lemma in found.get(pos, ()))


def _inflections(lemma: str, tag: str) -> tuple[str, ...]:
    return inflections(lemma, tag) or (lemma,)


class AuxiliaryKind(StrEnum):
    """The kind of an auxiliary, which determines the form of the verb after the subject."""

    BE = "be"
    DO = "do"
    HAVE = "have"
    MODAL = "modal"


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary: its lower-case form, its kind, and the Penn tag of its form."""

    form: str
    kind: AuxiliaryKind
    tag: str


_FORMS = (
    (AuxiliaryKind.BE, {"am": "VBP", "are": "VBP", "is": "VBZ", "was": "VBD", "were": "VBD"}),
    (AuxiliaryKind.DO, {"do": "VBP", "does": "VBZ", "did": "VBD"}),
    (AuxiliaryKind.HAVE, {"have": "VBP", "has": "VBZ", "had": "VBD"}),
    (
        AuxiliaryKind.MODAL,
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
    """The auxiliary that a word is, including stems before "n't" ("ca", "wo") and common typos ("wold").

    Example:
        >>> auxiliary("Ca").form
        'can'
    """
    lower = word.lower()
    return AUXILIARIES.get(_STEMS.get(lower) or _SLIPS.get(lower) or lower)


def negate_auxiliary(form: str) -> str:
    """The negated auxiliary: "cannot", otherwise the form and "not"."""
    return "cannot" if form == "can" else f"{form} not"

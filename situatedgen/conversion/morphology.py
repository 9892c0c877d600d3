"""Forms of English words: base forms, inflections, auxiliaries."""

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
    """The base forms of a word, by part of speech."""
    import lemminflect  # noqa: PLC0415

    return dict(lemminflect.getAllLemmas(word))


def base_forms(word: str, part: str) -> tuple[str, ...]:
    """The base forms of a word that is this part of speech; by rule where the dictionary lacks the word."""
    import lemminflect  # noqa: PLC0415

    return tuple(lemminflect.getLemma(word, part))


def inflections(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a base form with a tag of the Penn Treebank; by rule where the dictionary lacks the word."""
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
    """A verb in the form that a Penn tag names.

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
    """The base of a verb whose form a Penn tag names: the word itself where no known verb has such a form.

    Example:
        >>> base_form("found", "VBD")
        'find'
    """
    return next((lemma for lemma in _lemmas(word) if word in _inflections(lemma, tag)), word)


@cache
def may_be_base(word: str) -> bool:
    """A verb has this word as its base form, or the word is unknown and no plural."""
    known = _lemmas(word) or _noun_lemmas(word)
    return word in _lemmas(word) or not (known or (word.endswith("s") and not word.endswith("ss")))


@cache
def is_verb(word: str) -> bool:
    """A known verb has this word as its base form."""
    return word in _lemmas(word)


@cache
def is_only_verb(word: str) -> bool:
    """A word is the base form of a verb and nothing else."""
    return word in _lemmas(word) and not _noun_lemmas(word)


@cache
def may_be_participle(word: str) -> bool:
    """A verb has this word as its past participle."""
    if word.endswith("ed"):
        return True
    lemmas = _lemmas(_known_base(word))
    irregular = any(lemma != word for lemma in lemmas) and not word.endswith(("ing", "s"))
    return irregular or any(word in _inflections(lemma, "VBN") for lemma in lemmas)


def is_plural(head: Token) -> bool | None:
    """Whether a noun phrase, given by its head, takes a plural verb; None when it may take either."""
    if any(child.dep_ == "cc" and child.lower_ == "and" for child in head.children):
        return True
    if head.lower_ in _SINGULAR_PRONOUNS:
        return False
    if head.lower_ in _PLURAL_PRONOUNS or head.tag_ in _PLURAL_TAGS:
        return True
    return False if head.tag_ == "NN" else None


def agrees(head: Token, form: str) -> bool:
    """A subject, given by its head, may stand with a form of be, have or do."""
    plural = is_plural(head)
    if plural is None or form not in {"is", "are", "was", "were", "has", "have", "does", "do"}:
        return True
    return plural == (form in {"are", "were", "have", "do"})


def _known_base(lemma: str) -> str:
    """The verb without its prefix, where the dictionary knows only that ("outbreed" like "breed")."""
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
    """What an auxiliary asks of the verb after the subject."""

    BE = "be"
    DO = "do"
    HAVE = "have"
    MODAL = "modal"


@dataclass(frozen=True, slots=True)
class Auxiliary:
    """An auxiliary: its form in lower case, its kind, and the tag of its form."""

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

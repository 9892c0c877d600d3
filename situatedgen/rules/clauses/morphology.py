"""Verb forms: inflection, the forms a word may be, and agreement in number."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from situatedgen.rules.dictionary import inflections, lemmas

if TYPE_CHECKING:
    from spacy.tokens import Token

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

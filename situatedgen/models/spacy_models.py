"""The models based on spaCy: taggers with and without rules, nouns, lemmas and parser."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, cast

import spacy
from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc
from spacy.tokens import Token as SpacyToken

from situatedgen.conversion.morphology import base_forms
from situatedgen.errors import SettingsError
from situatedgen.models.lemmas import analyse
from situatedgen.models.weights import SPACY_MODEL, check_package
from situatedgen.params import ModelParams
from situatedgen.records import Entity, Lemma, Span, Token
from situatedgen.rules.entities import reconcile
from situatedgen.rules.keywords import Word, nouns_of
from situatedgen.rules.places import find_places
from situatedgen.rules.text import true_case
from situatedgen.rules.times import find_times
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

if TYPE_CHECKING:
    from spacy.tokens import Doc

LONGEST = 28
"""Maximum length in characters of a text that is cached; longer ones hardly ever recur."""
MOST = 10_000


class CachingParser:
    """A parser with an LRU cache for the analyses of short texts."""

    def __init__(self, parse: Callable[[Sequence[str]], Iterable[Doc]], *, most: int = MOST) -> None:
        self._parse = parse
        self._most = most
        self._kept: dict[str, Doc] = {}

    def __call__(self, texts: Sequence[str]) -> list[Doc]:
        """The analysis of each text, in order."""
        known = {text: self._kept.pop(text) for text in dict.fromkeys(texts) if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        found = known | dict(zip(new, self._parse(new), strict=True))
        self._keep({text: doc for text, doc in found.items() if len(text) <= LONGEST})
        return [found[text] for text in texts]

    def _keep(self, docs: dict[str, Doc]) -> None:
        self._kept |= docs
        for text in list(self._kept)[: -self._most]:
            del self._kept[text]


READ = frozenset({"POS", "TAG", "DEP"})
"""The attributes of the attribute ruler that are used; lemmas and morphology are not."""


def require(params: ModelParams) -> None:
    """Raise if the params ask for other weights or another revision than those installed.

    Raises:
        SettingsError: they ask for others.
    """
    installed = version(SPACY_MODEL)
    if params.weights not in ("", SPACY_MODEL) or params.revision not in ("", installed):
        raise SettingsError(
            f"model {params.name!r} requires {SPACY_MODEL} {installed}; the settings ask for"
            f" {params.weights} {params.revision}"
        )


@cache
def load() -> Language:
    """The spaCy model, loaded once per process, without the components that are not used.

    Raises:
        ModelError: the weights are not installed, or are not the pinned ones.
    """
    check_package(SPACY_MODEL)
    model = spacy.load(SPACY_MODEL, exclude=["lemmatizer", "senter"])
    _drop_unread_patterns(cast(AttributeRuler, model.get_pipe("attribute_ruler")))
    return model


def _drop_unread_patterns(ruler: AttributeRuler) -> None:
    """Remove the patterns that only set unused attributes, which saves a third of the ruler's time."""
    entries: list[dict[str, Any]] = [*ruler.patterns]  # Any: spaCy's own type
    for entry in entries:
        entry["attrs"] = {name: value for name, value in entry["attrs"].items() if name in READ}
    ruler.clear()
    ruler.add_patterns([entry for entry in entries if entry["attrs"]])


def parse(texts: Sequence[str], *, disable: tuple[str, ...] = ()) -> Iterator[Doc]:
    """The analysis of each text, in order, by all components except the disabled ones."""
    return load().pipe(texts, disable=list(disable))


NOT_FOR_NOUNS = ("parser", "lemmatizer", "ner")


class SpacyNouns:
    """Finds the words that spaCy tags as nouns or proper nouns."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def find(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """The nouns of each text, one span per word; a noun has at least one letter."""
        return [_nouns(doc) for doc in parse(texts, disable=NOT_FOR_NOUNS)]


def _nouns(doc: Doc) -> tuple[Span, ...]:
    chosen = nouns_of([Word(token.text, token.pos_, token.tag_) for token in doc])
    return tuple(Span(token.idx, token.idx + len(token)) for token, is_noun in zip(doc, chosen, strict=True) if is_noun)


NOT_FOR_PARSES = ("ner",)
INFLECTED = frozenset({"NOUN", "VERB", "AUX", "ADJ", "ADV"})


class SpacyParser:
    """Returns spaCy's parts of speech and dependencies."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        return [_tokens(doc) for doc in parse(texts, disable=NOT_FOR_PARSES)]


def _tokens(doc: Doc) -> tuple[Token, ...]:
    return tuple(map(_token, doc))


def _token(word: SpacyToken) -> Token:
    lemma = _lemma_text(word.text, word.pos_)
    return Token(word.idx, word.idx + len(word.text), lemma, word.tag_, word.pos_, word.dep_, word.head.i)


@lru_cache(maxsize=1 << 16)
def _lemma_text(text: str, part: str) -> str:
    """The lower-case lemma of a word."""
    found = base_forms(text, part) if part in INFLECTED else ()
    return str(found[0]).lower() if found else text.lower()


# The entity recogniser has its own tok2vec layer; the shared one serves only the parser and the tagger.
NOT_FOR_ENTITIES = ("tok2vec", "tagger", "parser", "attribute_ruler", "lemmatizer")


class SpacyTagger:
    """Returns the entities that spaCy finds."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text."""
        return [entities_of(doc) for doc in parse(texts, disable=NOT_FOR_ENTITIES)]


def entities_of(doc: Doc) -> tuple[Entity, ...]:
    """The entities of an analysed text."""
    return tuple(Entity(found.start_char, found.end_char, Label(found.label_)) for found in doc.ents)


PARTS = {"NOUN": "N", "VERB": "V"}


class SpacyLemmas:
    """Finds the words that spaCy tags as common nouns or verbs, excluding names and auxiliaries."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]:
        """The noun and verb lemmas of each text that consist of letters only."""
        return [_lemmas(doc) for doc in analyse(texts)]


def _lemmas(doc: "Doc") -> tuple[Lemma, ...]:
    words = ((token.lemma_.lower(), PARTS.get(token.pos_)) for token in doc)
    return tuple(_lemma(lemma, part) for lemma, part in words if part and lemma.isalpha())


@cache
def _lemma(text: str, part: str) -> Lemma:
    return Lemma(text, part)


class EmbeddedTagger:
    """Restores capitals in names, then reconciles spaCy's entities with those of the rules."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        require(params)

    def tag(self, texts: Sequence[str]) -> list[tuple[Entity, ...]]:
        """The entities of each text; restoring capitals changes no offset."""
        cased = [true_case(text) for text in texts]
        docs = parse(cased, disable=NOT_FOR_ENTITIES)
        found = []
        for text, doc in zip(cased, docs, strict=True):
            found.append(reconcile(text, entities_of(doc), [*find_times(text), *find_places(text)]))
        return found

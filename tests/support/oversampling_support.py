"""A toy language for tests of oversampling: its sentences, and a parser that knows its grammar."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from situatedgen.filtering.oversampling.corpus import Corpus, Given, corpus
from situatedgen.filtering.oversampling.settings import OversampleSettings
from situatedgen.params import ModelParams
from situatedgen.records import Token
from situatedgen.runtime import Runtime
from situatedgen.seeds import generator

ANIMALS, FOODS = ("dog", "cat", "horse", "goat"), ("bone", "fish", "hay", "grass")
CARS, LOADS = ("truck", "van", "cart", "train"), ("sand", "coal", "wood", "milk")
PLACES, TIMES = ("barn", "road", "river", "hill", "house"), ("In the morning ,", "At night ,", "")
VERBS = frozenset({"eats", "carries", "sees", "wants"})
ROLES = {"the": "det", "in": "prep", "at": "prep", "near": "prep", ",": "punct", ".": "punct"}
TOY = ModelParams(name="oversampling_support:ToyParser")


def toy_sentences() -> list[str]:
    """All sentences of the toy language in a random order: animals eat food near places, cars carry loads."""
    found = [
        f"{time} the {who} {verb} the {what} near the {place} .".strip()
        for doers, verbs, things in ((ANIMALS, ("eats", "wants"), FOODS), (CARS, ("carries",), LOADS))
        for time, who, verb, what, place in product(TIMES, doers, verbs, things, PLACES)
    ]
    return generator(0, "toy").sample(found, len(found))


def toy_corpus(settings: OversampleSettings, *, count: int = 300, others: tuple[str, ...] = ()) -> Corpus:
    """The rows of some sentences of the toy language, and of others."""
    texts = enumerate([*toy_sentences()[:count], *others])
    given = [Given(f"{number:04d}", f"{number:04d}", text) for number, text in texts]
    return corpus(given, ToyParser(TOY, Runtime()), settings.rows, size=settings.writer.vocabulary)


@dataclass(frozen=True, slots=True)
class ToyParser:
    """Takes the first verb of the toy language for the root, and the word before it for its subject."""

    params: ModelParams
    runtime: Runtime

    def parse(self, texts: Sequence[str]) -> list[tuple[Token, ...]]:
        """The words of each text."""
        return [_parse(text) for text in texts]


def _parse(text: str) -> tuple[Token, ...]:
    spans = [found.span() for found in re.finditer(r"\w+|[^\w\s]", text)]
    words = [text[start:end].lower() for start, end in spans]
    root = next((number for number, word in enumerate(words) if word in VERBS), 0)
    return tuple(_token(number, words, root, *span) for number, span in enumerate(spans))


def _token(number: int, words: Sequence[str], root: int, start: int, end: int) -> Token:
    word = words[number]
    if number == root:
        return Token(start, end, word, "VBZ" if word in VERBS else "NN", "VERB", "ROOT", root)
    role = "nsubj" if number == root - 1 else ROLES.get(word, "dobj")
    head = number + 1 if role == "det" and number + 1 < len(words) and words[number + 1] not in VERBS else root
    return Token(start, end, word, "NN", "PUNCT" if role == "punct" else "NOUN", role, head)

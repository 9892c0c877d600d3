"""A corpus of any size with the proportions of the five real sources, made from a seed, and vectors for it.

The proportions stand here as numbers; docs/scale.md tells how they were measured. Statements draw their masked
text by a Pitman–Yor process: the more often a text was drawn, the more often it is drawn again, and the number of
distinct ones grows as a power of the number of statements. A masked text lies in a group of related ones.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

import numpy as np
import polars as pl
from numpy.typing import NDArray

from benchmarks.vectors import WIDTH
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime
from situatedgen.schemas import ENTITIES, ITEMS, KEYWORDS, STATEMENTS
from situatedgen.vocabulary import Context, ItemKind, KeywordKind, Label, Verdict

Vectors = NDArray[np.float32]
Tables = dict[str, pl.DataFrame]
SOURCE, MASK = "synthetic", "[UNK]"
# Of the statements that are compared: which contexts they have, and how many masks.
CONTEXTS = {Context.GEO: 0.457, Context.TEMP: 0.477, Context.BOTH: 0.066}
MASKS = {2: 0.157, 3: 0.327, 4: 0.306, 5: 0.210}
LABELS = {Context.GEO: (Label.GPE,), Context.TEMP: (Label.DATE,), Context.BOTH: (Label.GPE, Label.DATE)}
# Pitman and Yor's two numbers.
DISCOUNT, CONCENTRATION = 0.9, 1_708.0
# No masked text stands in more statements than these: a million would have 2,300 of the most common one.
MOST_ALIKE = 5
# How large groups of related masked texts are: the logarithm of the middle one, and its spread. With 1.4 a text has as
# many neighbours as in the real sources, and a million statements more examples than fit into 16 GB.
GROUP_SCALE, GROUP_SPREAD = 0.6, 1.2
# How far a masked text lies from the centre of its group, and a group from the centre of its related ones.
NEAR, FAR, APART, RELATED = 0.2, 0.9, 0.4, 8
NAMES, NOUNS, FORM_WORDS = 20_000, 30_000, 5
WORDS = "is are was has in on of the a to from by with for during before after near at most not also made used".split()
PLACE = re.compile(r"g(\d+)t(\d+)")


@dataclass(frozen=True, slots=True)
class Form:
    """What the statements of one masked text share: its words, its context, its masks' places among the words."""

    words: tuple[str, ...]
    context: Context
    masks: tuple[int, ...]


def corpus(count: int) -> Tables:
    """The tables that `masks` and the stages after it read, for so many statements, and the items they are of."""
    chance = Random(count)
    drawn = drawn_forms(count, chance)
    forms = [form(number, group, chance) for number, group in enumerate(groups_of(max(drawn) + 1))]
    rows = [(f"{SOURCE}::train::{number:08}", *_statement(forms[drawn[number]], chance)) for number in range(count)]
    return {
        "items": ITEMS.frame([_item(number, id_, text) for number, (id_, text, _) in enumerate(rows)]),
        "statements": STATEMENTS.frame([(id_, SOURCE, text, "claim", 1.0, Verdict.KEPT) for id_, text, _ in rows]),
        "entities": ENTITIES.frame(
            [(id_, *place, label) for id_, _, found in rows for *place, label in found if label]
        ),
        "keywords": KEYWORDS.frame(
            [(id_, *place, _keyword(label), label) for id_, _, found in rows for *place, label in found]
        ),
    }


def drawn_forms(count: int, chance: Random) -> list[int]:
    """The number of the masked text of each statement, by Pitman and Yor's process; a common one is drawn again."""
    drawn: list[int] = []
    sizes: list[int] = []
    for seen in range(count):
        number = len(sizes)
        if chance.random() * (seen + CONCENTRATION) >= CONCENTRATION + DISCOUNT * len(sizes):
            number = drawn[chance.randrange(seen)]
            while sizes[number] == MOST_ALIKE or chance.random() * sizes[number] < DISCOUNT:
                number = drawn[chance.randrange(seen)]
        if number == len(sizes):
            sizes.append(0)
        sizes[number] += 1
        drawn.append(number)
    return drawn


def groups_of(count: int) -> list[int]:
    """The group of each masked text, so many in all, in groups of uneven size."""
    chance = np.random.default_rng(count)
    sizes = np.maximum(1, chance.lognormal(GROUP_SCALE, GROUP_SPREAD, count).astype(int))
    groups = np.repeat(np.arange(count), sizes)[:count]
    return list(chance.permutation(groups).tolist())


def form(number: int, group: int, chance: Random) -> Form:
    """A masked text: common words, one word that says which it is, and masks."""
    masks = chance.choices(list(MASKS), list(MASKS.values()))[0]
    words = [*chance.choices(WORDS, k=FORM_WORDS), f"g{group}t{number}", *[MASK] * masks]
    chance.shuffle(words)
    context = chance.choices(list(CONTEXTS), list(CONTEXTS.values()))[0]
    return Form(tuple(words), context, tuple(place for place, word in enumerate(words) if word == MASK))


Found = list[tuple[int, int, str, Label | None]]


def _statement(given: Form, chance: Random) -> tuple[str, Found]:
    """A text of a form, and its keywords with their labels: the first are places or times, the others nouns."""
    labels = dict(zip(given.masks, LABELS[given.context], strict=False))
    parts, found, start = [], Found(), 0
    for place, word in enumerate(given.words):
        label = labels.get(place)
        part = word if word != MASK else _name(chance) if label else f"noun{chance.randrange(NOUNS)}"
        if word == MASK:
            found.append((start, start + len(part), part, label))
        parts.append(part)
        start += len(part) + 1
    return f"{' '.join(parts)}.", found


def _name(chance: Random) -> str:
    """A name; some are far more common than others."""
    return f"Name{int(NAMES ** chance.random())}"


def _keyword(label: Label | None) -> KeywordKind:
    return KeywordKind.ENTITY if label else KeywordKind.NOUN


def _item(number: int, id_: str, text: str) -> tuple[object, ...]:
    place = (SOURCE, "train", "claims.txt", number + 1)
    return (id_, *place, ItemKind.CLAIM, "", "", text, "CC0-1.0", "made from a seed", Verdict.KEPT, "")


@dataclass(frozen=True, slots=True)
class PlantedEncoder:
    """Vectors of unit length for the masked texts of the corpus: near the centre of their group."""

    params: ModelParams
    runtime: Runtime

    def encode(self, texts: Sequence[str]) -> Vectors:
        """The vector of each text, which depends on its group and number alone."""
        places = [tuple(map(int, found)) for text in texts for found in PLACE.findall(text)]
        vectors = np.stack([_vector(group, number) for group, number in places])
        return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def _vector(group: int, number: int) -> Vectors:
    chance = _chance(1, number)
    distance = np.float32(chance.uniform(NEAR, FAR))
    return _centre(group) + distance * _direction(chance)


def _centre(group: int) -> Vectors:
    centre = _direction(_chance(2, group // RELATED)) + np.float32(APART) * _direction(_chance(0, group))
    return np.asarray(centre / np.linalg.norm(centre), dtype=np.float32)


def _chance(purpose: int, number: int) -> np.random.Generator:
    return np.random.Generator(np.random.Philox(key=(purpose << 64) + number))


def _direction(chance: np.random.Generator) -> Vectors:
    drawn = chance.standard_normal(WIDTH, dtype=np.float32)
    return np.asarray(drawn / np.linalg.norm(drawn), dtype=np.float32)

"""Leakage of released files in the authors' format, of which nothing but the examples is known."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from situatedgen.leakage.authors import Authors
from situatedgen.leakage.averaging import averaged
from situatedgen.leakage.certificate import Certificate
from situatedgen.leakage.certifying import Cosines, certificate, split_leakage
from situatedgen.leakage.nearest import nearest, nearest_other
from situatedgen.leakage.sheets import NUMBER, TRAIN, Numbers, Sheet, sheet
from situatedgen.mining.search import Vectors
from situatedgen.models.roles import Encoder
from situatedgen.records import Span
from situatedgen.rules.keywords import mask
from situatedgen.rules.splits import straddlers, template
from situatedgen.seeds import order
from situatedgen.vocabulary import Split

MASK = "[UNK]"
CUTS = 5
SHARES = (0.6, 0.15, 0.25)


def masked_texts(examples: pl.DataFrame) -> dict[str, str]:
    """The masked text of each statement, by id: its keywords are those of the example that came from it."""
    found: dict[str, str] = {}
    columns = ("ids", "statements", "keywords", "keywords_pos")
    for ids, statements, keywords, sides in examples.select(columns).iter_rows():
        for side, (name, text) in enumerate(zip(ids, statements, strict=True)):
            own = [word for word, place in zip(keywords, sides, strict=True) if place == side]
            found.setdefault(name, masked(text, own))
    return found


def masked(text: str, keywords: Sequence[str]) -> str:
    """A statement with each of its keywords behind a mask, the longer ones first.

    Example:
        >>> masked("July is summer in China.", ["China", "July", "summer"])
        '[UNK] is [UNK] in [UNK].'
    """
    spans: list[Span] = []
    for word in sorted(keywords, key=lambda word: (-len(word), word)):
        for place in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text):
            span = Span(*place.span())
            if all(span.end <= other.start or other.end <= span.start for other in spans):
                spans.append(span)
                break
    return mask(text, sorted(spans, key=lambda span: span.start), MASK)


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """Examples as a sheet, with the template and the vector of each sentence."""

    sheet: Sheet
    templates: tuple[str, ...]
    vectors: Vectors


def release(examples: pl.DataFrame, encoder: Encoder) -> Release:
    """Released examples, with the masked text of each statement encoded."""
    found, texts = sheet(examples), masked_texts(examples)
    templates = tuple(texts[name] for name in found.names)
    distinct = sorted(set(templates))
    places = {text: place for place, text in enumerate(distinct)}
    vectors = encoder.encode(distinct)
    return Release(found, templates, vectors[[places[text] for text in templates]])


def against_train(release: Release, splits: Numbers) -> Certificate:
    """The certificate of examples that have splits already; a sentence in train itself is as near as can be."""
    return certificate(
        release.sheet, splits, _near(release, splits), shares=SHARES, shared_templates=_shared(release, splits)
    )


def against_itself(release: Release) -> Authors:
    """What one split alone can tell: each sentence against the others, and random cuts of its examples."""
    near = nearest_other(release.vectors)
    everything = np.full(len(release.sheet), NUMBER[Split.TRAIN], np.int64)
    alone = split_leakage(replace(release.sheet, words=()), everything, near, Split.TRAIN)
    cuts = [against_train(release, random_cut(len(release.sheet), seed)) for seed in range(CUTS)]
    return Authors(against_others=alone, random_cut=averaged(cuts))


def random_cut(count: int, seed: int) -> Numbers:
    """Examples dealt to train, dev and test one by one, blind to what they share."""
    shuffled = order(seed, "random cut", count)
    train, dev = round(SHARES[0] * count), round(SHARES[1] * count)
    found = np.full(count, NUMBER[Split.TEST], np.int64)
    found[shuffled[:train]] = NUMBER[Split.TRAIN]
    found[shuffled[train : train + dev]] = NUMBER[Split.DEV]
    return found


def _near(release: Release, splits: Numbers) -> Cosines:
    in_train = splits == TRAIN
    known = np.unique(np.concatenate([release.sheet.left[in_train], release.sheet.right[in_train]]))
    return nearest(release.vectors, release.vectors[known])[1]


def _shared(release: Release, splits: Numbers) -> int:
    """How many templates stand in two splits."""
    ends = np.concatenate([release.sheet.left, release.sheet.right])
    placed = {*zip(ends.tolist(), np.concatenate([splits, splits]).tolist(), strict=True)}
    return len(straddlers((template(release.templates[end]), str(split)) for end, split in sorted(placed)))

"""The stages that deal concept sets to the splits, and give each its sentences."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

import polars as pl

from situatedgen import seeds
from situatedgen.commongen.params import SIZES, ConceptExampleParams, ConceptSplitParams
from situatedgen.commongen.schemas import CONCEPT_EXAMPLES, CONCEPT_SPLITS, Fate
from situatedgen.commongen.stages import SEPARATOR
from situatedgen.vocabulary import Split


def concept_splits(concept_sets: pl.DataFrame, *, params: ConceptSplitParams) -> pl.DataFrame:
    """Deal the best concept sets of each size to dev and test, and the rest to train unless it overlaps them."""
    dealt: dict[str, Split] = {}
    for size, dev, test in zip(SIZES, params.dev, params.test, strict=True):
        ranked = concept_sets.filter(pl.col("size") == size).sort("score", "concept_set", descending=[True, False])
        dealt |= _dealt(ranked["concept_set"].to_list(), dev, test, params)
    seen = overlaps(dealt, params.max_overlap + 1)
    rows = [
        (name, size, score, dealt.get(name, Split.TRAIN), _fate(name, dealt, seen, params))
        for name, size, score in concept_sets.select("concept_set", "size", "score").iter_rows()
    ]
    return CONCEPT_SPLITS.frame(rows)


def _dealt(ranked: list[str], dev: int, test: int, params: ConceptSplitParams) -> dict[str, Split]:
    """The split of each of the best sets of a size; where there are few, dev and test shrink alike."""
    most = int(len(ranked) * params.max_share)
    shrunk = min(1.0, most / (dev + test)) if dev + test else 0.0
    dev, test = int(dev * shrunk), int(test * shrunk)
    best = ranked[: dev + test]
    order = seeds.order(params.seed, f"concept_splits{len(best)}", len(best))
    return {best[place]: Split.DEV if number < dev else Split.TEST for number, place in enumerate(order)}


def overlaps(names: Iterable[str], count: int) -> set[tuple[str, ...]]:
    """The combinations of so many concepts within any one of these sets."""
    return {each for name in names for each in combinations(sorted(name.split(SEPARATOR)), count)}


def _fate(name: str, dealt: dict[str, Split], seen: set[tuple[str, ...]], params: ConceptSplitParams) -> Fate:
    is_out = name not in dealt and not seen.isdisjoint(overlaps([name], params.max_overlap + 1))
    return Fate.OVERLAPS_EVALUATION if is_out else Fate.KEPT


def concept_examples(
    concepts: pl.DataFrame, concept_splits: pl.DataFrame, *, params: ConceptExampleParams
) -> pl.DataFrame:
    """Give every concept set that was kept its captions, those with all its concepts; none stands in two splits."""
    kept = concept_splits.filter(pl.col("verdict") == Fate.KEPT)
    texts, where = concepts["text"], _sentences_of(concepts, kept["concept_set"])
    rows, taken = list[tuple[object, ...]](), frozenset[int]()
    for split in (Split.TEST, Split.DEV, Split.TRAIN):
        names = kept.filter(pl.col("split") == split.value)["concept_set"].to_list()
        chosen = {name: _chosen(name, where, taken, params) for name in names}
        rows += [(name, split, [texts[each] for each in found], _left(found)) for name, found in chosen.items()]
        taken |= {each for found in chosen.values() for each in found}
    return CONCEPT_EXAMPLES.frame(rows)


def _chosen(
    name: str, where: Mapping[str, frozenset[int]], taken: frozenset[int], params: ConceptExampleParams
) -> list[int]:
    """The sentences of a set that no other split has, or as many of them as are wanted."""
    met = sorted(frozenset.intersection(*(where[concept] for concept in name.split(SEPARATOR))) - taken)
    order = seeds.order(params.seed, name, len(met))[: params.max_scenes]
    return [met[place] for place in sorted(order)]


def _left(found: Sequence[int]) -> Fate:
    return Fate.KEPT if found else Fate.NO_CAPTION_LEFT


def _sentences_of(concepts: pl.DataFrame, names: pl.Series) -> dict[str, frozenset[int]]:
    """The sentences of each concept that one of these sets has."""
    wanted = names.str.split(SEPARATOR).explode(empty_as_null=False).unique()
    long = concepts.select("concepts").with_row_index("sentence").explode("concepts", empty_as_null=False)
    found = long.filter(pl.col("concepts").is_in(wanted.implode())).group_by("concepts").agg("sentence")
    return {concept: frozenset(sentences) for concept, sentences in found.iter_rows()}

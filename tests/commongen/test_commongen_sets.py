"""Concept sets: counted, scored, drawn and dealt as by plain enumeration."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.commongen import stages
from situatedgen.commongen.params import (
    CONCEPTS,
    ConceptCountParams,
    ConceptExampleParams,
    ConceptParams,
    ConceptSetParams,
    ConceptSplitParams,
    Fate,
)
from situatedgen.commongen.stages import concept_counts, concept_examples, concept_sets, concept_splits, concepts
from situatedgen.errors import SettingsError
from situatedgen.models.vocabularies import AnyWord
from situatedgen.params import ModelParams
from situatedgen.records import Lemma
from situatedgen.runtime import Runtime
from situatedgen.testing import items

ALL = ConceptSetParams(samples=10**6)
WORDS = [f"{word}_N" for word in "abcdefgh"]
TEXTS = st.lists(
    st.tuples(
        st.lists(st.sampled_from("the a big red dog runs".split()), min_size=1, max_size=6).map(" ".join),
        st.frozensets(st.sampled_from(WORDS), max_size=7),
    ),
    max_size=12,
    unique_by=lambda row: row[0],
)


def table(rows: list[tuple[str, frozenset[str]]]) -> pl.DataFrame:
    return CONCEPTS.frame([(text, sorted(found)) for text, found in rows])


def enumerated(sentences: pl.DataFrame) -> dict[str, list[str]]:
    """Every concept set with its sentences, by plain enumeration."""
    found: dict[str, list[str]] = {}
    for text, names in sentences.iter_rows():
        for size in (3, 4, 5):
            for each in combinations(sorted(names), size):
                found.setdefault("#".join(each), []).append(text)
    return found


def scored(found: dict[str, list[str]]) -> dict[str, float]:
    """The score of each set, as section 3.1 says it."""
    frequency = {name: sum(name in each.split("#") for each in found) for name in WORDS}
    scores = {}
    for name, texts in found.items():
        words = [text.split() for text in texts]
        diversity = len({word for each in words for word in each}) / sum(map(len, words))
        penalty = len(found) / max(frequency[concept] for concept in name.split("#"))
        scores[name] = len(texts) * diversity * penalty
    return scores


@given(TEXTS, st.sampled_from([1, 7, 10**6]))
def test_parts_hold_every_set_once_with_all_its_sentences(rows: list, budget: int) -> None:
    sentences = table(rows)
    corpus = stages.make_corpus(sentences)
    texts, names = sentences["text"].to_list(), ["", *corpus.names]
    found: dict[str, list[str]] = {}
    for low, high in stages.parts(corpus, budget=budget):
        part = stages.sets(corpus, low, high)
        for ids, start, count in zip(part.ids.tolist(), part.starts.tolist(), part.counts.tolist(), strict=True):
            name = "#".join(sorted(names[each] for each in ids if each))
            assert name not in found
            found[name] = [texts[each] for each in part.sentences[start : start + count]]
    assert found == enumerated(sentences)


@given(TEXTS)
def test_counts_and_scores_are_those_of_plain_enumeration(rows: list) -> None:
    sentences = table(rows)
    expected = enumerated(sentences)
    counts = concept_counts(sentences, params=ConceptCountParams())
    for concept, _, *by_size in counts.iter_rows():
        held = [name.split("#") for name in expected if concept in name.split("#")]
        assert by_size == [sum(len(each) == size for each in held) for size in (3, 4, 5)]
    drawn = concept_sets(sentences, counts, params=ALL)
    assert dict(drawn.select("concept_set", "sentences").iter_rows()) == {
        name: len(texts) for name, texts in expected.items()
    }
    assert dict(drawn.select("concept_set", "score").iter_rows()) == pytest.approx(scored(expected))


@given(TEXTS)
def test_how_many_words_are_compared_at_once_changes_nothing(rows: list) -> None:
    sentences = table(rows)
    counts = concept_counts(sentences, params=ConceptCountParams())
    together = concept_sets(sentences, counts, params=ALL)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(stages, "EXPANDED", 3)
        assert concept_sets(sentences, counts, params=ALL).equals(together)


CORPUS = table([(f"w{number} x", frozenset(WORDS[number : number + 4])) for number in range(5)])


@given(st.integers(0, 50), st.integers(1, 10))
def test_a_smaller_draw_is_part_of_a_larger_one(seed: int, samples: int) -> None:
    counts = concept_counts(CORPUS, params=ConceptCountParams())
    small, large = (
        set(concept_sets(CORPUS, counts, params=ConceptSetParams(samples=size, seed=seed))["concept_set"])
        for size in (samples, samples + 3)
    )
    assert len(small) == samples
    assert small <= large


def test_the_first_drawn_is_drawn_in_proportion_to_its_score() -> None:
    counts = concept_counts(CORPUS, params=ConceptCountParams())
    scores = scored(enumerated(CORPUS))
    draws = 1500
    drawn = [
        concept_sets(CORPUS, counts, params=ConceptSetParams(samples=1, seed=seed))["concept_set"][0]
        for seed in range(draws)
    ]
    shares = np.array([drawn.count(name) / draws for name in scores])
    expected = np.array(list(scores.values())) / sum(scores.values())
    statistic = float((draws * (shares - expected) ** 2 / expected).sum())
    assert statistic < 2.5 * len(scores)  # chi-squared, far in its tail


@given(TEXTS, st.integers(0, 3), st.integers(0, 2))
def test_train_shares_no_more_than_it_may_with_dev_and_test(rows: list, evaluated: int, overlap: int) -> None:
    sentences = table(rows)
    counts = concept_counts(sentences, params=ConceptCountParams())
    chosen = (evaluated, evaluated, evaluated)
    params = ConceptSplitParams(dev=chosen, test=chosen, max_overlap=overlap)
    splits = concept_splits(concept_sets(sentences, counts, params=ALL), params=params)
    held = [set(name.split("#")) for name in splits.filter(pl.col("split") != "train")["concept_set"]]
    for name, fate in splits.filter(pl.col("split") == "train").select("concept_set", "verdict").iter_rows():
        most = max((len(set(name.split("#")) & each) for each in held), default=0)
        assert (fate == Fate.OVERLAPS_EVALUATION) == (most > overlap)


def test_dev_and_test_are_the_best_of_their_size() -> None:
    counts = concept_counts(CORPUS, params=ConceptCountParams())
    params = ConceptSplitParams(dev=(2, 1, 0), test=(2, 1, 0))
    splits = concept_splits(concept_sets(CORPUS, counts, params=ALL), params=params)
    for size, count in ((3, 2), (4, 1)):
        of_size = splits.filter(pl.col("size") == size)
        held, rest = (
            of_size.filter(part)["score"] for part in (pl.col("split") != "train", pl.col("split") == "train")
        )
        assert len(held) == 2 * count
        assert held.min() >= rest.max()


@given(TEXTS)
def test_an_example_has_the_captions_with_all_its_concepts_and_none_is_in_two_splits(rows: list) -> None:
    sentences = table(rows)
    expected = enumerated(sentences)
    counts = concept_counts(sentences, params=ConceptCountParams())
    params = ConceptSplitParams(dev=(2, 1, 1), test=(2, 1, 1))
    splits = concept_splits(concept_sets(sentences, counts, params=ALL), params=params)
    found = concept_examples(sentences, splits, params=ConceptExampleParams(max_scenes=100))
    assert found["concept_set"].to_list() == splits.filter(pl.col("verdict") == "kept")["concept_set"].to_list()
    taken: set[str] = set()
    for split in ("test", "dev", "train"):
        own = found.filter(pl.col("split") == split)
        for name, scenes, fate in own.select("concept_set", "scene", "verdict").iter_rows():
            assert list(scenes) == [text for text in expected[name] if text not in taken]
            assert fate == (Fate.KEPT if scenes else Fate.NO_CAPTION_LEFT)
        taken |= {text for scenes in own["scene"] for text in scenes}
    few = concept_examples(sentences, splits, params=ConceptExampleParams(max_scenes=1))
    assert set(few["scene"].list.len()) <= {0, 1}


class Planted:
    """Says of `a dog runs` that dog is a noun and run a verb, and of any other text that all its words are nouns."""

    def lemmatise(self, texts):  # type: ignore[no-untyped-def]
        known = {"a dog runs": (Lemma("dog", "N"), Lemma("run", "V"), Lemma("dog", "N"))}
        return [known.get(text, tuple(Lemma(word, "N") for word in text.split())) for text in texts]


def test_concepts_are_distinct_and_too_many_are_none() -> None:
    captions = items(("1", "a dog runs"), ("2", "b c d e"), ("3", "a dog runs"))
    words = AnyWord(ModelParams(name="any"), Runtime())
    found = concepts(captions, params=ConceptParams(max_concepts=3), lemmatiser=Planted(), vocabulary=words)
    assert found.rows() == [("a dog runs", ["dog_N", "run_V"]), ("b c d e", [])]


def test_too_many_concepts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "LARGEST", 5)
    with pytest.raises(SettingsError, match="found 8 concepts, but at most 5 are supported; use a vocabulary"):
        stages.make_corpus(CORPUS)

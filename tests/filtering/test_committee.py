"""The committee: what each member can and cannot see, and that nothing depends on chance or company."""

from pathlib import Path

import numpy as np
import pytest
import torch

from filtering_support import planted_pool
from situatedgen.filtering.adversarial import audit_pool, filter_pool
from situatedgen.filtering.committee import (
    BETWEEN,
    END,
    FEATURES,
    PAD,
    SPECIAL,
    START,
    UNKNOWN,
    Analysis,
    Committee,
    Sequences,
    commonest,
    features,
    measure_candidates,
    prepare_committee,
    read,
    sequences,
    tag_sequences,
    train_language_model,
    word_sequences,
)
from situatedgen.filtering.pool import POOLS, Pool, assign_parts, first_assignment, pool_of, questions
from situatedgen.filtering.settings import CommitteeParams, FilterParams, LanguageParams
from situatedgen.runtime import Runtime

CPU = torch.device("cpu")
SMALL = CommitteeParams(size=8, epochs=6, language=LanguageParams(size=8, epochs=1))
PARAMS = FilterParams(max_iterations=4, patience=4)


def analysed(pool: Pool) -> dict[str, Analysis]:
    """Every text with its words, and as tags what kind of characters they are of."""

    def tag(word: str) -> str:
        return "CD" if word.strip(",.").isdigit() else "NN"

    texts = {*pool.first, *pool.second}
    return {text: Analysis(tuple(words := text.lower().split()), tuple(map(tag, words))) for text in texts}


def committee(pool: Pool, params: CommitteeParams = SMALL) -> Committee:
    found = analysed(pool)
    words = word_sequences(pool, found, size=50, longest=32, both=True)
    tags = tag_sequences(pool, found, common=20, longest=32, both=True)
    told = np.random.default_rng(0).normal(size=(len(pool.first), len(FEATURES))).astype(np.float32)
    return Committee(pool, words, tags, told, params, CPU)


@pytest.fixture(scope="module")
def pool() -> Pool:
    return planted_pool(80, wrong=8, share=0.9)


def test_members_that_read_words_find_a_planted_word_and_the_mlp_does_not(pool: Pool) -> None:
    """Three of eight wrong candidates have no tell: some questions cannot be answered, most can."""
    asked = first_assignment(pool, wrong=3, seed=0)
    found = audit_pool(pool, committee(pool), asked, PARAMS, times=3, purpose="a")
    assert list(found) == ["mlp", "bag", "cnn", "lstm", "ensemble"]
    assert found["mlp"] == pytest.approx(0.25, abs=0.12)
    for member in ("bag", "cnn", "ensemble"):
        assert found[member] > 0.4


def test_the_same_seed_gives_the_same_filtering(pool: Pool) -> None:
    once, again = (filter_pool(pool, committee(pool), PARAMS) for _ in range(2))
    assert (once.last == again.last).all()
    assert [one.members for one in once.history] == [one.members for one in again.history]


def test_a_score_does_not_depend_on_what_else_is_asked(pool: Pool) -> None:
    made = committee(pool)
    asked = questions(pool, first_assignment(pool, wrong=3, seed=0))
    judge = made.fit(pool, asked, seed=1)
    rows = np.arange(200)
    together = judge.scores(rows)
    for row in (0, 7, 199):
        alone = judge.scores(rows[row : row + 1])
        for member, said in alone.items():
            assert said[0] == pytest.approx(together[member][row], abs=2e-4)


def test_a_committee_judges_its_own_pool_alone(pool: Pool) -> None:
    other = planted_pool(10, wrong=4, share=0.5)
    with pytest.raises(ValueError, match="the pool it was built for"):
        committee(pool).fit(other, np.zeros((1, 4), dtype=np.int64), seed=0)


def test_texts_become_numbers_with_marks() -> None:
    """The words of right candidates are known by how common they are; of others the LSTM sees the tag."""
    table = [("a", "g", 0, "the sun", "the moon"), ("a", "g", 1, "the moon", "a sun 7"), ("b", "h", 0, "x", "y")]
    made = pool_of(POOLS.frame([*table, ("b", "h", 1, "y", "x")]), wrong=1, population=1)
    found = analysed(made)
    words = word_sequences(made, found, size=2, longest=32, both=True)
    the, moon = SPECIAL, SPECIAL + 1
    assert words.ids[0].tolist() == [START, the, UNKNOWN, BETWEEN, the, moon, END, PAD]
    assert words.ids[1].tolist() == [START, the, moon, BETWEEN, UNKNOWN, UNKNOWN, UNKNOWN, END]
    assert (words.border.tolist()[:2], words.lengths.tolist()[:2]) == ([4, 4], [7, 8])
    tags = tag_sequences(made, found, common=2, longest=32, both=False)
    assert tags.ids[1].tolist() == [START, BETWEEN, SPECIAL + 3, SPECIAL + 3, SPECIAL + 2, END]


def test_a_tag_that_looks_like_a_word_is_another_number() -> None:
    """Of a comma the tag is a comma: as a word it is 5, as a tag 7; "1" is no common word and has the tag 8."""
    table = [("a", "g", number, "x", text) for number, text in enumerate((", ,", "1 ,"))]
    made = pool_of(POOLS.frame([*table, *(("b", *rest) for _, *rest in table)]), wrong=1, population=1)
    own = {"1": "CD", "x": "NN", ",": ","}
    found = {text: Analysis(tuple(text.split()), tuple(map(own.get, text.split()))) for text in ("x", ", ,", "1 ,")}
    tags = tag_sequences(made, found, common=2, longest=32, both=False)
    assert tags.ids[1].tolist() == [START, BETWEEN, 8, SPECIAL, END]
    assert tags.vocabulary == 10


def test_words_as_common_as_each_other_go_by_the_alphabet() -> None:
    assert commonest([["b", "a", "c", "c"]], 2) == {"c": SPECIAL, "a": SPECIAL + 1}


def test_texts_read_backward_are_turned_and_padded_behind() -> None:
    texts = sequences([[7], [8, 9]], [[5], [6]], 10)
    assert read(texts, np.arange(2), 1).tolist() == [[END, 5, BETWEEN, 7, START, PAD], [END, 6, BETWEEN, 9, 8, START]]


def test_perplexities_are_means_over_the_right_words() -> None:
    """One text [START 7 8 | 5 END]: forward the costs of 7, 8 and the mark, then of 5 and END; backward the reverse."""
    texts = sequences([[7, 8]], [[5]], 10)
    forward = np.array([[1, 2, 3, 10, 20]], dtype=np.float32)
    backward = np.array([[4, 6, 100, 200, 300]], dtype=np.float32)
    found = measure_candidates([forward, backward], texts, np.arange(1))[0].tolist()
    assert found == [2.0, 15.0, 200.0, 5.0, -10.0, 2.0, 1.0]


def test_no_language_model_saw_the_right_candidates_that_it_scores(monkeypatch: pytest.MonkeyPatch, pool: Pool) -> None:
    seen: list[set[int]] = []
    scored: list[set[int]] = []
    from situatedgen.filtering import committee as module  # noqa: PLC0415

    class Spy:
        def costs(self, texts: Sequences, rows: np.ndarray, direction: int) -> np.ndarray:
            scored.append(set(rows.tolist()))
            return np.zeros((len(rows), texts.ids.shape[1] - 1), dtype=np.float32)

    def spied(texts: Sequences, rows: np.ndarray, params: LanguageParams, *, seed: int, device: torch.device) -> Spy:
        seen.append(set(rows.tolist()))
        return Spy()

    monkeypatch.setattr(module, "train_language_model", spied)
    texts = word_sequences(pool, analysed(pool), size=50, longest=32, both=True)
    features(pool, texts, LanguageParams(), device=CPU)
    assert len(seen) == 5
    assert all(one.isdisjoint(scored[2 * number]) for number, one in enumerate(seen))
    assert set().union(*scored) == set(range(len(pool.first)))
    fold = assign_parts(pool.groups, count=5, seed=0, purpose="folds")
    assert len({(group, one) for group, one in zip(pool.groups, fold, strict=True)}) == len(set(pool.groups))


def test_a_language_model_learns_what_it_reads() -> None:
    """Of texts that all say 5 6 7 8 the model comes to expect just that, from either end."""
    texts = sequences([[5, 6]] * 64 + [[8, 5]], [[7, 8]] * 64 + [[6, 7]], 12)
    params = LanguageParams(size=16, epochs=12, learning_rate=0.02, dropout=0.0)
    model = train_language_model(texts, np.arange(64), params, seed=0, device=CPU)
    for direction in range(2):
        costs = model.costs(texts, np.arange(63, 65), direction)
        assert costs[0].max() < 0.5
        assert costs[1].mean() > costs[0].mean() + 1


@pytest.mark.weights
def test_a_prepared_committee_is_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = planted_pool(20, wrong=4, share=0.5)
    once = prepare_committee(made, SMALL, folder=tmp_path, runtime=Runtime(device="cpu"))
    monkeypatch.setattr("situatedgen.filtering.committee.analyses", None)
    monkeypatch.setattr("situatedgen.filtering.committee.features", None)
    again = prepare_committee(made, SMALL, folder=tmp_path, runtime=Runtime(device="cpu"))
    assert np.array_equal(once.features, again.features)
    assert np.array_equal(once.tags.ids, again.tags.ids)
    other = SMALL.model_copy(update={"language": LanguageParams(size=9)})
    with pytest.raises(TypeError):  # other settings are another language model, which is not known yet
        prepare_committee(made, other, folder=tmp_path, runtime=Runtime(device="cpu"))

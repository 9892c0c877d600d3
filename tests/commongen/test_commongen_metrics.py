"""The metrics of concept sets: against pycocoevalcap and rouge-score, against the paper's example, and by law."""

import json
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.rouge.rouge import Rouge
from rouge_score.rouge_scorer import RougeScorer

from cli_support import run
from situatedgen.commongen.examples import Example
from situatedgen.commongen.metrics import Reply, coverage, human_bound, pivots, recall, replies_of, score_concepts
from situatedgen.commongen.tables import published_numbers
from situatedgen.errors import PredictionError
from situatedgen.evaluation import references
from situatedgen.evaluation.preferences import Choice, Duel, Matrix, Preference, duels, judge_correlation, matrix
from situatedgen.models.registry import load
from situatedgen.params import ModelParams
from situatedgen.records import Token
from situatedgen.runtime import Runtime

WORDS = "the a dog cat runs jumps over under big red ball".split()


def captions() -> tuple[list[str], list[list[str]]]:
    chance = random.Random(3)
    texts = [" ".join(chance.choices(WORDS, k=chance.randint(1, 12))) for _ in range(400)]
    known = [[" ".join(chance.choices(WORDS, k=chance.randint(1, 12))) for _ in range(1 + n % 4)] for n in range(80)]
    return [known[n][0] if n % 5 == 0 else texts[n] for n in range(80)], known


def by_number(predictions: list[str], known: list[list[str]]) -> tuple[dict, dict]:
    return dict(enumerate(known)), {number: [text] for number, text in enumerate(predictions)}


@pytest.mark.parametrize("longest", [3, 4])
def test_bleu_is_that_of_pycocoevalcap(longest: int) -> None:
    predictions, known = captions()
    theirs, _ = Bleu(4).compute_score(*by_number(predictions, known), verbose=0)
    ours = references.bleu(predictions, known, longest=longest)
    assert ours.score() == pytest.approx(100 * theirs[longest - 1])


def test_rouge_l_and_cider_are_those_of_pycocoevalcap() -> None:
    predictions, known = captions()
    _, theirs = Rouge().compute_score(*by_number(predictions, known))
    np.testing.assert_allclose(references.rouge_l(predictions, known).alone(), 100 * theirs)
    _, theirs = Cider().compute_score(*by_number(predictions, known))
    np.testing.assert_allclose(references.cider(predictions, known).alone(), 10 * theirs, atol=1e-9)


def test_rouge_2_is_the_best_of_rouge_score() -> None:
    predictions, known = captions()
    scorer = RougeScorer(["rouge2"])
    theirs = [
        100 * scorer.score_multi(each, text)["rouge2"].fmeasure for text, each in zip(predictions, known, strict=True)
    ]
    np.testing.assert_allclose(references.rouge_2(predictions, known).alone(), theirs)


def parse(words: str) -> tuple[str, list[Token]]:
    """A sentence and its parse, from words as `picks/pick/VERB/ROOT/1`: lemma, part of speech, role and head."""
    text, tokens = "", []
    for word, lemma, part, role, head in (each.split("/") for each in words.split()):
        start = len(text) + bool(text)
        text = f"{text} {word}".strip()
        tokens.append(Token(start, start + len(word), lemma, "", part, role, int(head)))
    return text, tokens


PICKED = "{0}/{0}/NOUN/nsubj/1 picks/pick/VERB/ROOT/1 {1}s/{1}/NOUN/dobj/1 from/from/ADP/prep/1 {2}s/{2}/NOUN/pobj/3"
PICKS = parse(PICKED.format("boy", "apple", "tree"))
SWAPPED = parse(PICKED.format("girl", "tree", "apple"))
CONCEPTS = ("apple_N", "pick_V", "tree_N")


def test_paths_name_relations_and_the_concepts_they_pass() -> None:
    assert pivots(CONCEPTS, *PICKS) == {
        ("apple_N", "<dobj", "pick_V"),
        ("apple_N", "<dobj", "pick_V", ">prep", "*", ">pobj", "tree_N"),
        ("pick_V", ">prep", "*", ">pobj", "tree_N"),
    }


def test_other_agents_keep_the_paths_and_swapped_concepts_lose_them() -> None:
    known = pivots(CONCEPTS, *PICKS)
    assert recall(known, [known]) == 1.0
    assert recall(pivots(CONCEPTS, *SWAPPED), [known]) == 0.0
    assert recall(known, [pivots(CONCEPTS, *SWAPPED), known]) == 1.0
    assert recall(known, [frozenset()]) == 0.0


HEADS = st.integers(1, 8).flatmap(
    lambda size: st.tuples(*(st.integers(0, max(number - 1, 0)) for number in range(size)))
)


@given(HEADS)
def test_a_path_has_a_relation_for_each_step_of_the_shortest_way(heads: tuple[int, ...]) -> None:
    """Every word is a concept, so that a path names words and relations in turn; its length is that of a search."""
    names = [f"w{number}_N" for number in range(len(heads))]
    words = " ".join(f"w{number}/w{number}/NOUN/dep/{head}" for number, head in enumerate(heads))
    near = {
        number: {head, *(n for n, h in enumerate(heads) if h == number)} - {number} for number, head in enumerate(heads)
    }
    for path in pivots(names, *parse(words)):
        start, end = names.index(path[0]), names.index(path[-1])
        reached, steps = {start}, 0
        while end not in reached:
            reached, steps = reached | {other for each in reached for other in near[each]}, steps + 1
        assert sum(part[0] in "<>" for part in path) == steps
        assert [names.index(part) for part in path[::2]][-1] == end
        assert all(names.index(b) in near[names.index(a)] for a, b in zip(path[::2], path[2::2], strict=False))


def test_coverage_asks_for_the_part_of_speech_where_it_should() -> None:
    asked = ("pick_N", "apple_N", "trees_N", "moon_N")
    assert coverage(asked, *PICKS, by_part=False) == 0.75
    assert coverage(asked, *PICKS, by_part=True) == 0.5


EXAMPLES = (
    Example(("dog_N", "run_V"), ("A dog runs home.", "The dog ran.", "Dogs run.")),
    Example(("cat_N", "sleep_V"), ("A cat sleeps.",)),
)


def test_each_sentence_is_compared_with_the_others() -> None:
    bound = human_bound(EXAMPLES)
    assert [(each.text, each.references) for each in bound] == [
        ("A dog runs home.", ("The dog ran.", "Dogs run.")),
        ("The dog ran.", ("A dog runs home.", "Dogs run.")),
        ("Dogs run.", ("A dog runs home.", "The dog ran.")),
    ]


@pytest.mark.weights
@pytest.mark.slow
def test_all_metrics_that_can_run_are_scored() -> None:
    parser = load("parser", ModelParams(name="spacy"), Runtime())
    replies = [Reply(("dog_N", "run_V"), "A dog runs home.", ("A dog runs home.", "Dogs run."))]
    found = score_concepts(replies, parser)
    for name in ("ROUGE-2", "ROUGE-L", "BLEU-3", "BLEU-4", "PosCov", "LemCov", "PivotScore"):
        assert found.values[name] == pytest.approx(100), name
    with pytest.raises(PredictionError, match="expected one or more replies, each with references"):
        score_concepts([], parser)


@pytest.mark.weights
@pytest.mark.slow
def test_the_command_scores_systems_below_the_human_bound(tmp_path: Path) -> None:
    rows = [{"concept_set": "#".join(each.concepts), "scene": each.scenes} for each in EXAMPLES]
    for split in ("train", "dev", "test"):
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        (tmp_path / f"commongen.{split}.jsonl").write_text(lines, "utf-8")
    (tmp_path / "mine.txt").write_text("A dog runs home.\nA bird sings.\n", "utf-8")
    command = ("commongen", "score", tmp_path, tmp_path / "mine.txt", "--bert-model", "odd")
    found = json.loads(run(*command, "--json"))
    assert found["mine"]["values"]["LemCov"] == 50
    assert found["human bound"]["replies"] == 3
    shown = run(*command)
    assert "human bound, published" in shown
    assert "PivotBERT is absent: the layer of odd to compare is unknown" in shown


def test_a_file_answers_every_set(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("A dog.\nA cat.\n", "utf-8")
    assert [each.text for each in replies_of(path, EXAMPLES)] == ["A dog.", "A cat."]
    path.write_text("A dog.\n\n", "utf-8")
    with pytest.raises(PredictionError, match="line 2: expected a sentence"):
        replies_of(path, EXAMPLES)
    path.write_text("A dog.\n", "utf-8")
    with pytest.raises(PredictionError, match="expected a line for each of 2 sets, found 1"):
        replies_of(path, EXAMPLES)


def test_the_published_overall_column_follows_from_the_published_matrix() -> None:
    quoted = published_numbers()["preferences"]
    names = quoted["systems"]
    others = {name: [other for other in names if other != name] for name in names}
    rows = dict(zip(names, quoted["shares"], strict=True))
    shares = {(name, other): share for name in names for other, share in zip(others[name], rows[name], strict=True)}
    found = Matrix(tuple(names), shares, {}).overall(dict(zip(names, quoted["coverage"], strict=True)))
    assert found == pytest.approx(dict(zip(names, quoted["overall"], strict=True)), abs=0.006)


CHOICES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from(Choice)).filter(
        lambda row: row[0] != row[1]
    )
)


@given(CHOICES)
def test_two_systems_share_a_hundred_per_cent(rows: list[tuple[str, str, Choice]]) -> None:
    found = matrix(Preference(Duel("i", "x", "y", left, right), "judge", choice) for left, right, choice in rows)
    assert all(share + found.shares[right, left] == pytest.approx(100) for (left, right), share in found.shares.items())
    mirrored = {Choice.LEFT: Choice.RIGHT, Choice.RIGHT: Choice.LEFT, Choice.EQUAL: Choice.EQUAL}
    turned = matrix(
        Preference(Duel("i", "y", "x", right, left), "judge", mirrored[choice]) for left, right, choice in rows
    )
    assert turned.judged == found.judged
    assert turned.shares == pytest.approx(found.shares)


def test_judges_who_agree_correlate() -> None:
    def chosen(judge: str, *, turned: bool) -> list[Preference]:
        order = ["a", "b", "c"][:: -1 if turned else 1]
        pairs = [(order[0], order[1]), (order[0], order[2]), (order[1], order[2])]
        return [Preference(Duel("i", "x", "y", left, right), judge, Choice.LEFT) for left, right in pairs]

    assert judge_correlation([*chosen("one", turned=False), *chosen("two", turned=False)]) == pytest.approx(1)
    assert judge_correlation([*chosen("one", turned=False), *chosen("two", turned=True)]) == pytest.approx(-1)
    assert judge_correlation(chosen("one", turned=False)) is None


def test_only_sentences_that_cover_the_same_are_set_against_each_other() -> None:
    texts = {"one": {"i": "dog runs", "j": "cat"}, "two": {"i": "run dog", "j": "cat sleeps"}, "three": {"j": "a cat"}}
    found = duels(texts, lambda _, text: frozenset(word[:3] for word in text.split() if len(word) > 1))
    assert sorted((each.item, *sorted((each.left_system, each.right_system))) for each in found) == [
        ("i", "one", "two"),
        ("j", "one", "three"),
    ]
    assert all(texts[each.left_system][each.item] == each.left for each in found)

"""The baselines without weights: what each writes, and that nothing but the case and the lessons counts."""

import json
from argparse import Namespace
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from cli_support import run
from situatedgen.baselines.simple import (
    BASELINES,
    MOST_WEIGHED,
    Aids,
    Case,
    Lesson,
    Vectors,
    cases,
    choose_baselines,
    copy_keywords,
    fill,
    group_keywords,
    lessons,
    nearest,
    one_sentence,
    part_keywords,
    replacements,
    split_in_halves,
    write_predictions_of,
)
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import ModelError, SettingsError
from situatedgen.evaluation.results import read_evaluation
from situatedgen.models.fakes import FakeEncoder
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

WORDS = st.lists(st.sampled_from(["July", "China", "Winter", "One day", "Axis"]), min_size=2, max_size=8)
# Places lie one way, crops another.
PLANE = {"Japan": [1, 0], "Kenya": [0.96, 0.28], "Peru": [0.96, -0.28], "rice": [0, 1], "tea": [0.28, 0.96]}
FARMS = Lesson("t|u", ("rice", "Peru", "tea", "Kenya"), (0, 0, 1, 1), ("Rice grows in Peru.", "Tea grows in Kenya."))
MEALS = Lesson("v|w", ("Peru", "rice"), (0, 1), ("Peru is high.", "They eat rice."))
JAPAN = Case("a|b", ("Japan", "rice", "Kenya", "tea"))


class Plane:
    """An encoder that knows a few words, and counts how often it is asked."""

    asked = 0

    def encode(self, texts: list[str]) -> NDArray[np.float32]:
        self.asked += 1
        return np.array([PLANE[text] for text in texts], dtype=np.float32)


def aids(given: list[Case], known: list[Lesson], encoder: Any = None, seed: int = 0) -> Aids:
    return Aids(known, given, seed, lambda: encoder or Plane())


def fake() -> FakeEncoder:
    return FakeEncoder(ModelParams(name="fake"), Runtime())


def test_copied_gives_the_keywords_back_as_they_were_given() -> None:
    assert copy_keywords([JAPAN], aids([JAPAN], [])) == ["Japan, rice, Kenya, tea."]


@given(keywords=WORDS, seed=st.integers(0, 5))
def test_halves_hold_every_keyword_once(keywords: list[str], seed: int) -> None:
    case = Case("a|b", tuple(keywords))
    [text] = split_in_halves([case], aids([case], [], seed=seed))
    first, second = (half.split(", ") for half in text.removesuffix(".").split(". "))
    assert Counter(first + second) == Counter(keywords)
    assert len(first) - len(second) in (0, 1)


def test_halves_depend_on_the_seed_and_the_example_not_on_the_others() -> None:
    many = [Case(str(number), JAPAN.keywords) for number in range(20)]
    texts = split_in_halves(many, aids(many, []))
    assert len(set(texts)) > 5
    assert split_in_halves(many[7:8], aids(many, [])) == texts[7:8]
    assert split_in_halves(many, aids(many, [], seed=1)) != texts


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        (("Japan", "rice", "Kenya", "tea"), "Japan, Kenya. Rice, tea."),  # places here, crops there
        (("rice", "Japan", "tea"), "Rice, tea. Japan."),  # the first keyword is in the first line
        (("Japan", "rice", "Japan"), "Japan, rice. Japan."),  # the same word twice stands in both
        (("Japan",), "Japan."),  # nothing to part
    ],
)
def test_grouped_puts_like_words_together(keywords: tuple[str, ...], text: str) -> None:
    case = Case("a|b", keywords)
    assert group_keywords([case], aids([case], [])) == [text]


@given(st.integers(2, 7).flatmap(lambda n: st.lists(st.integers(-9, 9), min_size=n * n, max_size=n * n)))
def test_parting_finds_the_best_of_all_ways(numbers: list[int]) -> None:
    count = round(len(numbers) ** 0.5)
    likeness = np.array(numbers, dtype=np.float64).reshape(count, count)
    likeness = likeness + likeness.T

    def within(sides: tuple[int, ...]) -> float:
        return sum(likeness[i, j] for i in range(count) for j in range(i) if sides[i] == sides[j])

    ways = [sides for sides in product((0, 1), repeat=count) if sides[0] == 0 and any(sides)]
    assert within(tuple(part_keywords(likeness))) == max(map(within, ways))


def test_many_keywords_are_parted_by_the_main_direction() -> None:
    sides = [0, 1] * MOST_WEIGHED
    likeness = np.array([[1.0 if one == two else -1.0 for two in sides] for one in sides])
    assert part_keywords(likeness) == sides
    assert sorted(set(part_keywords(np.ones((20, 20))))) == [0, 1]


def test_nearest_puts_each_keyword_where_its_like_was() -> None:
    """Peru's like is Japan, Kenya stays itself; so with rice and tea."""
    assert nearest([JAPAN], aids([JAPAN], [FARMS, MEALS])) == ["Rice grows in Japan. Tea grows in Kenya."]
    assert one_sentence([JAPAN], aids([JAPAN], [FARMS, MEALS])) == ["Rice grows in Japan."]


def test_nearest_takes_the_most_alike_of_as_many_keywords() -> None:
    case = Case("a|b", ("Japan", "Kenya"))
    places = Lesson("x|y", ("Peru", "Kenya"), (0, 1), ("Peru is far.", "Kenya is near."))
    assert nearest([case], aids([case], [FARMS, MEALS, places])) == ["Japan is far. Kenya is near."]


@pytest.mark.parametrize(
    ("keywords", "text"),
    [
        (("Japan", "tea", "rice"), "Japan is high. They eat rice."),  # one too many is left out
        (("tea",), "Peru is high. They eat tea."),  # a place without a keyword keeps its own
    ],
)
def test_nearest_copes_with_other_counts(keywords: tuple[str, ...], text: str) -> None:
    case = Case("a|b", keywords)
    assert nearest([case], aids([case], [MEALS])) == [text]


def test_replacements_are_best_together_not_one_by_one() -> None:
    """Kenya is most like itself (1, Peru 0.84), but then Peru would stand for rice (-0.28, Kenya 0.28)."""
    known = Vectors({word: number for number, word in enumerate(PLANE)}, Plane().encode(list(PLANE)))
    assert replacements(["Kenya", "rice"], ["Kenya", "Peru"], known) == ["Peru", "Kenya"]


@pytest.mark.parametrize(
    ("statement", "old", "new", "text"),
    [
        ("York is north of New York.", ("York", "New York"), ("Bath", "Delhi"), "Bath is north of Delhi."),  # within
        ("The cats eat cat food.", ("cat",), ("dog",), "The cats eat dog food."),  # whole words alone
        ("Rain falls, and rain ends.", ("Rain", "rain"), ("snow", "hail"), "Snow falls, and hail ends."),  # casing
        ("Japan has tea.", ("Japan", "tea"), ("tea", "Japan"), "Tea has Japan."),  # all at once
        ("It costs $5 (or 5.5).", ("$5", "5.5"), (r"\1", "6"), r"It costs \1 (or 6)."),  # signs are no pattern
        ("iPads are new.", ("iPads",), ("maps",), "maps are new."),  # no capital where there was none
    ],
)
def test_filling(statement: str, old: tuple[str, ...], new: tuple[str, ...], text: str) -> None:
    lesson = Lesson("a|b", old, (0,) * len(old), (statement, "Unchanged tea."))
    assert fill(lesson, new) == (text, "Unchanged tea.")


def test_own_keywords_give_the_statements_back(tiny: Any) -> None:
    known = lessons(read_examples(tiny.out))
    assert [fill(lesson, lesson.keywords) for lesson in known] == [lesson.statements for lesson in known]
    gone = [" ".join(fill(lesson, ["@"] * len(lesson.keywords))) for lesson in known]
    assert all("@" in text for text in gone)


def test_nearest_covers_the_keywords_of_the_sample(tiny: Any) -> None:
    texts = write_predictions_of(["nearest"], read_examples(tiny.out), split="test", seed=0, encoder=fake)["nearest"]
    given = cases(read_examples(tiny.out), "test")
    found = [keyword.lower() in texts[case.example_id].lower() for case in given for keyword in case.keywords]
    assert np.mean(found) > 0.98


def test_every_baseline_writes_a_line_for_every_example(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    made = write_predictions_of(choose_baselines("all"), examples, split="dev", seed=0, encoder=fake)
    expected = examples.filter(pl.col("split") == "dev")["example_id"].sort().to_list()
    assert list(made) == list(BASELINES)
    assert all(list(texts) == expected for texts in made.values())
    assert all(text.strip() and "\n" not in text for texts in made.values() for text in texts.values())


def test_no_baseline_sees_an_answer(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    is_test = pl.col("split") == "test"
    blind = examples.with_columns(
        pl.when(is_test).then(pl.lit(["?", "?"])).otherwise("statements").alias("statements"),
        pl.when(is_test).then(pl.lit([], pl.List(pl.Int64))).otherwise("keywords_pos").alias("keywords_pos"),
        pl.when(is_test).then(pl.lit("?")).otherwise("statement").alias("statement"),
    )
    order = {"split": "test", "seed": 0, "encoder": fake}
    assert write_predictions_of(choose_baselines("all"), blind, **order) == write_predictions_of(
        choose_baselines("all"), examples.reverse(), **order
    )


def test_the_encoder_is_loaded_once_and_only_when_needed(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    write_predictions_of(["copied", "halves"], examples, split="test", seed=0, encoder=None)
    encoder = Plane()
    shared = aids([JAPAN], [FARMS, MEALS], encoder)
    for name in choose_baselines("all"):
        BASELINES[name]([JAPAN], shared)
    assert encoder.asked == 1


def test_an_encoder_that_answers_wrongly_is_named() -> None:
    with pytest.raises(ModelError, match="encoder's vector for 'Japan' has length"):
        nearest(
            [JAPAN], aids([JAPAN], [FARMS], Namespace(encode=lambda texts: np.full((len(texts), 2), 3, np.float32)))
        )


def test_the_command_writes_predictions_that_are_the_same_again(tiny: Any, tmp_path: Path) -> None:
    for folder in ("one", "two"):
        run("baseline", "run", "all", "--dataset", tiny.out, "--preset", "tiny", "--out", tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(f"{name}.jsonl" for name in BASELINES)
    assert all((tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes() for name in names)
    rows = [json.loads(line) for line in (tmp_path / "one/copied.jsonl").read_text("utf-8").splitlines()]
    given = cases(read_examples(tiny.out), "test")
    texts = copy_keywords(given, aids([], []))
    assert rows == [{"example_id": case.example_id, "text": text} for case, text in zip(given, texts, strict=True)]


@pytest.mark.weights
def test_the_command_scores_what_it_wrote(tiny: Any, tmp_path: Path) -> None:
    """What the metrics can be fooled by: a list covers all, chance finds most groups, an old sentence reads best."""
    shown = run("baseline", "run", "all", "--dataset", tiny.out, "--preset", "tiny", "--out", tmp_path, "--score")
    scored = {each.system: each.values for each in read_evaluation(tmp_path / "scores.json").systems}
    assert list(scored) == list(BASELINES)
    assert [round(scored[name]["COVERAGE"]) for name in ("copied", "halves", "grouped")] == [100, 100, 100]
    assert scored["one-sentence"]["MATCH"] < 50 <= scored["copied"]["MATCH"] < 60 < scored["halves"]["MATCH"]
    assert max(scored, key=lambda name: scored[name]["BLEU-4"]) == "nearest"
    assert "InstructGPT" in shown
    assert "nearest" in (tmp_path / "leaderboard.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nearset",), "unknown baseline 'nearset'.*did you mean 'nearest'"),  # a slip of the pen
        (("copied", "--split", "tests"), "unknown split 'tests'; known: dev, test, train"),  # no such split
        (("copied", "--preset", "tinny"), "unknown preset 'tinny'"),  # no such preset
    ],
)
def test_the_command_refuses(arguments: tuple[str, ...], message: str, tiny: Any, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=message):
        run("baseline", "run", *arguments, "--dataset", tiny.out, "--out", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_dataset_without_what_is_needed_is_refused(tiny: Any) -> None:
    examples = read_examples(tiny.out)
    without_test, without_train = (examples.filter(pl.col("split") != split) for split in ("test", "train"))
    with pytest.raises(SettingsError, match="'test' has no examples"):
        write_predictions_of(["copied"], without_test, split="test", seed=0, encoder=fake)
    with pytest.raises(SettingsError, match="no training examples"):
        write_predictions_of(["nearest"], without_train, split="test", seed=0, encoder=fake)

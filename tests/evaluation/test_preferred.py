"""Which systems people prefer, in an evaluation: numbers, words, picture, page."""

import json
from pathlib import Path

import pytest

from cli_support import run
from review_support import ballot, place_pairs, write_dataset
from situatedgen.evaluation.predictions import examples_of, read_predictions, write_predictions
from situatedgen.evaluation.preferences import Comparisons, comparisons, picture, preference_rows, preferences
from situatedgen.evaluation.results import Preferences
from situatedgen.models.lemmas import Lemmatiser
from situatedgen.review.ballots import Task
from storage.annotation.log import Log

IDS = [f"own::train::{2 * number}|own::train::{2 * number + 1}" for number in range(3)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three examples; `mine` turns the sentences round, but leaves a place out once and copies the reference once."""
    pairs = place_pairs(3)
    write_dataset(tmp_path / "dataset", pairs)
    texts = [f"{pairs[0][1]} {pairs[0][0]}", pairs[1][0], " ".join(pairs[2])]
    write_predictions(tmp_path / "mine.jsonl", zip(IDS, texts, strict=True))
    return tmp_path


def compared(folder: Path) -> Comparisons:
    examples = examples_of(folder / "dataset", "test")
    return comparisons(examples, [read_predictions(folder / "mine.jsonl", examples)], Lemmatiser())


def test_only_texts_that_differ_and_cover_the_same_are_compared(folder: Path) -> None:
    found = compared(folder)
    assert [item.item_id for item in found.items] == [f"{IDS[0]} mine reference"]
    assert (found.uneven, found.equal) == (1, 1)
    assert found.items[0].content.keywords == ("Japan", "July", "Brazil")


FOUND = Preferences(
    systems=("mine", "reference"),
    shares=((None, 25.0), (75.0, None)),
    judged=((0, 2), (2, 0)),
    means={"mine": 25.0, "reference": 75.0},
    overall={"mine": 20.0, "reference": 75.0},
    judges=2,
    comparisons=2,
    correlation=None,
)


def test_ballots_become_a_matrix(folder: Path) -> None:
    """Anna prefers the reference, ben neither: 75 to 25 per cent; with a COVERAGE of 80 the 25 are 20."""
    (item,) = compared(folder).items
    reference = " ".join(place_pairs(1)[0])
    better = {"better": str(item.content.texts.index(reference) + 1)}
    said = [
        ballot("anna", "x", better, task=Task.PREFER, content=item.content),
        ballot("ben", "x", {"better": "equal"}, task=Task.PREFER, content=item.content),
    ]
    examples = examples_of(folder / "dataset", "test")
    systems = [read_predictions(folder / "mine.jsonl", examples)]
    assert preferences(said, examples, systems, {"mine": 80.0}, Lemmatiser()) == FOUND
    unweighted = preferences(said, examples, systems, {}, Lemmatiser())
    assert unweighted == FOUND.model_copy(update={"overall": {}})
    assert preferences([], examples, systems, {}, Lemmatiser()) is None
    log = Log(folder / "decisions")
    assert log.add_all(said) == 2


def test_the_matrix_in_words() -> None:
    rows = preference_rows(FOUND)
    assert rows.header == ("preferred", "mine", "reference", "mean", "× COVERAGE")
    assert rows.rows == (("mine", "–", "25.0 [2]", "25.0", "20.0"), ("reference", "75.0 [2]", "–", "75.0", "75.0"))
    assert rows.title.endswith("2 comparisons by 2 people")


def test_the_picture_is_text_whatever_a_system_is_called() -> None:
    drawn = picture(FOUND.model_copy(update={"systems": ("<script>alert(1)", "a system of a long name")}))
    assert drawn.count("<rect") == 2
    assert "<script" not in drawn
    assert ">a system of a l…<" in drawn


def test_evaluate_tells_what_people_preferred(folder: Path) -> None:
    test_ballots_become_a_matrix(folder)
    options = ("--dataset", folder / "dataset", "--out", folder / "scores", "--metrics", "COVERAGE")
    shown = run("evaluate", folder / "mine.jsonl", *options, "--decisions", folder / "decisions")
    assert "the row is preferred to the column" in " ".join(shown.split())
    told = json.loads((folder / "scores" / "scores.json").read_text("utf-8"))["preferences"]
    assert told["shares"] == [[None, 25.0], [75.0, None]]
    assert told["overall"]["mine"] == pytest.approx(25 * (1 + 2 / 3 + 1) / 3)
    page = (folder / "scores" / "scores.html").read_text("utf-8")
    assert (folder / "scores" / "preferences.svg").read_text("utf-8") in page

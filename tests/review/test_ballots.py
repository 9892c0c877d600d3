"""Ballots: what may be said of several texts, how it is known, written down, shown, and compared."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from review_support import WHEN, asked, ballot, decision, ranking_answers, write_questions
from situatedgen.errors import DecisionError, SettingsError
from situatedgen.evaluation.preferences import Duel, preferences_of
from situatedgen.review import agreement
from situatedgen.review.active_decisions import active_ballots, active_decisions
from situatedgen.review.agreement import Work
from situatedgen.review.ballot_results import ballot_agreement
from situatedgen.review.ballots import (
    Ballot,
    Candidates,
    Item,
    Task,
    ballot_view,
    candidates,
    check_ballot,
    shown_order,
    shuffle_items,
)
from situatedgen.review.decisions import Undo
from situatedgen.review.log_format import CHECK, checksum, entry_of, line
from storage.annotation.gold import read_choices
from storage.annotation.log import Log
from storage.inputs import read_decisions

GOOD = ranking_answers(1, 2, "lluu")
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20).filter(lambda text: text.strip() != "")


@given(st.lists(WORDS, min_size=2, max_size=6), st.randoms())
def test_candidates_are_known_by_their_content_alone(texts, chance):
    turned = list(texts)
    chance.shuffle(turned)
    one, two = (candidates("  a  context", ("b", "a"), tuple(each)) for each in (texts, turned))
    assert one.key == two.key == candidates("a context", ("a", "b"), tuple(texts)).key
    assert one.key != candidates("a context", ("a",), tuple(texts)).key


@given(WORDS, st.lists(WORDS, max_size=3), WORDS)
def test_a_line_says_what_a_ballot_says(context, keywords, note):
    content = candidates(context, tuple(keywords), ("a", "b", "c", "d"))
    made = ballot("anna", "x", GOOD, content=content, order=(3, 1, 4, 2), note=note)
    assert entry_of(line(made)) == made


@pytest.mark.parametrize(
    ("alter", "reason"),
    [
        (lambda told: told.update(task="rate"), "is not a task"),
        (lambda told: told.update(texts=["a", "b", "c", "e"]), "item mismatch"),
        (lambda told: told.update(order=[1, 1, 2, 3]), "is not an order"),
        (lambda told: told["answers"].update({"4": "so-so"}), "is not a likelihood"),
        (lambda told: told.update(more=1), "not a decision"),
        (lambda told: told.update(kind="vote"), "not a decision"),
    ],
)
def test_a_line_that_no_page_wrote_is_refused(alter: Callable[[dict[str, object]], None], reason: str) -> None:
    told = json.loads(line(ballot("anna", "x", GOOD)))
    told.pop(CHECK)
    alter(told)
    with pytest.raises(DecisionError, match=reason):
        entry_of(json.dumps({**told, CHECK: checksum(told)}))


@pytest.mark.parametrize(
    ("task", "answers", "reason"),
    [
        (Task.RANK, {**GOOD, "second": "1"}, "cannot be '1' and '1'"),  # one text twice
        (Task.RANK, {**GOOD, "best": "5"}, "cannot be '5' and '2'"),  # no such text
        (Task.RANK, {**GOOD, "5": "likely"}, "unknown 5"),
        (Task.RANK, {name: said for name, said in GOOD.items() if name != "best"}, "no answer to best"),
        (Task.RANK, {**GOOD, "3": "best"}, "'best' is not a likelihood"),
        (Task.PREFER, {}, "expected better to be 1, 2 or equal"),
        (Task.PREFER, {"better": "3"}, "expected better to be 1, 2 or equal"),
        (Task.PREFER, {"better": "1", "more": "2"}, "expected better to be 1, 2 or equal"),
    ],
)
def test_what_is_no_ranking_or_comparison_is_refused(task: Task, answers: dict[str, str], reason: str) -> None:
    with pytest.raises(DecisionError, match=reason):
        check_ballot(ballot("anna", "x", answers, task=task, content=asked("x", 4 if task is Task.RANK else 2)))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (Candidates("c", (), ("a",)), "2 to 12 texts"),
        (Candidates("c", (), ("a", " ")), "empty"),
        (Candidates("c", (), ("a", "a ")), "are identical"),
        (Candidates("c", (), ("b", "a")), "alphabetical order"),
        (Candidates("c", (), ("a", "b" * 10_001)), "10,000 characters"),
    ],
)
def test_what_nobody_can_judge_is_refused(content: Candidates, reason: str) -> None:
    with pytest.raises(DecisionError, match=reason):
        check_ballot(ballot("anna", "x", {"better": "1"}, task=Task.PREFER, content=content))


def test_a_ballot_stands_until_it_is_replaced_or_taken_back() -> None:
    first, other = ballot("anna", "x", GOOD), ballot("anna", "x", ranking_answers(2, 1, "lluu"))
    of_ben, pair = ballot("ben", "x", GOOD), decision("anna", "x")
    undo = Undo("undo-0001", "anna", other.decision_id, WHEN)
    assert active_ballots([first, other, of_ben, pair]) == (other, of_ben)
    assert active_ballots([first, other, of_ben, undo]) == (first, of_ben)
    assert active_decisions([first, other, of_ben, pair]) == (pair,)


def test_ballots_and_decisions_share_a_log(tmp_path: Path) -> None:
    log = Log(tmp_path)
    made, pair = ballot("anna", "x", GOOD), decision("anna", "x")
    assert log.add(made)
    assert log.add(pair)
    assert not log.add(made)
    with pytest.raises(DecisionError, match="belongs to another decision"):
        log.add(replace(made, note="changed"))
    log.add(Undo("undo-0001", "anna", made.decision_id, WHEN))
    reading = Log(tmp_path).read()
    assert (reading.ballots, reading.decisions, reading.faults) == ((), (pair,), ())


def test_a_build_takes_in_decisions_about_pairs_alone(tmp_path: Path) -> None:
    log = Log(tmp_path)
    log.add(decision("anna", "x"))
    before = read_decisions(tmp_path)
    log.add(ballot("anna", "x", GOOD))
    assert_frame_equal(read_decisions(tmp_path), before)


@given(st.text(min_size=1, max_size=5), st.integers(0, 5), st.integers(2, 8))
def test_everyone_sees_all_texts_in_an_order_of_their_own(annotator, seed, size):
    order = shown_order(asked("x", size), annotator, seed=seed)
    assert sorted(order) == list(range(1, size + 1))
    assert order == shown_order(asked("x", size), annotator, seed=seed)


def test_orders_differ_between_people_and_items() -> None:
    orders = {shown_order(asked(name, 6), person, seed=0) for name in "xyz" for person in ("anna", "ben")}
    assert len(orders) == 6


def test_items_are_dealt_in_an_order_that_others_do_not_change() -> None:
    items = [Item(name, "test", asked(name)) for name in "abcdefgh"]
    everyone = shuffle_items(items, seed=3)
    assert sorted(item.item_id for item in everyone) == list("abcdefgh")
    assert [item for item in everyone if item.item_id != "c"] == shuffle_items(
        [i for i in items if i.item_id != "c"], seed=3
    )
    assert shuffle_items(items, seed=3, size=3) == everyone[:3]


def test_a_text_is_shown_with_its_keywords_and_without_what_is_right() -> None:
    content = candidates("", ("Spain", "bulls"), ("Bulls run in Spain.", "In Peru, Spain has no bulls."))
    view = ballot_view(content, (2, 1))
    assert [(text.number, text.place) for text in view.texts] == [(2, 1), (1, 2)]
    assert [(part.text, part.kind) for part in view.texts[1].parts] == [
        ("Bulls", "keyword"),
        (" run in ", ""),
        ("Spain", "place"),
        (".", ""),
    ]
    assert [(chip.text, chip.kind) for chip in view.chips] == [("Spain", "place"), ("bulls", "")]
    assert ["".join(part.text for part in text.parts) for text in view.texts] == list(reversed(content.texts))


def test_a_cluster_is_drawn_as_a_whole() -> None:
    codes = np.array([(0, 0), (0, 1), (1, 1), (1, 1)], dtype=np.int64)
    rows = agreement.percent(codes, 2)
    together = agreement.cluster_sums(rows, np.array([7, 7, 9, 9]))
    assert together.rows.tolist() == [[2, 4], [4, 4]]
    assert together.score() == rows.score() == 0.75


def test_agreement_worked_by_hand() -> None:
    """Ten items of four texts; on two of them anna and ben change best and second over.

    Places: 20 best, 20 second, 40 neither, whose middles are 10, 30 and 60. Eight coincidences of best and second
    are 20 apart: 8 * 400 = 3,200. By chance 2 * (20 * 20 * 20² + 20 * 40 * 30² + 20 * 40 * 50²) = 5,760,000 of 79.
    They agree on 36 of 40.
    """
    said = [ballot("anna", str(number), GOOD) for number in range(10)]
    said += [ballot("ben", str(number), ranking_answers(2, 1, "lluu") if number < 2 else GOOD) for number in range(10)]
    report = ballot_agreement(said, Task.RANK, right={asked(str(number)).key: 1 for number in range(8)})
    assert report.overall.criterion == "place"
    assert report.overall.pairs == 10
    assert report.overall.alpha.value == pytest.approx(1 - 79 * 3_200 / 5_760_000)
    assert report.overall.percent.value == pytest.approx(0.9)
    (likelihood,) = report.criteria
    assert likelihood.alpha.value == pytest.approx(1)
    assert [(each.left, each.right, each.pairs) for each in likelihood.between] == [("anna", "ben", 10)]
    assert report.people == (Work("anna", 10, 8, 5.0), Work("ben", 10, 8, 5.0))
    alone = ballot_agreement([ballot("anna", "x", GOOD)], Task.RANK)
    assert (alone.overall.pairs, alone.overall.alpha.value, alone.people[0].valid) == (0, None, None)


def test_questions_are_read_with_the_right_text_where_it_stands(tmp_path: Path) -> None:
    write_questions(tmp_path, [["c right.", "a wrong.", "b wrong."]], keywords=[["Peru"]])
    found = read_choices(tmp_path, "test")
    assert found is not None
    content = Candidates("", ("Peru",), ("a wrong.", "b wrong.", "c right."))
    assert found.items == (Item("example 00", "test", content, 2),)
    row = {"row_id": 7, "context": "It rains.", "noun_phrase": "A man", "endings": ["sings.", "runs."], "label": 1}
    (tmp_path / "dev.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    other = read_choices(tmp_path, "dev")
    assert other is not None
    assert other.items == (Item("7", "dev", Candidates("It rains. A man", (), ("runs.", "sings.")), 0),)


def test_questions_without_splits_are_for_training(tmp_path: Path) -> None:
    row = {"row_id": "7", "context": "", "choices": ["A man sings.", "A man rains."], "label": 0}
    pl.DataFrame([row]).write_parquet(tmp_path / "questions.parquet")
    found = read_choices(tmp_path, "train")
    assert found is not None
    assert found.items == (Item("7", "train", Candidates("", (), ("A man rains.", "A man sings.")), 1),)
    assert read_choices(tmp_path, "test") is None


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ({"choices": ["a", "b"], "label": 0}, "expected label and example_id or item_id or row_id"),
        ({"item_id": "x", "texts": ["a", "b"], "label": 0}, "expected label and choices or endings"),
        ({"item_id": "x", "endings": ["a", "b"]}, "expected label"),
        ({"item_id": "x", "endings": ["a", "b"], "label": 2}, "has the label 2"),
        ({"item_id": "x", "endings": ["a", "a "], "label": 0}, "expected 2 to 12 different ones"),
    ],
)
def test_a_table_that_holds_no_questions_is_refused(tmp_path: Path, row: dict[str, object], reason: str) -> None:
    pl.DataFrame([row]).write_parquet(tmp_path / "test.parquet")
    with pytest.raises(SettingsError, match=f"test.parquet is not a table of questions: .*{reason}"):
        read_choices(tmp_path, "test")


def test_what_is_preferred_is_told_by_text_not_by_side() -> None:
    content = candidates("", ("k",), ("b text", "a text"))
    duels = {content.key: [Duel("i", "b text", "a text", "B", "A"), Duel("i", "a text", "b text", "A", "C")]}

    def said(judge: str, better: str) -> Ballot:
        return ballot(judge, "x", {"better": better}, task=Task.PREFER, content=content)

    found = preferences_of([said("anna", "1"), said("ben", "equal"), ballot("anna", "y", GOOD)], duels)
    assert found.matrix.shares == {("A", "B"): 75.0, ("B", "A"): 25.0, ("A", "C"): 75.0, ("C", "A"): 25.0}
    assert (found.judges, found.comparisons) == (("anna", "ben"), 4)

"""What becomes gold after people ranked endings: every case of section 3.5, and what is written."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli.app import app
from review_support import ballot, ranked, ranking_answers, write_questions
from situatedgen.errors import SettingsError
from situatedgen.review.ballot_results import Fate, GoldRules, Outcome, Question, outcome
from situatedgen.review.ballots import Likelihood, Ranking
from situatedgen.vocabulary import Split
from storage.annotation.gold import read_choices, verify
from storage.annotation.log import Log
from web_site import files_in

FOUND = 0
"""The found ending of six; the five others are generated."""
UNLIKELY = GoldRules(only_unlikely=True)


@pytest.mark.parametrize(
    ("ranking", "fate", "questions"),
    [
        # The found ending is the best: gold, against all generations that are English.
        (ranked(0, 1, "lluuuu"), Fate.KEPT, [Question(0, (1, 2, 3, 4, 5))]),
        (ranked(0, 1, "llugug"), Fate.KEPT, [Question(0, (1, 2, 4))]),
        # Even where nobody finds it likely: best and second best are asked for by themselves.
        (ranked(0, 1, "uuuuuu"), Fate.KEPT, [Question(0, (1, 2, 3, 4, 5))]),
        # It is second best: gold, and the generation before it is no wrong answer; in training that is gold, too.
        (ranked(3, 0, "lullug"), Fate.KEPT, [Question(0, (1, 2, 4)), Question(3, (1, 2, 4))]),
        # The generation before it is no English: neither wrong nor right.
        (ranked(3, 0, "lulglu"), Fate.KEPT, [Question(0, (1, 2, 4, 5))]),
        # It is neither.
        (ranked(1, 2, "llllll"), Fate.FOUND_NOT_PREFERRED, []),
        # It is no English, whatever its place.
        (ranked(0, 1, "glllll"), Fate.FOUND_GIBBERISH, []),
        (ranked(1, 2, "glllll"), Fate.FOUND_GIBBERISH, []),
        # Fewer than three endings are English.
        (ranked(0, 1, "lggggl"), Fate.TOO_FEW_SENSIBLE, []),
        (ranked(1, 2, "llgggg"), Fate.TOO_FEW_SENSIBLE, []),
        # Three are, but a question with four answers needs three wrong ones.
        (ranked(0, 1, "llugggu"[:6]), Fate.TOO_FEW_WRONG, []),
        (ranked(1, 0, "llugug"), Fate.TOO_FEW_WRONG, []),
    ],
)
def test_one_person_decides_as_in_the_paper(ranking: Ranking, fate: Fate, questions: list[Question]) -> None:
    assert outcome([ranking], FOUND, is_training=True) == Outcome(fate, tuple(questions))
    # The paper did not take generations for gold in its evaluation sets.
    assert outcome([ranking], FOUND, is_training=False) == Outcome(fate, tuple(questions[:1]))


@pytest.mark.parametrize(
    ("rankings", "rules", "expected"),
    [
        # A likely generation may be a wrong answer in the paper, and not where that is asked for.
        ([ranked(0, 1, "lluuul")], UNLIKELY, Outcome(Fate.KEPT, (Question(0, (2, 3, 4)),))),
        ([ranked(0, 1, "lluull")], UNLIKELY, Outcome(Fate.TOO_FEW_WRONG)),
        # The generation before the found ending is likely itself, and right as ever.
        ([ranked(1, 0, "lluuug")], UNLIKELY, Outcome(Fate.KEPT, (Question(0, (2, 3, 4)), Question(1, (2, 3, 4))))),
        ([ranked(0, 1, "lluuul"), ranked(0, 1, "luuuuu")], UNLIKELY, Outcome(Fate.KEPT, (Question(0, (2, 3, 4)),))),
        # Fewer wrong answers can be asked for.
        ([ranked(0, 1, "lluggg")], GoldRules(wrong=2), Outcome(Fate.KEPT, (Question(0, (1, 2)),))),
    ],
)
def test_other_wrong_answers_can_be_asked_for(rankings: list[Ranking], rules: GoldRules, expected: Outcome) -> None:
    assert outcome(rankings, FOUND, is_training=True, rules=rules) == expected


BEST, SECOND, NEITHER = ranked(0, 1, "lluuuu"), ranked(2, 0, "lluuuu"), ranked(1, 2, "lluuuu")


@pytest.mark.parametrize(
    ("rankings", "expected"),
    [
        ([], Outcome(Fate.UNJUDGED)),
        ([BEST, NEITHER], Outcome(Fate.UNDECIDED)),  # a tie proves nothing
        ([BEST, NEITHER, NEITHER], Outcome(Fate.FOUND_NOT_PREFERRED)),
        ([BEST, SECOND, NEITHER], Outcome(Fate.KEPT, (Question(0, (3, 4, 5)),))),  # whoever is best is not wrong
        ([SECOND, SECOND, BEST], Outcome(Fate.KEPT, (Question(0, (1, 3, 4, 5)), Question(2, (1, 3, 4, 5))))),
        ([SECOND, BEST], Outcome(Fate.KEPT, (Question(0, (1, 3, 4, 5)),))),  # half prefer the generation: not enough
        ([BEST, ranked(0, 1, "lluugg")], Outcome(Fate.KEPT, (Question(0, (1, 2, 3)),))),  # half say gibberish
        ([BEST, BEST, ranked(0, 1, "lluugg")], Outcome(Fate.KEPT, (Question(0, (1, 2, 3, 4, 5)),))),
    ],
)
def test_of_several_people_the_greater_part_decides(rankings: list[Ranking], expected: Outcome) -> None:
    assert outcome(rankings, FOUND, is_training=True) == expected


@st.composite
def rankings(draw: st.DrawFn, size: int = 6) -> Ranking:
    best, second = draw(st.permutations(range(size)))[:2]
    return Ranking(best, second, tuple(draw(st.lists(st.sampled_from(Likelihood), min_size=size, max_size=size))))


@given(st.lists(rankings(), max_size=4), st.integers(0, 5), st.booleans(), st.integers(1, 4), st.booleans())
def test_laws_of_gold(given_rankings, found, is_training, wrong, only_unlikely):
    rules = GoldRules(wrong=wrong, only_unlikely=only_unlikely)
    made = outcome(given_rankings, found, is_training=is_training, rules=rules)
    assert (made.fate is Fate.KEPT) == bool(made.questions)
    assert len(made.questions) <= 1 + is_training
    for number, question in enumerate(made.questions):
        assert (question.gold == found) == (number == 0)
        assert question.gold not in question.wrong
        assert found not in question.wrong
        assert len(question.wrong) >= wrong
        assert not {question.gold, *question.wrong} & agreed(given_rankings, Likelihood.GIBBERISH)
        assert not (only_unlikely and {*question.wrong} & agreed(given_rankings, Likelihood.LIKELY))
        assert not {*question.wrong} & {each.best for each in given_rankings if number == 0}


def agreed(given_rankings: list[Ranking], likelihood: Likelihood) -> frozenset[int]:
    return frozenset.intersection(*(each.texts_rated(likelihood) for each in given_rankings))


TEXTS = [[f"{letter} of {number}." for letter in ("right", "a", "b", "c", "d", "e")] for number in range(4)]


@pytest.fixture
def ranked_folder(tmp_path: Path) -> Path:
    """Four train items and one test item; sorted, their texts are a, b, c, d, e and the right one."""
    write_questions(tmp_path / "choice", TEXTS, split=Split.TRAIN)
    write_questions(tmp_path / "choice", [["right of t.", "a of t.", "b of t.", "c of t.", "d of t."]])
    log = Log(tmp_path / "decisions")
    found = read_choices(tmp_path / "choice", "train")
    test = read_choices(tmp_path / "choice", "test")
    assert found
    assert test
    said = [
        (found.items[0], ranking_answers(6, 1, "luuugl")),  # kept; e is gibberish
        (found.items[1], ranking_answers(1, 6, "luuuul")),  # kept, and a is right as well
        (found.items[2], ranking_answers(1, 2, "luuuul")),
        (test.items[0], ranking_answers(1, 5, "luuul")),  # kept, and a is no wrong answer
    ]
    for item, answers in said:
        log.add(ballot("anna", item.item_id, answers, content=item.content))
    return tmp_path


def test_verified_questions_are_written_with_their_gold(ranked_folder: Path) -> None:
    out = ranked_folder / "verified"
    made = verify(ranked_folder / "choice", Log(ranked_folder / "decisions"), out, GoldRules())
    assert made.questions == 4
    train = pl.read_parquet(out / "choice" / "train.parquet")
    told = {row["example_id"]: (row["choices"][row["label"]], row["gold"]) for row in train.iter_rows(named=True)}
    assert told == {
        "example 00": ("right of 0.", "found"),
        "example 01": ("right of 1.", "found"),
        "example 01 generated": ("a of 1.", "generated"),
    }
    assert [len(row) for row in train["choices"]] == [4, 4, 4]
    assert not [text for row in train["choices"] for text in row if text == "e of 0."]
    assert train.columns == ["example_id", "keywords", "choices", "label", "context", "ids", "gold"]
    assert train["ids"].to_list()[2] == train["ids"].to_list()[1]
    test = pl.read_parquet(out / "choice" / "test.parquet")
    assert sorted(test["choices"][0]) == ["b of t.", "c of t.", "d of t.", "right of t."]


def test_every_item_has_a_verdict_and_people_are_described(ranked_folder: Path) -> None:
    out, other = ranked_folder / "verified", ranked_folder / "again"
    for place in (out, other, out):
        verify(ranked_folder / "choice", Log(ranked_folder / "decisions"), place, GoldRules())
    assert files_in(out) == files_in(other)
    assert pl.read_parquet(out / "verdicts.parquet").rows() == [
        ("example 00", "test", "kept", 1),
        ("example 00", "train", "kept", 1),
        ("example 01", "train", "kept", 1),
        ("example 02", "train", "found_not_preferred", 1),
        ("example 03", "train", "unjudged", 0),
    ]
    summary = json.loads((out / "verified.json").read_text("utf-8"))
    assert summary["fates"] == {
        "train": {"kept": 2, "unjudged": 1, "found_not_preferred": 1},
        "test": {"kept": 1},
    }
    shares = {"best": 0.25, "second": 0.5, "neither": 0.25, "likely": 1, "unlikely": 0, "gibberish": 0}
    assert {name: summary["distribution"]["found"][name] for name in shares} == shares
    assert sum(summary["distribution"]["generated"].values()) == pytest.approx(2)


def test_verified_questions_are_a_dataset(ranked_folder: Path) -> None:
    datasets = pytest.importorskip("datasets")
    verify(ranked_folder / "choice", Log(ranked_folder / "decisions"), ranked_folder / "verified", GoldRules())
    cache = str(ranked_folder / "cache")
    loaded = datasets.load_dataset(str(ranked_folder / "verified"), "choice", cache_dir=cache)
    assert {name: rows.num_rows for name, rows in loaded.items()} == {"train": 3, "test": 1}


def test_the_command_tells_what_became_of_all(ranked_folder: Path) -> None:
    options = ["--decisions", str(ranked_folder / "decisions"), "--out", str(ranked_folder / "verified")]
    result = CliRunner().invoke(app, ["decisions", "gold", str(ranked_folder / "choice"), *options])
    assert result.exit_code == 0, result.output
    assert "found_not_preferred" in result.output
    assert "questions:" in result.output
    whole = CliRunner().invoke(app, ["decisions", "gold", str(ranked_folder / "choice"), *options, "--json"])
    assert json.loads(whole.output)["questions"] == 4


def test_what_cannot_be_verified_is_refused(ranked_folder: Path, tmp_path: Path) -> None:
    log = Log(ranked_folder / "decisions")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("precious", "utf-8")
    with pytest.raises(SettingsError, match="was not written by `situatedgen decisions gold`"):
        verify(ranked_folder / "choice", log, tmp_path / "mine", GoldRules())
    with pytest.raises(SettingsError, match="has no questions"):
        verify(tmp_path / "mine", log, tmp_path / "verified", GoldRules())
    with pytest.raises(SettingsError, match="no rankings of the questions"):
        verify(ranked_folder / "choice", Log(tmp_path / "nobody"), tmp_path / "verified", GoldRules())

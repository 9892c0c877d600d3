"""Decisions as an input of the build: what people judged invalid is out, and nothing else is made again."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from cli_support import run
from review_support import WHEN, answers, content, decision
from situatedgen import schemas, testing
from situatedgen.dataset import statistics
from situatedgen.dataset.folder import read_examples
from situatedgen.dataset.statistics import FaultCount, Review
from situatedgen.errors import DecisionError, SettingsError
from situatedgen.params import JudgementParams
from situatedgen.review.active_decisions import active_decisions, decision_table
from situatedgen.review.decisions import Content, Decision, Undo
from situatedgen.sources import sample_folder
from situatedgen.stages.judgements import judgements
from situatedgen.testing import unjudged
from situatedgen.trace import history
from situatedgen.vocabulary import Mode, Split, Verdict
from storage import builds, inputs
from storage.annotation.log import Log
from storage.builds import Build
from storage.store import Store
from store_support import built, made

CITIES = ("Rome", "Oslo", "Bern")
PAIRS = [(f"{name}-a", f"{name}-b") for name in CITIES]


def statements(*, swapped: bool = False) -> pl.DataFrame:
    """The two sentences of each city; under each other's ids when swapped."""
    rows = [
        (f"{name}-{side}", "s", text, "claim", 1.0, "kept")
        for name in CITIES
        for side, text in zip("ba" if swapped else "ab", content(name).statements, strict=True)
    ]
    return schemas.STATEMENTS.frame(rows)


SPLITS = schemas.SPLITS.frame(
    [
        *((f"{left}|{right}", left, right, 0, "test", "kept") for left, right in PAIRS),
        ("Bern-a|Rome-a", "Bern-a", "Rome-a", None, None, "crosses_communities"),
    ]
)
SELECTED = testing.judged(*PAIRS, ("Bern-a", "Rome-a"))


def judged(*made: Decision, swapped: bool = False, **params: Any) -> pl.DataFrame:
    table = decision_table(active_decisions(made))
    texts = statements(swapped=swapped)
    found = judgements(texts, SELECTED, SPLITS, table, params=JudgementParams(**params))
    return schemas.check(found, schemas.JUDGEMENTS, name="judgements")


def fates(found: pl.DataFrame) -> dict[str, tuple[object, ...]]:
    columns = ("split", "verdict", "faults", "people", "is_tied")
    return {row["left_id"][:4]: tuple(row[name] for name in columns) for row in found.iter_rows(named=True)}


STAYS = ("test", "kept", [], 0, False)


def test_where_nobody_judged_everything_stays(tiny: Any) -> None:
    assert_frame_equal(judged(), unjudged(SPLITS))
    assert "review" not in json.loads((tiny.out / "stats.json").read_text("utf-8"))


@pytest.mark.parametrize("swapped", [False, True])
def test_what_was_judged_invalid_is_out_with_its_reasons_whichever_sentence_comes_first(swapped):
    found = judged(
        decision("anna", "Rome", "contrast", "dependent"),
        decision("anna", "Oslo"),
        decision("anna", "Paris", "sound"),
        swapped=swapped,
    )
    assert fates(found) == {
        "Rome": (None, "judged_invalid", ["contrast", "dependent"], 1, False),
        "Oslo": ("test", "kept", [], 1, False),
        "Bern": STAYS,
    }


def test_a_tie_stays_and_an_adjudication_ends_it():
    tie = decision("anna", "Rome"), decision("ben", "Rome", "sound")
    assert fates(judged(*tie))["Rome"] == ("test", "kept", [], 2, True)
    settled = decision("dora", "Rome", "sound", mode=Mode.ADJUDICATE)
    assert fates(judged(*tie, settled))["Rome"] == (None, "judged_invalid", ["sound"], 3, False)


def test_modes_and_splits_that_do_not_count_change_nothing():
    made = decision("anna", "Rome", "antithesis", mode=Mode.QUALITY)
    assert fates(judged(made))["Rome"][1] == "judged_invalid"
    assert fates(judged(made, modes=(Mode.FILTER,)))["Rome"] == STAYS
    assert fates(judged(made, splits=(Split.DEV, Split.TRAIN)))["Rome"] == STAYS


def test_the_same_sentences_in_another_context_are_another_pair():
    other = Decision("token-001", "anna", Mode.FILTER, content("Rome"), answers(faults=["sound"]), WHEN)
    moved = Decision("token-002", "anna", Mode.FILTER, Content(other.content.statements, "TEMP"), other.answers, WHEN)
    assert fates(judged(moved))["Rome"] == STAYS
    assert fates(judged(other))["Rome"][1] == "judged_invalid"


MADE = st.builds(
    lambda annotator, name, faults: decision(annotator, name, *faults),
    st.sampled_from(["anna", "ben", "cleo"]),
    st.sampled_from([*CITIES, "Paris"]),
    st.lists(st.sampled_from(["sound", "contrast"]), unique=True),
)


@given(st.lists(MADE, max_size=12))
def test_every_dealt_pair_keeps_its_row_and_is_out_by_majority_alone(made):
    found = judged(*made)
    assert found["pair_id"].to_list() == SPLITS.drop_nulls("split")["pair_id"].to_list()
    for name, (split, verdict, faults, people, tied) in fates(found).items():
        voices = {each.annotator: each.is_valid for each in made if each.content == content(name)}
        against = sum(not valid for valid in voices.values())
        assert people == len(voices)
        assert (verdict == "judged_invalid") == (split is None) == bool(faults) == (2 * against > len(voices))
        assert tied == (bool(voices) and 2 * against == len(voices))


@given(st.lists(MADE, max_size=8), st.randoms())
def test_the_order_of_people_does_not_matter(made, chance):
    people = ["anna", "ben", "cleo"]
    chance.shuffle(people)
    grouped = [each for name in people for each in made if each.annotator == name]
    assert_frame_equal(judged(*grouped), judged(*made))


def test_notes_and_times_taken_are_no_part_of_the_input():
    plain = decision_table([decision("anna", "Rome", token="token-001")])
    noted = decision_table([decision("anna", "Rome", token="token-002", note="hm", seconds=99)])
    assert_frame_equal(plain, noted)


def test_torn_lines_are_told_and_stop_a_strict_build(tmp_path, caplog):
    Log(tmp_path).add(decision("anna", "Rome"))
    with (tmp_path / "anna.jsonl").open("ab") as stream:
        stream.write(b'{"kind": "deci')
    assert inputs.read_decisions(tmp_path).height == 1
    assert "anna.jsonl, line 2: invalid JSON: the line is incomplete or was altered" in caplog.text
    with pytest.raises(DecisionError, match="line 2"):
        inputs.read_decisions(tmp_path, strict=True)


# Whole builds.


@pytest.fixture
def copied(tiny: Any, tmp_path: Path) -> Path:
    shutil.copytree(tiny.store.root, tmp_path / "store")
    return tmp_path


def build(folder: Path, *, sources: Path | None = None) -> Build:
    store, log = Store(folder / "store"), folder / "decisions"
    decisions = inputs.save_decisions(store, log if log.is_dir() else None)
    return built(store, sources or sample_folder(), out=folder / "dataset", decisions=decisions)


def chosen(out: Path, split: str, number: int = 0) -> dict[str, Any]:
    return read_examples(out).filter(pl.col("split") == split).sort("example_id").row(number, named=True)


def about(example: dict[str, Any], annotator: str, *faults: str, token: str) -> Decision:
    left, right = example["statements"]
    asked = Content((left, right), example["context"])
    return Decision(token, annotator, Mode.FILTER, asked, answers(faults=faults), WHEN)


def test_a_new_decision_makes_only_judgements_and_examples_again(copied: Path, tiny: Any) -> None:
    log = Log(copied / "decisions")
    bad, good = chosen(tiny.out, "test"), chosen(tiny.out, "dev")
    plain = build(copied)
    log.add(about(good, "anna", token="token-001"))
    finished = build(copied)
    assert made(finished) == ["judgements", "examples"]
    assert finished.refs("examples") == plain.refs("examples")
    log.add(about(bad, "anna", "contrast", token="token-002"))
    finished = build(copied)
    assert made(finished) == ["judgements", "examples", "leakage"]
    assert made(build(copied)) == []
    now, before = read_examples(copied / "dataset"), read_examples(tiny.out)
    assert_frame_equal(now, before.filter(pl.col("example_id") != bad["example_id"]))
    log.add(Undo("token-003", "anna", "token-002", WHEN))
    # What was taken back was never said: the earlier judgements and examples are found again.
    assert made(build(copied)) == []
    assert_frame_equal(read_examples(copied / "dataset"), before)


def test_what_people_decided_is_told(copied: Path, tiny: Any) -> None:
    log = Log(copied / "decisions")
    bad, tied = chosen(tiny.out, "test"), chosen(tiny.out, "test", 1)
    log.add(about(bad, "anna", "contrast", "sound", token="token-001"))
    log.add(about(tied, "anna", "sound", token="token-002"))
    log.add(about(tied, "ben", token="token-003"))
    log.add(decision("anna", "Atlantis", "sound"))
    finished = build(copied)
    told = statistics.read(copied / "dataset" / "stats.json")
    faults = (FaultCount("sound", 1), FaultCount("contrast", 1))
    assert told.review == Review(decisions=4, people=2, pairs=3, absent=1, dropped=1, tied=1, faults=faults)
    assert told.funnel[-1] == statistics.FunnelStep("judgements", Verdict.JUDGED_INVALID, 1)
    assert chosen(copied / "dataset", "test")["probability"] <= 0.5
    tables = builds.Tables(Store(copied / "store"), finished)
    facts = history(tables, bad["example_id"]).facts
    assert "annotators 1, judged_invalid: a sentence is broken or false, the sentences do not contrast" in facts
    assert "annotators 2, kept, annotators are tied" in history(tables, tied["example_id"]).facts
    below = [step.title for step in history(tables, bad["ids"][0]).below[-1].below]
    assert next(title for title in below if title.startswith(f"{bad['example_id']}: ")).endswith("judged_invalid")


@pytest.mark.slow
def test_decisions_survive_other_ids_and_other_sources(copied: Path, tiny: Any) -> None:
    """A line before the others gives every statement of a source another id; the same sentences stay judged."""
    sources = copied / "sources"
    shutil.copytree(sample_folder(), sources)
    bad = next(
        row
        for row in read_examples(tiny.out).sort("example_id").iter_rows(named=True)
        if all(name.startswith("creak::train::") for name in row["ids"])
    )
    Log(copied / "decisions").add(about(bad, "anna", "contrast", token="token-001"))
    path = sources / "creak" / "train.json"
    first = json.dumps({"sentence": "Water is wet everywhere.", "label": "true"})
    path.write_text(f"{first}\n{path.read_text('utf-8')}", encoding="utf-8")
    build(copied, sources=sources)
    after = read_examples(copied / "dataset")
    assert bad["statements"] not in after["statements"].to_list()
    told = statistics.read(copied / "dataset" / "stats.json").review
    assert told is not None
    assert (told.absent, told.dropped) == (0, 1)


def test_build_plan_and_explain_take_decisions(copied: Path, tiny: Any) -> None:
    store = ("--store", str(copied / "store"))
    given = ("--preset", "tiny", *store, "--decisions", copied / "decisions", "--out", str(copied / "dataset"))
    Log(copied / "decisions").add(about(chosen(tiny.out, "test"), "anna", "contrast", token="token-001"))
    steps = {each["artifact"]: each for each in json.loads(run("plan", *given, "--json"))}
    assert [name for name, each in steps.items() if each["status"] != "cached"] == ["judgements", "examples", "leakage"]
    assert steps["judgements"]["reasons"] == ["input decisions: +1 rows"]
    printed = run("build", "--plain", *given)
    assert "judged_invalid 1" in printed
    assert "1 decision of 1 person about 1 pair; 1 dropped (contrast 1)" in " ".join(printed.split())
    assert "nothing to compute" in run("plan", *given)
    assert "input decisions: +1 rows" in run("explain", "judgements", *store)


def test_a_folder_that_is_not_there_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="there is no folder"):
        run("build", "--plain", "--store", tmp_path / "store", "--decisions", tmp_path / "none")
    assert not (tmp_path / "store").exists()

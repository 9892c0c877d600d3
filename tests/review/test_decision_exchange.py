"""Decisions to and from other tools: what goes out comes back, and nothing unknown or broken comes in."""

import csv
import io
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli.app import app
from review_support import WHEN, answers, decision, decisions, pair
from situatedgen.dataset.folder import read_examples
from situatedgen.errors import DecisionError, SettingsError
from situatedgen.review.criteria import CRITERIA, FILTER, QUALITY, QUESTIONNAIRES
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.exchange import (
    HEADER,
    Arrivals,
    admit,
    from_csv,
    from_tasks,
    label_config,
    person,
    rename_person,
    time_of,
    to_csv,
    to_tasks,
)
from situatedgen.vocabulary import Mode
from storage.annotation.exchange import import_decisions
from storage.annotation.log import Log


def came(arrived: Arrivals) -> tuple[Decision, ...]:
    assert arrived.refused == ()
    return tuple(each.decision for each in arrived.decisions)


@given(st.lists(decisions(), max_size=6))
def test_what_goes_out_as_csv_comes_back(made):
    assert came(from_csv(to_csv(made), at="", people={})) == tuple(made)


@given(st.lists(decisions(), max_size=6), st.sampled_from([FILTER, QUALITY]))
def test_what_goes_out_to_label_studio_comes_back(made, questions):
    back = came(from_tasks(to_tasks(made, questions), at="", people={}))
    mine = [each for each in made if each.questions is questions]
    # Tasks stand by pair; about one pair the order stays.
    assert sorted(back, key=lambda each: each.pair) == sorted(mine, key=lambda each: each.pair)


def test_pairs_to_be_judged_go_along_and_come_back_as_blanks():
    made, pairs = [decision("anna", "Rome", "sound")], [pair("Oslo", probability=0.75), pair("Bern")]
    sheet = from_csv(to_csv(made, pairs), at="", people={})
    assert (came(sheet), sheet.blank) == (tuple(made), 2)
    tasks = to_tasks(made, FILTER, [*pairs, pair("Rome", probability=0.5)])
    studio = from_tasks(tasks, at="", people={})
    assert (came(studio), studio.blank) == (tuple(made), 2)
    told = {task["data"]["first"]: task for task in json.loads(tasks)}
    oslo = told["July is summer in Oslo."]
    assert oslo["data"]["keywords"] == "Oslo, July, summer"
    assert oslo["predictions"] == [{"model_version": "judge", "score": 0.75, "result": []}]
    assert "predictions" not in told["July is summer in Bern."]  # nobody judged it
    assert len(told["July is summer in Rome."]["annotations"]) == 1


def test_no_cell_of_a_spreadsheet_is_a_formula():
    text = to_csv([replace(decision("anna", "Rome"), note="=HYPERLINK(1)", content=Content(("=A1", "@x"), "GEO"))])
    cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
    assert [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))] == []
    assert "'=HYPERLINK(1)" in cells


def test_a_sheet_filled_in_by_hand_needs_little():
    header = "annotator,statement_1,statement_2,context,antithesis,context_dependent"
    text = f"\ufeff{header}\nanna@example.org,A cat.,A dog.,GEO,Yes,no\nanna,One.,Two.,TEMP,,\n"
    arrived = from_csv(text, at=WHEN, people={})
    (found,) = came(arrived)
    assert arrived.blank == 1
    assert (found.annotator, found.mode, found.at, found.seconds) == ("anna", Mode.QUALITY, WHEN, 0.0)
    assert found.answers == {"antithesis": "yes", "context_dependent": "no"}
    assert came(from_csv(text, at="2030-01-01T00:00:00Z", people={}))[0].decision_id == found.decision_id


ROW = {"annotator": "anna", "statement_1": "A cat.", "statement_2": "A dog.", "context": "GEO", **answers()}


def sheet(**changes: str) -> str:
    row = {**ROW, **changes}
    stream = io.StringIO(newline="")
    writer = csv.DictWriter(stream, list(row))
    writer.writeheader()
    writer.writerow(ROW | {"note": "two\nlines"} if "note" in row else ROW)
    writer.writerow(row)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sound": "perhaps"}, "line 3: 'perhaps' is not an answer to 'sound'; its answers: yes, no"),
        ({"annotator": "anna b"}, None),
        ({"context": "MARS"}, "line 3: 'MARS' is not a context"),
        ({"mode": "guess"}, "line 3: 'guess' is not a mode"),
        ({"mode": "quality"}, "line 3: no answer to antithesis, context_dependent; unknown contrast"),
        ({"antithesis": "yes"}, "line 3: expected answers to the questions of a single mode"),
        ({"pair": "0" * 32}, "line 3: its sentences were changed"),
        ({"seconds": "long"}, "line 3: 'long' is not a number of seconds"),
        ({"note": "x" * 2001}, "line 4: a note has at most 2,000 characters"),
    ],
)
def test_a_row_that_is_no_decision_is_refused_with_its_line(changes, message):
    arrived = from_csv(sheet(**changes), at=WHEN, people={})
    assert len(arrived.decisions) == (2 if message is None else 1)
    if message:
        (told,) = arrived.refused
        assert told.startswith(message)
        with pytest.raises(DecisionError, match="nothing was imported:\nline"):
            admit(arrived, None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the header lacks annotator, statement_1, statement_2, context"),
        ("annotator,context\n", "the header lacks statement_1, statement_2"),
        (f"{','.join(HEADER)}\n{','.join(['x'] * 30)}\n", "line 2: it has more cells than the header"),
        (f'{",".join(HEADER)}\n"a" b,\n', "after line 1: invalid CSV"),
    ],
)
def test_what_is_no_sheet_of_decisions_is_refused(text, message):
    with pytest.raises(DecisionError, match=message):
        from_csv(text, at=WHEN, people={})


def task(**changes: Any) -> dict[str, Any]:
    """A task as Label Studio exports it."""
    chosen = {"to_name": "first", "type": "choices", "value": {"choices": ["yes"]}}
    result = [{"from_name": name, **chosen} for name in QUALITY.names]
    when = "2024-05-01T11:30:00+02:00"
    annotation = {"id": 7, "completed_by": 3, "lead_time": 4.5, "created_at": when, "result": result}
    data = {"first": "A cat.", "second": "A dog.", "context": "GEO"}
    return {"id": 1, "data": data, "annotations": [annotation | changes], "predictions": []}


def test_an_export_of_label_studio_is_understood():
    (found,) = came(from_tasks(json.dumps([task()]), at=WHEN, people={"user-3": "anna"}))
    assert (found.annotator, found.mode, found.seconds) == ("anna", Mode.QUALITY, 4.5)
    assert found.at == "2024-05-01T09:30:00.000000Z"
    assert found.is_valid
    (unnamed,) = came(from_tasks(json.dumps([task(ground_truth=True)]), at=WHEN, people={}))
    assert (unnamed.annotator, unnamed.mode) == ("user-3", Mode.ADJUDICATE)
    cancelled = from_tasks(json.dumps([task(was_cancelled=True)]), at=WHEN, people={})
    assert (cancelled.decisions, cancelled.refused, cancelled.blank) == ((), (), 1)


@pytest.mark.parametrize(
    ("given_", "message"),
    [
        (task(result=[]), "task 1, annotation 1: expected answers to the questions of a single mode, found none"),
        (task(completed_by=None), "task 1, annotation 1: '' is not a valid name"),
        (task() | {"data": {"text": "A cat."}}, "task 1, annotation 1: its data lacks first, second and context"),
        (task() | {"annotations": "many"}, "task 1, annotation 1: expected answers to"),
        (
            task() | {"data": {"first": "A cat.", "second": "A cow.", "context": "GEO", "pair": "0" * 32}},
            "task 1, annotation 1: its sentences were changed",
        ),
    ],
)
def test_an_annotation_that_is_no_decision_is_refused_with_its_place(given_, message):
    (told,) = from_tasks(json.dumps([given_]), at=WHEN, people={}).refused
    assert told.startswith(message)


@pytest.mark.parametrize("text", ["", "{}", "[1]", "nonsense", "[" * 100_000])
def test_what_is_no_list_of_tasks_is_refused(text):
    with pytest.raises(DecisionError):
        from_tasks(text, at=WHEN, people={})


@pytest.mark.parametrize("questions", QUESTIONNAIRES.values())
def test_the_configuration_asks_what_tasks_answer(questions):
    """Every result of a task is of a control in the configuration, about an object in it, with a choice it offers."""
    view = ElementTree.fromstring(label_config(questions))
    controls = {tag.get("name"): tag for tag in view.iter() if tag.get("toName")}
    objects = {tag.get("name"): tag.get("value") for tag in view.iter("Text")}
    asked = Mode.ADJUDICATE if questions is QUALITY else questions.mode
    given_ = decision("anna", "Rome", questions.names[0], mode=asked, settles=questions.mode, note="<&>")
    (made_,) = json.loads(to_tasks([given_], questions, [pair("Rome")]))
    assert {str(value).removeprefix("$") for value in objects.values()} <= made_["data"].keys()
    for result in made_["annotations"][0]["result"]:
        control = controls[result["from_name"]]
        assert result["to_name"] == control.get("toName")
        assert control.get("toName") in objects
        if result["type"] == "choices":
            assert result["value"]["choices"][0] in [choice.get("alias") for choice in control.iter("Choice")]
    assert set(questions.names) <= controls.keys()


def test_people_are_renamed_addresses_shortened_and_times_brought_to_one_form():
    assert time_of("2024-05-01T09:30:00", "") == "2024-05-01T09:30:00Z"
    assert person("Anna B@x.org", {}) == "Anna-B"
    assert person("anna@x.org", {"anna@x.org": "zoe"}) == "zoe"
    assert rename_person(["user-3=anna", "b=c"]) == {"user-3": "anna", "b": "c"}
    with pytest.raises(DecisionError, match="is not FROM=NAME"):
        rename_person(["anna"])


# The commands.


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def log(tmp_path: Path) -> Log:
    found = Log(tmp_path / "decisions")
    found.add_all([decision("anna", "Rome"), decision("ben", "Rome", "sound"), decision("anna", "Oslo")])
    return found


@pytest.mark.parametrize("name", ["out.csv", "out.json"])
def test_a_log_goes_through_a_file_into_another_log(log: Log, tmp_path: Path, name: str) -> None:
    file, other = tmp_path / name, tmp_path / "other"
    run("decisions", "export", str(file), "--decisions", str(log.folder))
    arguments = ("decisions", "import", str(file), "--decisions", str(other), "--keep-unknown")
    assert run(*arguments) == "3 new, 0 already present, 0 without an answer\n"
    assert run(*arguments) == "0 new, 3 already present, 0 without an answer\n"
    ordered: Callable[[Decision], tuple[str, str]] = lambda each: (each.annotator, each.pair)  # noqa: E731
    assert sorted(Log(other).read().decisions, key=ordered) == sorted(log.read().decisions, key=ordered)


def test_a_decision_about_an_unknown_pair_is_refused_with_its_line(log: Log, tmp_path: Path, tiny: Any) -> None:
    known = read_examples(tiny.out).sort("example_id").row(0, named=True)
    left, right = known["statements"]
    good = replace(decision("anna", "Rome", token="token-001"), content=Content((right, left), known["context"]))
    file, folder = tmp_path / "in.csv", tmp_path / "mine"
    file.write_text(to_csv([good, decision("anna", "Atlantis")]), encoding="utf-8")
    arguments = ["decisions", "import", str(file), "--decisions", str(folder)]
    with pytest.raises(DecisionError, match="line 3: no such pair in the dataset: July is summer in Atlantis"):
        CliRunner().invoke(app, [*arguments, "--dataset", str(tiny.out)], catch_exceptions=False)
    assert not folder.exists()
    with pytest.raises(SettingsError, match="give --dataset OUT to check the pairs, or --keep-unknown"):
        CliRunner().invoke(app, arguments, catch_exceptions=False)
    assert run(*arguments, "--keep-unknown").startswith("2 new")
    assert import_decisions(Log(folder), file, known=()).known == 2  # what was judged here before is known


def test_pairs_of_a_dataset_go_out_to_be_judged(tmp_path: Path, tiny: Any) -> None:
    file = tmp_path / "to-judge.json"
    printed = run("decisions", "export", str(file), "--dataset", str(tiny.out), "--split", "test")
    assert printed.splitlines() == [f"{file}: written", f"{tmp_path / 'to-judge.xml'}: written"]
    tasks = json.loads(file.read_text("utf-8"))
    test = read_examples(tiny.out).filter(split="test")
    assert sorted(each["data"]["example_id"] for each in tasks) == sorted(test["example_id"])
    scores = [each["predictions"][0]["score"] for each in tasks]
    assert scores == sorted(scores)


def test_agreement_is_printed(log: Log) -> None:
    log.add(decision("ben", "Oslo"))
    printed = run("decisions", "agreement", "--decisions", str(log.folder))
    told = next(line.split("│") for line in printed.splitlines() if "sound" in line)
    assert [cell.strip() for cell in told[1:3]] == ["sound", "2"]
    assert "anna, ben" in printed
    found = json.loads(run("decisions", "agreement", "--decisions", str(log.folder), "--json"))
    assert found["overall"]["percent"]["value"] == 0.5
    assert found["overall"]["between"][0]["kappa"]["value"] == 0.0
    assert [each["annotator"] for each in found["people"]] == ["anna", "ben"]
    assert list(CRITERIA)[:5] == [each["criterion"] for each in found["criteria"]]


def test_lines_set_aside_are_told(log: Log) -> None:
    with log.path("anna").open("ab") as stream:
        stream.write(b'{"torn')
    assert "anna.jsonl, line 3: invalid JSON: the line is incomplete or was altered" in run(
        "decisions", "agreement", "--decisions", str(log.folder)
    )


@pytest.mark.parametrize(
    ("command", "folder", "message"),
    [
        ("agreement", "none", "there is no folder"),
        ("export out.csv", "none", "there is no folder"),
        ("export out.xlsx", "decisions", r"unknown format of out\.xlsx: expected \.csv, or \.json"),
    ],
)
def test_what_cannot_be_read_or_written_is_told(
    log: Log, tmp_path: Path, command: str, folder: str, message: str
) -> None:
    arguments = ["decisions", *command.split(), "--decisions", str(tmp_path / folder)]
    with pytest.raises(SettingsError, match=message):
        CliRunner().invoke(app, arguments, catch_exceptions=False)

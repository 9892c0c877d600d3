"""`situatedgen evaluate`: what it prints, writes and refuses."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from situatedgen.errors import PredictionError, SettingsError
from situatedgen.evaluation.examples import Example, examples_of
from situatedgen.evaluation.reading import write_predictions
from situatedgen.evaluation.results import read_evaluation
from situatedgen.evaluation.tables import best_rows

pytestmark = pytest.mark.weights


def run(*arguments: str, columns: int = 200) -> str:
    result = CliRunner().invoke(app, ["evaluate", *arguments], catch_exceptions=False, env={"COLUMNS": str(columns)})
    assert result.exit_code == 0, result.output
    return result.output


def swapped(example: Example) -> str:
    """The reference with the last keywords of its sentences in each other's place."""
    first, second = ([k for k, p in zip(example.keywords, example.places, strict=True) if p == side] for side in (0, 1))
    left, right = example.statements
    return f"{left.replace(first[0], second[0])} {right.replace(second[0], first[0])}"


@pytest.fixture(scope="module")
def answered(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The references of the tiny dataset as a system, and worse ones."""
    folder, examples = tmp_path_factory.mktemp("answers"), examples_of(tiny.out)
    write_predictions(folder / "references.jsonl", {each.example_id: each.reference for each in examples})
    write_predictions(folder / "swapped.jsonl", {each.example_id: swapped(each) for each in examples})
    (folder / "half.txt").write_text("".join(each.statements[0] + "\n" for each in examples), encoding="utf-8")
    run(*(str(folder / name) for name in ("references.jsonl", "swapped.jsonl", "half.txt")),
        "--dataset", str(tiny.out), "--out", str(folder / "out"))  # fmt: skip
    return folder


def test_references_score_best(answered: Path) -> None:
    best, swapped, half = read_evaluation(answered / "out" / "scores.json").systems
    assert {name: round(value, 9) for name, value in best.values.items()} == dict.fromkeys(
        ("COVERAGE", "MATCH", "BLEU-4", "ROUGE-2", "CIDEr"), 100
    )
    assert swapped.values["MATCH"] < 90 < swapped.values["COVERAGE"]
    assert half.values["COVERAGE"] < 70


def test_groups_hold_all_examples(answered: Path, tiny: Any) -> None:
    examples = examples_of(tiny.out)
    for system in read_evaluation(answered / "out" / "scores.json").systems:
        for by in ("context", "keywords"):
            assert sum(group.examples for group in system.groups if group.by == by) == len(examples)
        assert {group.group for group in system.groups if group.by == "source"} == {
            source for example in examples for source in example.sources
        }


def test_scores_stand_within_their_intervals_and_are_signed(answered: Path) -> None:
    for system in read_evaluation(answered / "out" / "scores.json").systems:
        for score in system.scores:
            assert score.low - 1e-9 <= score.value <= score.high + 1e-9
            assert score.signature.startswith(f"{score.metric}|")


def test_every_two_systems_are_compared(answered: Path) -> None:
    tests = read_evaluation(answered / "out" / "scores.json").tests
    found = {(test.left, test.right): test for test in tests if test.metric == "MATCH"}
    assert list(found) == [("references", "swapped"), ("references", "half"), ("swapped", "half")]
    assert all(test.p_value < 0.01 and test.difference > 0 for pair, test in found.items() if "references" in pair)


def test_the_terminal_shows_how_the_others_differ_from_the_best(answered: Path) -> None:
    """All tests stay in the file; a row is a system, whichever side of the test it was on."""
    found = read_evaluation(answered / "out" / "scores.json")
    shown = best_rows(found)
    assert (shown.title, shown.header) == (
        "Differences from references, best by MATCH (p-values)",
        ("system", *found.metrics),
    )
    assert [row[0] for row in shown.rows] == ["swapped", "half"]
    match = {(test.left, test.right): test for test in found.tests if test.metric == "MATCH"}
    swapped, half = (match["references", name] for name in ("swapped", "half"))
    column = shown.header.index("MATCH")
    assert [row[column] for row in shown.rows] == [
        f"{-test.difference:+.1f} ({test.p_value:.3f})" for test in (swapped, half)
    ]
    turned = found.model_copy(update={"systems": found.systems[::-1]})
    assert sorted(best_rows(turned).rows) == sorted(shown.rows)
    assert best_rows(found.model_copy(update={"tests": ()})).rows[0] == ("swapped", *["–"] * len(found.metrics))


def test_no_name_is_broken_in_a_narrow_terminal(answered: Path, tiny: Any, tmp_path: Path) -> None:
    files = [str(answered / name) for name in ("references.jsonl", "swapped.jsonl", "half.txt")]
    text = run(*files, "--dataset", str(tiny.out), "--out", str(tmp_path), columns=80)
    table = text[: text.index("Case ")]
    assert max(map(len, table.splitlines())) <= 80
    assert {"references", "FLAN-T5-large,", "InstructGPT", "COVERAGE"} <= set(
        table.replace("│", " ").replace("┃", " ").split()
    )
    assert "scores.json and the page have the tests between all systems" in table


def test_the_same_seed_gives_the_same_file(answered: Path, tiny: Any, tmp_path: Path) -> None:
    for out in ("one", "two"):
        run(str(answered / "half.txt"), "--dataset", str(tiny.out), "--out", str(tmp_path / out))
    assert (tmp_path / "one/scores.json").read_bytes() == (tmp_path / "two/scores.json").read_bytes()


def test_the_table_quotes_the_paper_and_marks_keywords(answered: Path, tiny: Any, tmp_path: Path) -> None:
    text = run(str(answered / "half.txt"), "--dataset", str(tiny.out), "--out", str(tmp_path), "--by", "context")
    assert "Human (100 examples)" in text
    assert "quoted" in text
    assert "half, by context type" in text
    (case,) = read_evaluation(tmp_path / "scores.json").cases
    reference = case.texts[0]
    marked = {part.text.casefold() for part in reference.parts if part.is_keyword}
    assert all(any(keyword.casefold() in each for each in marked) for keyword in case.keywords)


def test_json_is_what_the_file_holds(answered: Path, tiny: Any, tmp_path: Path) -> None:
    text = run(str(answered / "half.txt"), "--dataset", str(tiny.out), "--out", str(tmp_path), "--json")
    assert json.loads(text) == json.loads((tmp_path / "scores.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (("--metrics", "blue-4"), SettingsError, "unknown metric 'BLUE-4'.*did you mean 'BLEU-4'"),
        (("--split", "tset"), SettingsError, "unknown split 'tset'; known: dev, test, train; did you mean 'test'"),
        (("--case", "nobody"), PredictionError, "no example of the test split has the id 'nobody'"),
    ],
)
def test_what_is_not_known_is_refused(
    answered: Path, tiny: Any, options: tuple[str, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(str(answered / "half.txt"), "--dataset", str(tiny.out), *options)


def test_another_version_of_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.json").write_text('{"format": "situatedgen scores", "version": 9}')
    with pytest.raises(PredictionError, match=r"is no scores.json of version 1: .*evaluate the predictions again"):
        read_evaluation(tmp_path / "scores.json")

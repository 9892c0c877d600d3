"""`situatedgen evaluate`: what it prints, writes and refuses."""

import json
from pathlib import Path
from typing import Any

import pytest

import cli_support
from situatedgen.errors import PredictionError, SettingsError
from situatedgen.evaluation.predictions import Example, examples_of, write_predictions
from situatedgen.evaluation.results import Evaluation, best_rows, read_evaluation

pytestmark = pytest.mark.weights


def run(*arguments: object, columns: int = 200) -> str:
    return cli_support.run("evaluate", *arguments, columns=columns)


def swapped(example: Example) -> str:
    """The reference with the last keywords of its sentences in each other's place."""
    first, second = ([k for k, p in zip(example.keywords, example.places, strict=True) if p == side] for side in (0, 1))
    left, right = example.statements
    return f"{left.replace(first[0], second[0])} {right.replace(second[0], first[0])}"


@pytest.fixture(scope="module")
def answered(tiny: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A folder with the references of the tiny dataset as a system, worse ones, and their scores; what was shown."""
    folder, examples = tmp_path_factory.mktemp("answers"), examples_of(tiny.out)
    write_predictions(folder / "references.jsonl", {each.example_id: each.reference for each in examples})
    write_predictions(folder / "swapped.jsonl", {each.example_id: swapped(each) for each in examples})
    (folder / "half.txt").write_text("".join(each.statements[0] + "\n" for each in examples), encoding="utf-8")
    files = [folder / name for name in ("references.jsonl", "swapped.jsonl", "half.txt")]
    return folder, run(*files, "--dataset", tiny.out, "--out", folder / "out", columns=80)


@pytest.fixture(scope="module")
def found(answered: tuple[Path, str]) -> Evaluation:
    return read_evaluation(answered[0] / "out" / "scores.json")


def test_references_score_best(found: Evaluation) -> None:
    best, swapped, half = found.systems
    assert {name: round(value, 9) for name, value in best.values.items()} == dict.fromkeys(
        ("COVERAGE", "MATCH", "BLEU-4", "ROUGE-2", "CIDEr"), 100
    )
    assert swapped.values["MATCH"] < 90 < swapped.values["COVERAGE"]
    assert half.values["COVERAGE"] < 70
    match = {(test.left, test.right): test for test in found.tests if test.metric == "MATCH"}
    assert list(match) == [("references", "swapped"), ("references", "half"), ("swapped", "half")]
    assert all(test.p_value < 0.01 and test.difference > 0 for pair, test in match.items() if "references" in pair)


def test_groups_hold_all_examples_and_scores_stand_within_their_intervals(found: Evaluation, tiny: Any) -> None:
    examples = examples_of(tiny.out)
    for system in found.systems:
        for by in ("context", "keywords"):
            assert sum(group.examples for group in system.groups if group.by == by) == len(examples)
        assert {group.group for group in system.groups if group.by == "source"} == {
            source for example in examples for source in example.sources
        }
        for score in system.scores:
            assert score.low - 1e-9 <= score.value <= score.high + 1e-9
            assert score.signature.startswith(f"{score.metric}|")


def test_the_terminal_shows_how_the_others_differ_from_the_best(found: Evaluation) -> None:
    """All tests stay in the file; a row is a system, whichever side of the test it was on."""
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


def test_no_name_is_broken_in_a_narrow_terminal(answered: tuple[Path, str]) -> None:
    table = answered[1].partition("Case ")[0]
    assert max(map(len, table.splitlines())) <= 80
    assert {"references", "FLAN-T5-large,", "InstructGPT", "COVERAGE"} <= set(
        table.replace("│", " ").replace("┃", " ").split()
    )
    assert "for the tests between all systems, see scores.json or the page" in table


def test_a_table_quotes_the_paper_and_json_is_what_the_file_holds_each_time(
    answered: tuple[Path, str], tiny: Any, tmp_path: Path
) -> None:
    command = (answered[0] / "half.txt", "--dataset", tiny.out, "--out", tmp_path)
    shown, file = run(*command, "--by", "context"), tmp_path / "scores.json"
    assert "Human (100 examples)" in shown
    assert "half, by context type" in shown
    (case,) = read_evaluation(file).cases
    marked = {part.text.casefold() for part in case.texts[0].parts if part.is_keyword}
    assert all(any(keyword.casefold() in each for each in marked) for keyword in case.keywords)
    before = file.read_bytes()
    assert json.loads(run(*command, "--json")) == json.loads(before)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (("--metrics", "blue-4"), SettingsError, "unknown metric 'BLUE-4'.*did you mean 'BLEU-4'"),
        (("--split", "tset"), SettingsError, "unknown split 'tset'; known: dev, test, train; did you mean 'test'"),
        (("--case", "nobody"), PredictionError, "no example of the test split has the id 'nobody'"),
    ],
)
def test_what_is_not_known_is_refused(
    answered: tuple[Path, str], tiny: Any, options: tuple[str, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        run(answered[0] / "half.txt", "--dataset", tiny.out, *options)


def test_another_version_of_scores_is_refused(tmp_path: Path) -> None:
    (tmp_path / "scores.json").write_text('{"format": "situatedgen scores", "version": 9}')
    with pytest.raises(
        PredictionError, match=r"is not a valid scores.json \(version 1\): .*evaluate the predictions again"
    ):
        read_evaluation(tmp_path / "scores.json")

"""The command line: what it prints, and how it refuses."""

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from process_support import COMMAND_LINE, run_python
from situatedgen.errors import SettingsError, StoreError
from situatedgen.pipeline import PIPELINE
from storage import builds

runner = CliRunner()


def run(*arguments: str) -> str:
    result = runner.invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_help_names_every_command() -> None:
    text = run("--help")
    for command in ("build", "stages", "show", "funnel", "trace", "export"):
        assert command in text


def test_stages_lists_the_pipeline() -> None:
    text = run("stages")
    assert all(stage.name in text for stage in PIPELINE)


def test_show_writes_rows_as_jsonl(tiny: Any) -> None:
    text = run("show", "examples", "--store", str(tiny.store.root), "--limit", "2", "--format", "jsonl")
    rows = [json.loads(line) for line in text.splitlines()]
    expected = builds.read_build_table(tiny.store, tiny.build, "examples").head(2)
    assert [row["example_id"] for row in rows] == expected["example_id"].to_list()


def test_show_finds_rows_by_id(tiny: Any) -> None:
    wanted = builds.read_build_table(tiny.store, tiny.build, "pairs")["left_id"][0]
    text = run("show", "statements", "--store", str(tiny.store.root), "--id", wanted, "--format", "csv")
    assert [line.split(",")[0] for line in text.splitlines()] == ["statement_id", wanted]


def test_funnel_adds_up(tiny: Any) -> None:
    steps = json.loads(run("funnel", "--store", str(tiny.store.root), "--json"))
    items = sum(step["rows"] for step in steps if step["stage"] == "items")
    assert items == builds.read_build_table(tiny.store, tiny.build, "items").height


def test_trace_ends_at_file_and_line(tiny: Any) -> None:
    example = builds.read_build_table(tiny.store, tiny.build, "examples").row(0, named=True)
    text = run("trace", example["example_id"], "--store", str(tiny.store.root))
    items = builds.read_build_table(tiny.store, tiny.build, "items")
    for item_id in example["ids"]:
        item = items.row(by_predicate=pl.col("item_id") == item_id, named=True)
        assert f"{item['file']}, line {item['line']}" in text


def test_trace_of_a_statement_names_its_examples(tiny: Any) -> None:
    example = builds.read_build_table(tiny.store, tiny.build, "examples").row(0, named=True)
    text = run("trace", example["ids"][0], "--store", str(tiny.store.root))
    assert example["example_id"] in text.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            ("show", "pears"),
            SettingsError,
            "unknown stage 'pears'.*did you mean 'pairs'",
        ),  # a slip of the pen
        (("show", "pairs", "--store", "nowhere"), StoreError, "no builds in"),  # nothing there yet
        (("build", "--preset", "tinny"), SettingsError, "unknown preset 'tinny'.*tiny"),
        (("build", "--set", "pairs.min_similarty=0.9"), SettingsError, "min_similarity"),
        (("build", "--set", "pairs.min_similarity=7"), SettingsError, "min_similarity"),  # out of range
    ],
)
def test_bad_input_is_refused_with_what_is_known(
    arguments: tuple[str, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        runner.invoke(app, arguments, catch_exceptions=False)


def test_an_error_is_a_message_and_not_a_stack_trace(tmp_path: Path) -> None:
    done = run_python("-c", COMMAND_LINE, "show", "pears", code=2, cwd=tmp_path)
    assert done.stderr.startswith("error: unknown stage 'pears'")
    assert "Traceback" not in done.stderr


def test_a_file_in_the_way_is_named_in_one_line(tiny: Any, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    done = run_python("-c", COMMAND_LINE, "export", tiny.out, "taken", code=1, cwd=tmp_path)
    assert done.stderr == "error: taken: File exists\n"

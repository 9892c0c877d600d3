"""The flow `evaluate-model`: its files, and the table that its run shows."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from situatedgen.evaluation.predictions import examples_of, write_predictions
from situatedgen.evaluation.results import read_evaluation, score_rows
from tasks.artifacts import as_table

pytestmark = [pytest.mark.prefect, pytest.mark.slow, pytest.mark.weights]
SCRIPT = """
import sys
from pathlib import Path
from flows.evaluate_model import evaluate_model

dataset, predictions, out = map(Path, sys.argv[1:])
evaluate_model([predictions], dataset=dataset, out=out)
"""


def test_a_run_shows_the_scores(
    tiny: Any, run_flow: Callable[..., None], read_artifacts: Callable[..., dict[str, Any]], tmp_path: Path
) -> None:
    path, out = tmp_path / "mine.jsonl", tmp_path / "scores"
    write_predictions(path, {each.example_id: each.statements[0] for each in examples_of(tiny.out)})
    run_flow(SCRIPT, tiny.out, path, out)
    found = read_evaluation(out / "scores.json")
    assert (out / "scores.html").is_file()
    assert json.loads(read_artifacts("scores")["scores"]) == as_table(score_rows(found))

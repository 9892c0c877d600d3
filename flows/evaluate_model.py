"""The flow that scores predictions and compares systems."""

from pathlib import Path
from typing import Literal

from prefect import flow

from flows.errors import user_errors
from situatedgen.evaluation.evaluate import Request
from situatedgen.evaluation.metrics import Settings, chosen_metrics
from situatedgen.evaluation.results import Evaluation
from tasks.evaluation import evaluate, show_scores


@flow(name="evaluate-model", flow_run_name="evaluate on {dataset}", persist_result=False)
@user_errors
def evaluate_model(
    predictions: list[Path],
    dataset: Path = Path("dataset"),
    split: Literal["train", "dev", "test"] = "test",
    metrics: list[str] = ["fast"],  # noqa: B006 (never changed)
    out: Path = Path("scores"),
    bert_model: str = "roberta-large",
    seed: int = 0,
) -> Evaluation:
    """Score files of predictions, one per system, and compare the systems.

    Args:
        predictions: JSONL with `example_id` and `text`, a filled-in sheet (`.csv`), or one line per example.
        dataset: The dataset folder with the examples.
        split: The split that the predictions are for.
        metrics: Metrics, or sets of them: `fast` (no Java, no model) or `paper` (all eight).
        out: The folder for `scores.json` and the HTML page.
        bert_model: The BERTScore model: a name on the hub, or a folder.
        seed: The seed of intervals, tests and example cases.
    """
    settings = Settings(bert_model=bert_model)
    chosen = chosen_metrics(metrics)
    request = Request(dataset, tuple(predictions), split=split, metrics=chosen, settings=settings, seed=seed)
    found = evaluate(request, out=out)
    show_scores(found, out=out, return_state=True)
    return found

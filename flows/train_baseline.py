"""The flow that trains a baseline as in the paper and writes its predictions."""

from pathlib import Path

from prefect import flow

from flows.errors import user_errors
from situatedgen.training.curve import Curve
from situatedgen.training.params import Machine, TrainingParams
from situatedgen.vocabulary import Split
from tasks import train


@flow(name="train-baseline", flow_run_name="{model} on {dataset} → {out}", persist_result=False)
@user_errors
def train_baseline(
    model: str = "google/flan-t5-base",
    dataset: Path = Path("dataset"),
    out: Path = Path("trained"),
    revision: str = "",
    params: TrainingParams = TrainingParams(),  # noqa: B008 (frozen)
    machine: Machine = Machine(),  # noqa: B008 (frozen)
) -> Curve:
    """Train a sequence-to-sequence model, keep its best epoch, and write its predictions for test.

    An interrupted run resumes from its last checkpoint.

    Args:
        model: A name on the model hub, or a folder.
        dataset: The folder of a finished dataset.
        out: The folder of the trained model, its learning curve and its predictions.
        revision: The commit on the hub; default: the latest.
        params: The training settings; default: those of the paper.
        machine: Where and how the training runs.
    """
    curve = train.train(model, revision=revision, dataset=dataset, out=out, params=params, machine=machine)
    train.report(curve, out=out, return_state=True)
    train.predict(out, dataset=dataset, split=Split.TEST.value, machine=machine)
    return curve

"""The flow that trains a baseline as the paper does, and writes its predictions."""

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
    """Train a sequence-to-sequence model, keep its best epoch, and write what it makes of test.

    A run that was cut short goes on from its last checkpoint when it is started again.

    Args:
        model: A name of the model hub, or a folder.
        dataset: The folder of a finished dataset.
        out: The folder of the trained model, its curve and its predictions.
        revision: The commit of the hub; that of today when left out.
        params: How it is trained; the paper's settings where left out.
        machine: Where and how it runs.
    """
    curve = train.train(model, revision=revision, dataset=dataset, out=out, params=params, machine=machine)
    train.report(curve, out=out, return_state=True)
    train.predict(out, dataset=dataset, split=Split.TEST.value, machine=machine)
    return curve

"""The training curve: loss on train and dev, and ROUGE-2 on dev, per epoch."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeAlias

from situatedgen.errors import StoreError

JSON, PICTURE = "curve.json", "curve.png"
MEASURE, STEPS = "rouge_2", "steps"
DECIMALS = 4
Log: TypeAlias = Sequence[Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Point:
    """The measurements of an epoch."""

    epoch: int
    step: int
    loss: float
    dev_loss: float
    rouge_2: float


@dataclass(frozen=True, slots=True)
class Curve:
    """The epochs of a training; the best is the first with the highest ROUGE-2 on dev."""

    points: tuple[Point, ...]

    @property
    def best(self) -> Point:
        """The epoch whose model is kept."""
        return max(self.points, key=lambda point: (point.rouge_2, -point.epoch))


def points(log: Log) -> tuple[Point, ...]:
    """Points from a trainer's log, which has a loss per step and an evaluation per epoch."""
    losses = {int(entry["step"]): entry["loss"] for entry in log if "loss" in entry}
    measured = [entry for entry in log if "eval_loss" in entry]
    before = [0, *(int(entry["step"]) for entry in measured)]
    return tuple(
        _point(entry, [losses[step] for step in losses if first < step <= int(entry["step"])])
        for first, entry in zip(before, measured, strict=False)
    )


def _point(entry: Mapping[str, float], losses: Sequence[float]) -> Point:
    return Point(
        epoch=round(entry["epoch"]),
        step=int(entry["step"]),
        loss=round(sum(losses) / max(len(losses), 1), DECIMALS),
        dev_loss=round(entry["eval_loss"], DECIMALS),
        rouge_2=round(entry[f"eval_{MEASURE}"], DECIMALS),
    )


def write(folder: Path, curve: Curve) -> None:
    """Write a curve into a folder, as JSON and PNG."""
    values = {"best_epoch": curve.best.epoch, "epochs": [asdict(point) for point in curve.points]}
    (folder / PICTURE).write_bytes(draw_curve(curve))
    (folder / JSON).write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")


def read(folder: Path) -> Curve:
    """Read the curve in a folder.

    Raises:
        StoreError: there is none, or it cannot be read.
    """
    try:
        values = json.loads((folder / JSON).read_text(encoding="utf-8"))
        return Curve(tuple(Point(**point) for point in values["epochs"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder / JSON} is not a valid training curve: {error}") from error


def draw_curve(curve: Curve) -> bytes:
    """Plot a curve as PNG: losses above, ROUGE-2 below, the best epoch marked."""
    # Imported here because it loads matplotlib, which nothing else in this module needs.
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    from situatedgen.dataset import plot_style  # noqa: PLC0415

    with plot_style.plot_style():
        figure, (above, below) = plot_style.subplots(6.4, 5.0, rows=2)
        epochs = [point.epoch for point in curve.points]
        above.plot(epochs, [point.loss for point in curve.points], "o-", color=plot_style.BLUE, label="train")
        above.plot(epochs, [point.dev_loss for point in curve.points], "o-", color=plot_style.ORANGE, label="dev")
        above.set_title("Loss")
        above.legend()
        below.plot(epochs, [point.rouge_2 for point in curve.points], "o-", color=plot_style.BLUE)
        below.plot([curve.best.epoch], [curve.best.rouge_2], "o", color=plot_style.ORANGE, markersize=9)
        below.set_title(f"ROUGE-2 on dev; the model of epoch {curve.best.epoch} is kept")
        below.set_xlabel("epoch")
        for panel in (above, below):
            panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        return plot_style.png(figure)

"""The curve of a filtering: the accuracy of each member, iteration by iteration (Figure 2 of the paper)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict

from situatedgen.filtering.aflite import Round
from situatedgen.filtering.history import Iteration

JSON, PICTURE = "curve.json", "curve.png"
COLOURS = {"mlp": "#d55e00", "bag": "#009e73", "cnn": "#e69f00", "lstm": "#cc79a7"}
OTHER, CHANCE = "#0072b2", "#6b7680"


def told(
    history: Sequence[Iteration | Round],
    before: Mapping[str, float],
    after: Mapping[str, float],
    seconds: Mapping[str, float],
) -> bytes:
    """All that is known of a filtering, as JSON."""
    whole = {
        "before": dict(before),
        "after": dict(after),
        "seconds": dict(seconds),
        "steps": [asdict(step) for step in history],
    }
    return (json.dumps(whole, indent=2) + "\n").encode("utf-8")


def series(history: Sequence[Iteration | Round]) -> dict[str, list[float]]:
    """The accuracies of each member in the order of steps; AFLite has one, its linear models."""
    if not history:
        return {}
    members = [step.members if isinstance(step, Iteration) else {"linear": step.accuracy} for step in history]
    return {name: [one[name] for one in members] for name in members[0]}


def drawn(history: Sequence[Iteration | Round], *, chance: float) -> bytes:
    """The picture of a curve: a line a member, and chance."""
    # Loads matplotlib, which nothing else here needs.
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415

    from situatedgen.dataset import plot_style  # noqa: PLC0415

    with plot_style.plot_style():
        figure, (panel,) = plot_style.subplots(7.2, 4.0)
        for name, accuracies in series(history).items():
            width = 2.4 if name not in COLOURS else 1.2
            places = range(len(accuracies))
            panel.plot(places, accuracies, "o-", color=COLOURS.get(name, OTHER), label=name, linewidth=width, ms=3)
        panel.axhline(chance, color=CHANCE, linestyle="--", linewidth=1, label="chance")
        panel.set_ylim(0, max(0.6, *(max(one) for one in series(history).values())))
        panel.set_title("Accuracy on held-out questions")
        panel.set_xlabel("iteration")
        panel.xaxis.set_major_locator(MaxNLocator(integer=True))
        panel.legend(ncols=3)
        return plot_style.png(figure)

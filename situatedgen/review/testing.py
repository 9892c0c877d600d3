"""Decisions and pairs made by hand, for tests of what people judge."""

import hashlib
from collections.abc import Iterable

from situatedgen.review.criteria import QUESTIONNAIRES, Mode
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.queue import Pair
from situatedgen.vocabulary import Context, Split

WHEN = "2024-05-01T09:30:00Z"


def content(name: str, context: Context = Context.GEO) -> Content:
    """Two sentences that a name tells apart from those of any other name."""
    return Content((f"July is summer in {name}.", f"July is winter south of {name}."), context.value)


def answers(mode: Mode = Mode.FILTER, faults: Iterable[str] = ()) -> dict[str, str]:
    """Yes to every question of a mode, but for those that the pair fails."""
    wrong = set(faults)
    return {name: "no" if name in wrong else "yes" for name in QUESTIONNAIRES[mode].names}


def decision(
    annotator: str,
    name: str,
    *faults: str,
    mode: Mode = Mode.FILTER,
    settles: Mode | None = None,
    at: str = WHEN,
    token: str = "",
    note: str = "",
    seconds: float = 5.0,
) -> Decision:
    """What a person decided about the pair of a name: valid, but for the criteria it fails.

    An adjudication `settles` a mode. Without a token of its own, the same decision has always the same one.
    """
    settled = settles or (Mode.FILTER if mode is Mode.ADJUDICATE else mode)
    told = "\x1f".join([annotator, name, mode, settled, at, *faults])
    return Decision(
        decision_id=token or hashlib.sha256(told.encode()).hexdigest()[:16],
        annotator=annotator,
        mode=mode,
        content=content(name),
        answers=answers(settled, faults),
        at=at,
        note=note,
        seconds=seconds,
    )


def pair(name: str, *, split: Split = Split.TEST, doubt: float = 0.0, example_id: str = "") -> Pair:
    """The pair of a name, as it is shown."""
    return Pair(example_id or f"example {name}", split.value, (name, "July", "summer"), content(name), doubt)

"""What comes in from another tool: decisions with the place they stood in, and what could not be taken."""

import hashlib
import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeVar

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import QUESTIONNAIRES, Mode
from situatedgen.review.decisions import TIME, Content, Decision, check_decision

SHOWN = 5
ID = 24
"""Letters of an id that is made from what a decision says."""
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Arrived:
    """A decision from elsewhere, and where it stood: `line 3`, or `task 2, annotation 1`."""

    place: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What a file held: decisions, what was refused and why, and how many rows nobody answered."""

    decisions: tuple[Arrived, ...] = ()
    refused: tuple[str, ...] = ()
    blank: int = 0


def arrivals(rows: Iterable[tuple[str, Row]], read: Callable[[Row], Decision | None]) -> Arrivals:
    """What rows hold, each with its place; a row that is blank gives no decision."""
    found, refused, blank = [], [], 0
    for place, row in rows:
        try:
            decision = read(row)
            if decision is not None:
                check_decision(decision)
                found.append(Arrived(place, decision))
        except DecisionError as error:
            refused.append(f"{place}: {error}")
            continue
        blank += decision is None
    return Arrivals(tuple(found), tuple(refused), blank)


def admitted(arrived: Arrivals, known: Collection[str] | None) -> tuple[Decision, ...]:
    """The decisions to be written, if all can be taken; `known` are the keys of pairs there are, if that matters.

    Raises:
        DecisionError: some cannot be taken, or are about pairs that nobody knows; their places are named.
    """
    strange = [
        f"{each.place}: no such pair here: {' / '.join(each.decision.content.statements)}"
        for each in arrived.decisions
        if known is not None and each.decision.pair not in known
    ]
    problems = [*arrived.refused, *strange]
    if problems:
        more = f"\nand {len(problems) - SHOWN:,} more" if len(problems) > SHOWN else ""
        hint = "\n--keep-unknown takes decisions about unknown pairs too" if strange else ""
        raise DecisionError("nothing was imported:\n" + "\n".join(problems[:SHOWN]) + more + hint)
    return tuple(each.decision for each in arrived.decisions)


def mode_of(answers: Mapping[str, str]) -> Mode:
    """The mode whose questions were answered.

    Raises:
        DecisionError: none, or those of two modes.
    """
    found = [mode for mode, questions in QUESTIONNAIRES.items() if answers.keys() & set(questions.names)]
    if len(found) != 1:
        raise DecisionError(f"answers must be to the questions of one mode; found {', '.join(answers) or 'none'}")
    return found[0]


def made_id(annotator: str, mode: Mode, content: Content, answers: Mapping[str, str]) -> str:
    """The id of a decision that has none of its own: the same whenever the same is said."""
    told = json.dumps([annotator, mode.value, content.key, dict(sorted(answers.items()))])
    return hashlib.sha256(told.encode("utf-8")).hexdigest()[:ID]


def time_of(written: object, otherwise: str) -> str:
    """A time as decisions write it; another where none is given.

    Raises:
        DecisionError: it cannot be read as a time.
    """
    if not written:
        return otherwise
    if TIME.fullmatch(str(written)):
        return str(written)
    try:
        found = datetime.fromisoformat(str(written))
    except ValueError as error:
        raise DecisionError(f"{written!r} is not a time such as 2024-05-01T09:30:00Z") from error
    return found.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if found.tzinfo else f"{found.isoformat()}Z"


def seconds_of(written: object) -> float:
    """A number of seconds; 0 where none is given.

    Raises:
        DecisionError: it is no number.
    """
    try:
        return float(str(written)) if written not in (None, "") else 0.0
    except ValueError as error:
        raise DecisionError(f"{written!r} is not a number of seconds") from error


def person(written: str, people: Mapping[str, str]) -> str:
    """The name of an annotator: as people are renamed, or else of an address what stands before the `@`.

    Example:
        >>> person("anna@example.org", {})
        'anna'
    """
    if written in people:
        return people[written]
    return re.sub(r"[^\w.\-]", "-", written.partition("@")[0])


def renamed(options: Sequence[str]) -> dict[str, str]:
    """How people are renamed, from `FROM=NAME` each.

    Raises:
        DecisionError: one is not of that form.
    """
    parts = [option.partition("=") for option in options]
    wrong = [option for option, (old, _, new) in zip(options, parts, strict=True) if not (old and new)]
    if wrong:
        raise DecisionError(f"{wrong[0]!r} is not FROM=NAME")
    return {old: new for old, _, new in parts}

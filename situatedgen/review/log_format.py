"""The log's line format: one JSON object per entry, with a checksum that detects torn or altered lines."""

import hashlib
import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from situatedgen.errors import DecisionError
from situatedgen.review.active_decisions import Entry, check_entry
from situatedgen.review.ballots import Ballot, Candidates, Task
from situatedgen.review.decisions import Content, Decision, Undo
from situatedgen.vocabulary import Mode

CHECK = "check"


class _Line(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    id: str
    annotator: str
    at: str


class _DecisionLine(_Line):
    kind: Literal["decision"]
    mode: str
    pair: str
    statements: list[str]
    context: str
    answers: dict[str, str]
    note: str
    seconds: float


class _UndoLine(_Line):
    kind: Literal["undo"]
    takes_back: str


class _BallotLine(_Line):
    kind: Literal["ballot"]
    task: str
    item: str
    context: str
    keywords: list[str]
    texts: list[str]
    order: list[int]
    answers: dict[str, str]
    note: str
    seconds: float


_AnyLine = _DecisionLine | _BallotLine | _UndoLine
_LINE: TypeAdapter[_AnyLine] = TypeAdapter(Annotated[_AnyLine, Field(discriminator="kind")])


def line(entry: Entry) -> str:
    """Serialise an entry as one line of JSON, without a trailing newline."""
    fields = _to_fields(entry)
    return json.dumps({**fields, CHECK: checksum(fields)}, ensure_ascii=False)


def entry_of(text: str) -> Entry:
    """Parse a log line.

    Raises:
        DecisionError: the line is torn, altered, or not a valid entry.
    """
    fields = _parse_object(text)
    if fields.pop(CHECK, None) != checksum(fields):
        raise DecisionError("checksum mismatch: the line was altered")
    try:
        found = _LINE.validate_python(fields)
    except ValidationError as error:
        raise DecisionError(f"not a decision: {_first_error(error)}") from error
    entry = _to_entry(found)
    check_entry(entry)
    return entry


def checksum(values: Mapping[str, Any]) -> str:
    """Digest of a line's fields, independent of their order."""
    text = json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _to_fields(entry: Entry) -> dict[str, object]:
    if isinstance(entry, Undo):
        return {
            "kind": "undo",
            "id": entry.decision_id,
            "annotator": entry.annotator,
            "takes_back": entry.takes_back,
            "at": entry.at,
        }
    if isinstance(entry, Ballot):
        return _ballot_fields(entry)
    return {
        "kind": "decision",
        "id": entry.decision_id,
        "annotator": entry.annotator,
        "mode": entry.mode.value,
        "pair": entry.pair,
        "statements": list(entry.content.statements),
        "context": entry.content.context,
        "answers": dict(entry.answers),
        "note": entry.note,
        "seconds": float(entry.seconds),
        "at": entry.at,
    }


def _ballot_fields(ballot: Ballot) -> dict[str, object]:
    return {
        "kind": "ballot",
        "id": ballot.decision_id,
        "annotator": ballot.annotator,
        "task": ballot.task.value,
        "item": ballot.pair,
        "context": ballot.content.context,
        "keywords": list(ballot.content.keywords),
        "texts": list(ballot.content.texts),
        "order": list(ballot.order),
        "answers": dict(ballot.answers),
        "note": ballot.note,
        "seconds": float(ballot.seconds),
        "at": ballot.at,
    }


def _parse_object(text: str) -> dict[str, Any]:  # Any: parsed JSON
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DecisionError("invalid JSON: the line is incomplete or was altered") from error
    if not isinstance(found, dict):
        raise DecisionError("not a JSON object")
    return found


def _to_entry(found: _AnyLine) -> Entry:
    if isinstance(found, _UndoLine):
        return _to_undo(found)
    return _to_ballot(found) if isinstance(found, _BallotLine) else _to_decision(found)


def _to_ballot(found: _BallotLine) -> Ballot:
    if found.task not in set(Task):
        raise DecisionError(f"{found.task!r} is not a task; known: {', '.join(Task)}")
    content = Candidates(found.context, tuple(found.keywords), tuple(found.texts))
    if content.key != found.item:
        raise DecisionError(f"item mismatch: its texts have the key {content.key}, the line says {found.item}")
    return Ballot(
        decision_id=found.id,
        annotator=found.annotator,
        task=Task(found.task),
        content=content,
        order=tuple(found.order),
        answers=found.answers,
        at=found.at,
        note=found.note,
        seconds=found.seconds,
    )


def _to_decision(found: _DecisionLine) -> Decision:
    if found.mode not in set(Mode):
        raise DecisionError(f"{found.mode!r} is not a mode; known: {', '.join(Mode)}")
    if len(found.statements) != 2:
        raise DecisionError(f"a pair has two sentences, not {len(found.statements)}")
    left, right = found.statements
    content = Content((left, right), found.context)
    if content.key != found.pair:
        raise DecisionError(f"pair mismatch: its sentences have the key {content.key}, the line says {found.pair}")
    return Decision(
        decision_id=found.id,
        annotator=found.annotator,
        mode=Mode(found.mode),
        content=content,
        answers=found.answers,
        at=found.at,
        note=found.note,
        seconds=found.seconds,
    )


def _to_undo(found: _UndoLine) -> Undo:
    return Undo(found.id, found.annotator, found.takes_back, found.at)


def _first_error(error: ValidationError) -> str:
    detail = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in detail['loc'])}: {detail['msg']}"

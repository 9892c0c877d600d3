"""Import and export of decisions: Label Studio and CSV."""

import csv
import hashlib
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any, TypeVar
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import CRITERIA, QUESTIONNAIRES, Questionnaire
from situatedgen.review.decisions import TIME, Content, Decision, check_decision
from situatedgen.review.queue import Pair
from situatedgen.vocabulary import Mode

SHOWN = 5
ID = 24
"""Length of an id derived from a decision's content."""
Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class Arrived:
    """An imported decision and its place in the file: `line 3`, or `task 2, annotation 1`."""

    place: str
    decision: Decision


@dataclass(frozen=True, slots=True)
class Arrivals:
    """What a file held: decisions, rejected rows with reasons, and the number of unanswered rows."""

    decisions: tuple[Arrived, ...] = ()
    refused: tuple[str, ...] = ()
    blank: int = 0


def arrivals(rows: Iterable[tuple[str, Row]], read: Callable[[Row], Decision | None]) -> Arrivals:
    """Read rows, each with its place, into decisions; `read` returns None for a blank row."""
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


def admit(arrived: Arrivals, known: Collection[str] | None) -> tuple[Decision, ...]:
    """The decisions to write, if all are acceptable; `known` holds the existing pair keys (None skips that check).

    Raises:
        DecisionError: some rows were rejected, or their pairs are unknown; the message names their places.
    """
    strange = [
        f"{each.place}: no such pair in the dataset: {' / '.join(each.decision.content.statements)}"
        for each in arrived.decisions
        if known is not None and each.decision.pair not in known
    ]
    problems = [*arrived.refused, *strange]
    if problems:
        more = f"\nand {len(problems) - SHOWN:,} more" if len(problems) > SHOWN else ""
        hint = "\n--keep-unknown also imports decisions about unknown pairs" if strange else ""
        raise DecisionError("nothing was imported:\n" + "\n".join(problems[:SHOWN]) + more + hint)
    return tuple(each.decision for each in arrived.decisions)


def mode_of(answers: Mapping[str, str]) -> Mode:
    """The mode whose questions were answered.

    Raises:
        DecisionError: the answers belong to no mode, or to more than one.
    """
    found = [mode for mode, questions in QUESTIONNAIRES.items() if answers.keys() & set(questions.names)]
    if len(found) != 1:
        raise DecisionError(f"expected answers to the questions of a single mode, found {', '.join(answers) or 'none'}")
    return found[0]


def derive_id(annotator: str, mode: Mode, content: Content, answers: Mapping[str, str]) -> str:
    """Derive a deterministic id for a decision that has none."""
    values = json.dumps([annotator, mode.value, content.key, dict(sorted(answers.items()))])
    return hashlib.sha256(values.encode("utf-8")).hexdigest()[:ID]


def time_of(written: object, otherwise: str) -> str:
    """Normalise a timestamp to the log's format; `otherwise` if there is none.

    Raises:
        DecisionError: it is not a timestamp.
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
    """Parse a number of seconds; 0 if there is none.

    Raises:
        DecisionError: it is not a number.
    """
    try:
        return float(str(written)) if written not in (None, "") else 0.0
    except ValueError as error:
        raise DecisionError(f"{written!r} is not a number of seconds") from error


def person(written: str, people: Mapping[str, str]) -> str:
    """Annotator name: as mapped in `people`, otherwise the part of an e-mail address before the `@`.

    Example:
        >>> person("anna@example.org", {})
        'anna'
    """
    if written in people:
        return people[written]
    return re.sub(r"[^\w.\-]", "-", written.partition("@")[0])


def rename_person(options: Sequence[str]) -> dict[str, str]:
    """Parse `FROM=NAME` options into a mapping of annotator names.

    Raises:
        DecisionError: an option does not have that form.
    """
    parts = [option.partition("=") for option in options]
    wrong = [option for option, (old, _, new) in zip(options, parts, strict=True) if not (old and new)]
    if wrong:
        raise DecisionError(f"{wrong[0]!r} is not FROM=NAME")
    return {old: new for old, _, new in parts}


FIRST, SECOND, NOTE = "first", "second", "note"
STYLE = "border-left: 3px solid #8884; padding-left: 1em; margin: 1em 0"


def label_config(questions: Questionnaire) -> str:
    """Label Studio's XML config for a questionnaire: two sentences, one choice per question, and a note."""
    view = Element("View")
    SubElement(view, "Header", value=questions.title)
    SubElement(view, "Header", value=questions.goal, size="6")
    sentences = SubElement(view, "View", style=STYLE)
    for name in ("keywords", FIRST, SECOND):
        SubElement(sentences, "Text", name=name, value=f"${name}")
    for criterion in questions.criteria:
        SubElement(view, "Header", value=criterion.question, size="5")
        SubElement(view, "Header", value=criterion.help, size="6")
        choices = SubElement(view, "Choices", name=criterion.name, toName=FIRST, choice="single", required="true")
        for answer in criterion.answers:
            SubElement(choices, "Choice", value=answer.label, alias=answer.name, hotkey=answer.key)
    SubElement(view, "TextArea", name=NOTE, toName=FIRST, placeholder="Note", maxSubmissions="1", editable="true")
    indent(view)
    return tostring(view, encoding="unicode") + "\n"


JUDGE = "judge"
Json = dict[str, Any]  # Any: parsed JSON


def to_tasks(decisions: Iterable[Decision], questions: Questionnaire, pairs: Iterable[Pair] = ()) -> str:
    """Export decisions as Label Studio tasks with annotations, and unjudged pairs as tasks without.

    An adjudication becomes the ground truth of its task. A judge's probability becomes the score of a prediction, by
    which tasks can be sorted; the prediction contains no answers, which would bias annotators.
    """
    wanted = [each for each in decisions if each.questions is questions]
    shown = {pair.key: pair for pair in pairs}
    by_pair = {key: list(made) for key, made in groupby(sorted(wanted, key=_pair_key), key=_pair_key)}
    tasks = [_task(made[0].content, shown.get(key), made) for key, made in by_pair.items()]
    tasks += [_task(pair.content, pair, []) for key, pair in shown.items() if key not in by_pair]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def from_tasks(text: str, *, at: str, people: Mapping[str, str]) -> Arrivals:
    """Read the decisions of a Label Studio export; `at` is the default timestamp.

    Cancelled annotations and tasks without annotations are counted as blank and skipped.

    Raises:
        DecisionError: the file is not a list of tasks.
    """
    try:
        tasks = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DecisionError(f"invalid JSON: {error}") from error
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise DecisionError("not a list of tasks; export from Label Studio in the format JSON")
    return arrivals(_annotations(tasks), lambda row: _decision_of_annotation(*row, at, people))


def _pair_key(decision: Decision) -> str:
    return decision.pair


def _task(content: Content, pair: Pair | None, decisions: list[Decision]) -> Json:
    first, second = content.statements
    data = {"pair": content.key, FIRST: first, SECOND: second, "context": content.context, "keywords": ""}
    task: Json = {"data": data, "annotations": [_annotation(each) for each in decisions]}
    if pair is None:
        return task
    data |= {"keywords": ", ".join(pair.keywords), "example_id": pair.example_id, "split": pair.split}
    if pair.probability is None:
        return task
    score = round(pair.probability, 6)
    return {**task, "predictions": [{"model_version": JUDGE, "score": score, "result": []}]}


def _annotation(decision: Decision) -> Json:
    results = [_result(name, "choices", [answer]) for name, answer in decision.answers.items()]
    results += [_result(NOTE, "textarea", [decision.note])] if decision.note else []
    return {
        "unique_id": decision.decision_id,
        "completed_by": {"email": decision.annotator},
        "ground_truth": decision.mode is Mode.ADJUDICATE,
        "was_cancelled": False,
        "lead_time": float(decision.seconds),
        "created_at": decision.at,
        "sentences": list(decision.content.statements),
        "result": results,
    }


def _result(name: str, kind: str, value: list[str]) -> Json:
    field = "text" if kind == "textarea" else kind
    return {"id": name, "from_name": name, "to_name": FIRST, "type": kind, "value": {field: value}}


def _annotations(tasks: list[Json]) -> Iterator[tuple[str, tuple[Json, Json]]]:
    """Yield every annotation with its place and task; a task without any yields a cancelled one."""
    for number, task in enumerate(tasks, start=1):
        made = task.get("annotations") or [{"was_cancelled": True}]
        for place, annotation in enumerate(made if isinstance(made, list) else [{}], start=1):
            yield f"task {number}, annotation {place}", (task, annotation if isinstance(annotation, dict) else {})


def _decision_of_annotation(task: Json, annotation: Json, at: str, people: Mapping[str, str]) -> Decision | None:
    if annotation.get("was_cancelled"):
        return None
    content, (answers, note) = _content(task, annotation), _answers(annotation)
    mode = Mode.ADJUDICATE if annotation.get("ground_truth") else mode_of(answers)
    annotator = person(_annotator_of(annotation), people)
    return Decision(
        decision_id=str(annotation.get("unique_id") or derive_id(annotator, mode, content, answers)),
        annotator=annotator,
        mode=mode,
        content=content,
        answers=answers,
        at=time_of(annotation.get("created_at"), at),
        note=note,
        seconds=seconds_of(annotation.get("lead_time")),
    )


def _content(task: Json, annotation: Json) -> Content:
    """The task's content, with the sentences in the order in which they were shown."""
    data = task.get("data")
    if not isinstance(data, dict) or not {FIRST, SECOND, "context"} <= data.keys():
        raise DecisionError(f"its data lacks {FIRST}, {SECOND} and context, which identify a pair")
    content = Content((str(data[FIRST]), str(data[SECOND])), str(data["context"]))
    if data.get("pair", content.key) != content.key:
        raise DecisionError(f"its sentences were changed: they are no longer those of pair {data['pair']}")
    return _restore_shown_order(annotation, content)


def _restore_shown_order(annotation: Json, content: Content) -> Content:
    """The same pair with its sentences in the order this annotator saw, if the annotation records it."""
    values = annotation.get("sentences")
    if not isinstance(values, list) or len(values) != 2:
        return content
    shown = Content((str(values[0]), str(values[1])), content.context)
    return shown if shown.key == content.key else content


def _answers(annotation: Json) -> tuple[dict[str, str], str]:
    """Answers by question, and the note."""
    answers, note = {}, ""
    for result in annotation.get("result") or ():
        name, value = result.get("from_name"), result.get("value") or {}
        if name == NOTE:
            note = "\n".join(map(str, value.get("text") or ()))
        elif isinstance(name, str) and value.get("choices"):
            answers[name] = str(value["choices"][0]).lower()
    return answers, note


def _annotator_of(annotation: Json) -> str:
    """The annotator: Label Studio stores an e-mail address or a user number."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        return str(by.get("email") or by.get("id") or "")
    return f"user-{by}" if by is not None else ""


NEEDED = ("annotator", "statement_1", "statement_2", "context")
COLUMNS = ("annotator", "mode", "statement_1", "statement_2", "context", *CRITERIA, "valid", "note", "seconds", "at")
HEADER = (*COLUMNS, "decision_id", "pair")
# A cell that begins with one of these is read as a formula by spreadsheets.
FORMULA = tuple("=+-@\t\r")
QUOTE = "'"


def to_csv(decisions: Iterable[Decision], pairs: Iterable[Pair] = ()) -> str:
    """Export decisions as CSV, followed by unjudged pairs with blank answers.

    Cells that a spreadsheet would read as a formula are prefixed with a quote, which the import removes.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, HEADER, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row(decision) for decision in decisions)
    writer.writerows(_blank_row(pair) for pair in pairs)
    return stream.getvalue()


def from_csv(text: str, *, at: str, people: Mapping[str, str]) -> Arrivals:
    """Read the decisions of a CSV file; `at` is the default timestamp.

    Ids, times, notes and seconds are optional, and so is the mode where the answered questions imply it. Rows without
    any answer are counted as blank and skipped.

    Raises:
        DecisionError: the header lacks the columns for annotator, sentences or context.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise DecisionError(f"the header lacks {', '.join(missing)}; expected {', '.join(HEADER)}")
        rows = list(_number_rows(reader))
    except csv.Error as error:
        raise DecisionError(f"after line {reader.line_num}: invalid CSV: {error}") from error
    return arrivals(rows, lambda row: _decision_of_row(row, at, people))


def _number_rows(reader: "csv.DictReader[str]") -> Iterator[tuple[str, dict[str, str]]]:
    """Yield rows with the line that they start on."""
    begins = reader.line_num + 1
    for row in reader:
        if None in row:
            raise DecisionError(f"line {begins}: it has more cells than the header")
        yield f"line {begins}", {name: _unquote_formula(cell or "") for name, cell in row.items()}
        begins = reader.line_num + 1


def _row(decision: Decision) -> dict[str, str]:
    first, second = decision.content.statements
    values = {
        "annotator": decision.annotator,
        "mode": decision.mode.value,
        "statement_1": first,
        "statement_2": second,
        "context": decision.content.context,
        **decision.answers,
        "valid": "yes" if decision.is_valid else "no",
        "note": decision.note,
        "seconds": repr(float(decision.seconds)),
        "at": decision.at,
        "decision_id": decision.decision_id,
        "pair": decision.pair,
    }
    return {name: _quote_formula(cell) for name, cell in values.items()}


def _blank_row(pair: Pair) -> dict[str, str]:
    first, second = pair.content.statements
    values = {"statement_1": first, "statement_2": second, "context": pair.content.context, "pair": pair.key}
    return {name: _quote_formula(cell) for name, cell in values.items()}


def _quote_formula(cell: str) -> str:
    return QUOTE + cell if cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _unquote_formula(cell: str) -> str:
    return cell[1:] if cell.startswith(QUOTE) and cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _decision_of_row(row: Mapping[str, str], at: str, people: Mapping[str, str]) -> Decision | None:
    answers = {name: row[name].strip().lower() for name in CRITERIA if row.get(name, "").strip()}
    if not answers:
        return None
    mode, content = _mode(row, answers), Content((row["statement_1"], row["statement_2"]), row["context"])
    _check_pair(row, content)
    annotator = person(row["annotator"], people)
    return Decision(
        decision_id=row.get("decision_id") or derive_id(annotator, mode, content, answers),
        annotator=annotator,
        mode=mode,
        content=content,
        answers=answers,
        at=time_of(row.get("at"), at),
        note=row.get("note", ""),
        seconds=seconds_of(row.get("seconds")),
    )


def _mode(row: Mapping[str, str], answers: Mapping[str, str]) -> Mode:
    written = row.get("mode", "").strip()
    if not written:
        return mode_of(answers)
    if written not in set(Mode):
        raise DecisionError(f"{written!r} is not a mode; known: {', '.join(Mode)}")
    return Mode(written)


def _check_pair(row: Mapping[str, str], content: Content) -> None:
    """Raise if the sentences of a row were edited, because the answers are then about another pair."""
    written = row.get("pair", "")
    if written and written != content.key:
        raise DecisionError(f"its sentences were changed: they are no longer those of pair {written}")

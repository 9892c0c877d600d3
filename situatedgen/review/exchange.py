"""Decisions for other tools, and from them: Label Studio and CSV."""

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


def admit(arrived: Arrivals, known: Collection[str] | None) -> tuple[Decision, ...]:
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


def rename_person(options: Sequence[str]) -> dict[str, str]:
    """How people are renamed, from `FROM=NAME` each.

    Raises:
        DecisionError: one is not of that form.
    """
    parts = [option.partition("=") for option in options]
    wrong = [option for option, (old, _, new) in zip(options, parts, strict=True) if not (old and new)]
    if wrong:
        raise DecisionError(f"{wrong[0]!r} is not FROM=NAME")
    return {old: new for old, _, new in parts}


FIRST, SECOND, NOTE = "first", "second", "note"
STYLE = "border-left: 3px solid #8884; padding-left: 1em; margin: 1em 0"


def label_config(questions: Questionnaire) -> str:
    """The XML of a project that asks these questions: two sentences, a choice a question, and a note."""
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
    """Decisions in a mode as tasks with annotations, and pairs that are still to be judged as tasks without.

    An adjudication is the ground truth of its task. How probable a judge finds the pair is the score of a prediction,
    by which tasks can be sorted; it predicts no answer, which would sway people.
    """
    wanted = [each for each in decisions if each.questions is questions]
    shown = {pair.key: pair for pair in pairs}
    by_pair = {key: list(made) for key, made in groupby(sorted(wanted, key=_pair), key=_pair)}
    tasks = [_task(made[0].content, shown.get(key), made) for key, made in by_pair.items()]
    tasks += [_task(pair.content, pair, []) for key, pair in shown.items() if key not in by_pair]
    return json.dumps(tasks, ensure_ascii=False, indent=1) + "\n"


def from_tasks(text: str, *, at: str, people: Mapping[str, str]) -> Arrivals:
    """The decisions of a file that Label Studio exported; `at` is their time where none is written.

    Annotations that were cancelled, and tasks without any, are counted and left.

    Raises:
        DecisionError: the file is no list of tasks.
    """
    try:
        tasks = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise DecisionError(f"invalid JSON: {error}") from error
    if not isinstance(tasks, list) or not all(isinstance(task, dict) for task in tasks):
        raise DecisionError("not a list of tasks; export from Label Studio in the format JSON")
    return arrivals(_annotations(tasks), lambda row: _decision(*row, at, people))


def _pair(decision: Decision) -> str:
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
    """Every annotation with its task and its place; a task without any counts as a blank one."""
    for number, task in enumerate(tasks, start=1):
        made = task.get("annotations") or [{"was_cancelled": True}]
        for place, annotation in enumerate(made if isinstance(made, list) else [{}], start=1):
            yield f"task {number}, annotation {place}", (task, annotation if isinstance(annotation, dict) else {})


def _decision(task: Json, annotation: Json, at: str, people: Mapping[str, str]) -> Decision | None:
    if annotation.get("was_cancelled"):
        return None
    content, (answers, note) = _content(task, annotation), _answers(annotation)
    mode = Mode.ADJUDICATE if annotation.get("ground_truth") else mode_of(answers)
    annotator = person(_writer(annotation), people)
    return Decision(
        decision_id=str(annotation.get("unique_id") or made_id(annotator, mode, content, answers)),
        annotator=annotator,
        mode=mode,
        content=content,
        answers=answers,
        at=time_of(annotation.get("created_at"), at),
        note=note,
        seconds=seconds_of(annotation.get("lead_time")),
    )


def _content(task: Json, annotation: Json) -> Content:
    """What was judged: the sentences of the task, in the order in which they were shown."""
    data = task.get("data")
    if not isinstance(data, dict) or not {FIRST, SECOND, "context"} <= data.keys():
        raise DecisionError(f"its data lacks {FIRST}, {SECOND} and context, which identify a pair")
    content = Content((str(data[FIRST]), str(data[SECOND])), str(data["context"]))
    if data.get("pair", content.key) != content.key:
        raise DecisionError(f"its sentences were changed: they are no longer those of pair {data['pair']}")
    return _as_shown(annotation, content)


def _as_shown(annotation: Json, content: Content) -> Content:
    """The same pair, its sentences in the order in which this person saw them where the annotation says so."""
    told = annotation.get("sentences")
    if not isinstance(told, list) or len(told) != 2:
        return content
    shown = Content((str(told[0]), str(told[1])), content.context)
    return shown if shown.key == content.key else content


def _answers(annotation: Json) -> tuple[dict[str, str], str]:
    """The answers by question, and the note."""
    answers, note = {}, ""
    for result in annotation.get("result") or ():
        name, value = result.get("from_name"), result.get("value") or {}
        if name == NOTE:
            note = "\n".join(map(str, value.get("text") or ()))
        elif isinstance(name, str) and value.get("choices"):
            answers[name] = str(value["choices"][0]).lower()
    return answers, note


def _writer(annotation: Json) -> str:
    """Who annotated: Label Studio writes an address, or the number of a user."""
    by = annotation.get("completed_by")
    if isinstance(by, dict):
        return str(by.get("email") or by.get("id") or "")
    return f"user-{by}" if by is not None else ""


NEEDED = ("annotator", "statement_1", "statement_2", "context")
COLUMNS = ("annotator", "mode", "statement_1", "statement_2", "context", *CRITERIA, "valid", "note", "seconds", "at")
HEADER = (*COLUMNS, "decision_id", "pair")
# What a spreadsheet takes for a formula when a cell begins with it.
FORMULA = tuple("=+-@\t\r")
QUOTE = "'"


def to_csv(decisions: Iterable[Decision], pairs: Iterable[Pair] = ()) -> str:
    """Decisions as CSV, and after them pairs that are still to be judged, with their answers left blank.

    Text that a spreadsheet would take for a formula gets a quote before it, which is taken off again on the way in.
    """
    stream = io.StringIO()
    writer = csv.DictWriter(stream, HEADER, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(_row(decision) for decision in decisions)
    writer.writerows(_blank(pair) for pair in pairs)
    return stream.getvalue()


def from_csv(text: str, *, at: str, people: Mapping[str, str]) -> Arrivals:
    """The decisions of a CSV file; `at` is their time where none is written.

    Ids, times, notes and seconds may be left out, and the mode where the answered questions tell it. Rows without
    any answer are counted and left.

    Raises:
        DecisionError: the file has no header that tells who judged which sentences.
    """
    reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True)
    try:
        missing = [name for name in NEEDED if name not in (reader.fieldnames or ())]
        if missing:
            raise DecisionError(f"the header lacks {', '.join(missing)}; expected {', '.join(HEADER)}")
        rows = list(_numbered(reader))
    except csv.Error as error:
        raise DecisionError(f"after line {reader.line_num}: invalid CSV: {error}") from error
    return arrivals(rows, lambda row: _decision_of_row(row, at, people))


def _numbered(reader: "csv.DictReader[str]") -> Iterator[tuple[str, dict[str, str]]]:
    """The rows with the lines that they begin on."""
    begins = reader.line_num + 1
    for row in reader:
        if None in row:
            raise DecisionError(f"line {begins}: it has more cells than the header")
        yield f"line {begins}", {name: _opened(cell or "") for name, cell in row.items()}
        begins = reader.line_num + 1


def _row(decision: Decision) -> dict[str, str]:
    first, second = decision.content.statements
    told = {
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
    return {name: _closed(cell) for name, cell in told.items()}


def _blank(pair: Pair) -> dict[str, str]:
    first, second = pair.content.statements
    told = {"statement_1": first, "statement_2": second, "context": pair.content.context, "pair": pair.key}
    return {name: _closed(cell) for name, cell in told.items()}


def _closed(cell: str) -> str:
    return QUOTE + cell if cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _opened(cell: str) -> str:
    return cell[1:] if cell.startswith(QUOTE) and cell.lstrip(QUOTE).startswith(FORMULA) else cell


def _decision_of_row(row: Mapping[str, str], at: str, people: Mapping[str, str]) -> Decision | None:
    answers = {name: row[name].strip().lower() for name in CRITERIA if row.get(name, "").strip()}
    if not answers:
        return None
    mode, content = _mode(row, answers), Content((row["statement_1"], row["statement_2"]), row["context"])
    _check_pair(row, content)
    annotator = person(row["annotator"], people)
    return Decision(
        decision_id=row.get("decision_id") or made_id(annotator, mode, content, answers),
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
    """A row whose sentences were edited is not about the pair that was asked."""
    written = row.get("pair", "")
    if written and written != content.key:
        raise DecisionError(f"its sentences were changed: they are no longer those of pair {written}")

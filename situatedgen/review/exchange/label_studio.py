"""Decisions as the tasks of Label Studio: an annotation a decision, a prediction what the judge expects."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import Mode, Questionnaire
from situatedgen.review.decisions import Content, Decision
from situatedgen.review.exchange.arriving import Arrivals, arrivals, made_id, mode_of, person, seconds_of, time_of
from situatedgen.review.exchange.label_config import FIRST, NOTE, SECOND
from situatedgen.review.queue import Pair

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

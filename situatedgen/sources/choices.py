"""Multiple-choice records: finding the text of the right choice."""

from collections.abc import Sequence

from situatedgen.errors import RecordError
from situatedgen.sources.fields import list_at, look_up, own_id, text_at
from situatedgen.sources.source import Content


def stem_and_choices(value: object) -> Content:
    """The stem and the right choice of a record laid out as ARC and CommonsenseQA are.

    Raises:
        RecordError: a field is missing or of the wrong type, or the label is not among the choices.
    """
    choices = list_at(value, "question.choices")
    answer = labelled(choices, text_at(value, "answerKey"), "answerKey")
    return Content(question=text_at(value, "question.stem"), answer=answer, own_id=own_id(value, "id"))


def labelled(choices: Sequence[object], label: str, name: str) -> str:
    """The text of the one choice (`{"label": …, "text": …}`) that has a label.

    Raises:
        RecordError: no choice has the label, or more than one.
    """
    labels = [look_up(choice, "label") for choice in choices]
    if labels.count(label) != 1:
        raise RecordError(f"expected {name!r} to be one of {', '.join(map(str, labels))}, found {label!r}")
    return text_at(choices[labels.index(label)], "text")

"""StrategyQA: yes/no questions whose answer takes several steps of reasoning, and the facts those steps rest on."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from situatedgen.sources.arrays import json_array
from situatedgen.sources.collection import Collection
from situatedgen.sources.fields import as_text, flag_at, own_id, text_at
from situatedgen.sources.records import Record
from situatedgen.sources.source import Content, Part
from situatedgen.vocabulary import ItemKind, Verdict


def content(value: object) -> Content:
    """The question, and yes or no.

    Raises:
        RecordError: a field is missing or of the wrong type.
    """
    answer = "yes" if flag_at(value, "answer") else "no"
    return Content(question=text_at(value, "question"), answer=answer, own_id=own_id(value, "qid"))


def facts(root: Path, file: str) -> Iterator[Record]:
    """Each fact of each question as a record, counted through the file; a broken question or one without keeps a place.

    Raises:
        SourceError: the file is not an array at all.
    """
    found = (fact for question in json_array(root, file) for fact in _facts(question))
    return (replace(fact, index=index) for index, fact in enumerate(found))


def fact(value: object) -> Content | None:
    """A fact, which is a statement as it stands; nothing where a question has none.

    Raises:
        RecordError: it is not a text.
    """
    return None if value is None else Content(statement=as_text(value, "fact"))


def _facts(question: Record) -> Iterator[Record]:
    """The facts of a question; the question itself, without a value or as it is, where there are none to be read."""
    value = question.value
    given = value.get("facts") if isinstance(value, dict) else value
    if question.verdict != Verdict.KEPT or not isinstance(given, list):
        yield replace(question, value=given)
    else:
        yield from (replace(question, value=one) for one in given or [None])


CITATION = "Geva, Khashabi, Segal, Khot, Roth, Berant (2021): StrategyQA. TACL 9. arXiv:2101.02235"
STRATEGYQA = Collection(
    name="strategyqa",
    kind=ItemKind.YES_NO,
    licence="MIT",
    citation=CITATION,
    files=(
        Part("train", "strategyqa/strategyqa_train.json"),
        Part("train_filtered", "strategyqa/strategyqa_train_filtered.json"),
    ),
    format=json_array,
    understand=content,
)
STRATEGYQA_FACTS = Collection(
    name="strategyqa_facts",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=CITATION,
    files=(Part("train", "strategyqa/strategyqa_train.json"),),
    format=facts,
    understand=fact,
)

"""The built-in sources: ARC, CommonsenseQA, CREAK, OpenbookQA and StrategyQA, and their supplements."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from situatedgen.errors import RecordError
from situatedgen.sources.formats import (
    Record,
    as_text,
    flag_at,
    json_array,
    json_lines,
    list_at,
    look_up,
    own_id,
    text_at,
    text_lines,
)
from situatedgen.sources.source import Collection, Content, Part
from situatedgen.vocabulary import ItemKind, Verdict


def stem_and_choices(value: object) -> Content:
    """The stem and the right choice of a record in the format of ARC and CommonsenseQA.

    Raises:
        RecordError: a field is missing or of the wrong type, or the label is not among the choices.
    """
    choices = list_at(value, "question.choices")
    answer = text_of_label(choices, text_at(value, "answerKey"), "answerKey")
    return Content(question=text_at(value, "question.stem"), answer=answer, own_id=own_id(value, "id"))


def text_of_label(choices: Sequence[object], label: str, name: str) -> str:
    """The text of the one choice (`{"label": …, "text": …}`) with this label.

    Raises:
        RecordError: no choice has the label, or more than one.
    """
    labels = [look_up(choice, "label") for choice in choices]
    if labels.count(label) != 1:
        raise RecordError(f"expected {name!r} to be one of {', '.join(map(str, labels))}, found {label!r}")
    return text_at(choices[labels.index(label)], "text")


ARC = Collection(
    name="arc",
    kind=ItemKind.CHOICE,
    licence="CC BY-SA 4.0",
    citation=(
        "Clark, Cowhey, Etzioni, Khot, Sabharwal, Schoenick, Tafjord (2018): AI2 Reasoning Challenge. arXiv:1803.05457"
    ),
    files=tuple(
        Part(f"{level}::{split}", f"arc/ARC-{level}/ARC-{level}-{split}.jsonl")
        for level in ("Easy", "Challenge")
        for split in ("Train", "Dev", "Test")
    ),
    format=json_lines,
    to_content=stem_and_choices,
)


COMMONSENSEQA = Collection(
    name="commonsenseqa",
    kind=ItemKind.CHOICE,
    licence="MIT",
    citation="Talmor, Herzig, Lourie, Berant (2019): CommonsenseQA. NAACL-HLT, 4149–4158. arXiv:1811.00937",
    files=(
        Part("train", "commonsenseqa/train_rand_split.jsonl"),
        Part("dev", "commonsenseqa/dev_rand_split.jsonl"),
    ),
    format=json_lines,
    to_content=stem_and_choices,
)


LABELS = ("true", "false")


def creak_content(value: object) -> Content | None:
    """The sentence of a true claim; None for a false one.

    Raises:
        RecordError: a field is missing or of the wrong type, or the label is neither true nor false.
    """
    label = text_at(value, "label")
    if label not in LABELS:
        raise RecordError(f"expected 'label' to be 'true' or 'false', found {label!r}")
    if label == "false":
        return None
    return Content(statement=text_at(value, "sentence"), own_id=own_id(value, "ex_id"))


def explanation(value: object) -> Content | None:
    """Why a claim is true or false, which is a statement of its own; None if there is no explanation.

    Raises:
        RecordError: the explanation is not text.
    """
    if isinstance(value, dict) and not value.get("explanation"):
        return None
    return Content(statement=text_at(value, "explanation"), own_id=own_id(value, "ex_id"))


CREAK_CITATION = "Onoe, Zhang, Choi, Durrett (2021): CREAK. NeurIPS Datasets and Benchmarks. arXiv:2109.01653"
CREAK_FILES = (Part("train", "creak/train.json"), Part("dev", "creak/dev.json"))
CREAK = Collection(
    name="creak",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=CREAK_CITATION,
    files=CREAK_FILES,
    format=json_lines,
    to_content=creak_content,
)
CREAK_EXPLANATIONS = Collection(
    name="creak_explanations",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=CREAK_CITATION,
    files=CREAK_FILES,
    format=json_lines,
    to_content=explanation,
)


OPENBOOKQA_FILES = ("Additional/crowdsourced-facts.txt", "Main/openbook.txt")


def openbookqa_content(value: object) -> Content:
    """The fact on a line, without the surrounding quotes.

    Raises:
        RecordError: there is nothing inside the quotes.
    """
    line = str(value).strip()
    quoted = len(line) > 1 and line.startswith('"') and line.endswith('"')
    return Content(statement=as_text(line[1:-1] if quoted else line, "line"))


OPENBOOKQA = Collection(
    name="openbookqa",
    kind=ItemKind.CLAIM,
    licence="not stated",
    citation="Mihaylov, Clark, Khot, Sabharwal (2018): OpenBookQA. EMNLP, 2381–2391. arXiv:1809.02789",
    files=tuple(Part(file, f"openbookqa/{file}") for file in OPENBOOKQA_FILES),
    format=text_lines,
    to_content=openbookqa_content,
)


def strategyqa_content(value: object) -> Content:
    """The question, and yes or no as its answer.

    Raises:
        RecordError: a field is missing or of the wrong type.
    """
    answer = "yes" if flag_at(value, "answer") else "no"
    return Content(question=text_at(value, "question"), answer=answer, own_id=own_id(value, "qid"))


def facts(root: Path, file: str) -> Iterator[Record]:
    """Each fact of each question as a record, numbered through the file.

    A malformed question, or one without facts, still gets a number.

    Raises:
        SourceError: the file is not an array at all.
    """
    found = (fact for question in json_array(root, file) for fact in _split_facts(question))
    return (replace(fact, index=index) for index, fact in enumerate(found))


def fact(value: object) -> Content | None:
    """A fact, which is a statement as it stands; None for a question without facts.

    Raises:
        RecordError: the fact is not text.
    """
    return None if value is None else Content(statement=as_text(value, "fact"))


def _split_facts(question: Record) -> Iterator[Record]:
    """The facts of a question as records.

    A question without facts gives one record without a value, and one that cannot be read is passed on.
    """
    value = question.value
    given = value.get("facts") if isinstance(value, dict) else value
    if question.verdict != Verdict.KEPT or not isinstance(given, list):
        yield replace(question, value=given)
    else:
        yield from (replace(question, value=one) for one in given or [None])


STRATEGYQA_CITATION = "Geva, Khashabi, Segal, Khot, Roth, Berant (2021): StrategyQA. TACL 9. arXiv:2101.02235"
STRATEGYQA = Collection(
    name="strategyqa",
    kind=ItemKind.YES_NO,
    licence="MIT",
    citation=STRATEGYQA_CITATION,
    files=(
        Part("train", "strategyqa/strategyqa_train.json"),
        Part("train_filtered", "strategyqa/strategyqa_train_filtered.json"),
    ),
    format=json_array,
    to_content=strategyqa_content,
)
STRATEGYQA_FACTS = Collection(
    name="strategyqa_facts",
    kind=ItemKind.CLAIM,
    licence="MIT",
    citation=STRATEGYQA_CITATION,
    files=(Part("train", "strategyqa/strategyqa_train.json"),),
    format=facts,
    to_content=fact,
)


COLLECTIONS = {source.name: source for source in (ARC, COMMONSENSEQA, CREAK, OPENBOOKQA, STRATEGYQA)}
"""The built-in sources by name; a build that names no source reads those that its folder has."""
SUPPLEMENTS = {source.name: source for source in (CREAK_EXPLANATIONS, STRATEGYQA_FACTS)}
"""Further parts of the same collections that the paper did not use; read only on request."""
READABLE = COLLECTIONS | SUPPLEMENTS

"""StrategyQA: yes/no questions whose answer takes several steps of reasoning."""

from situatedgen.sources.arrays import json_array
from situatedgen.sources.collection import Collection
from situatedgen.sources.fields import flag_at, own_id, text_at
from situatedgen.sources.source import Content, Part
from situatedgen.vocabulary import ItemKind


def content(value: object) -> Content:
    """The question, and yes or no.

    Raises:
        RecordError: a field is missing or of the wrong type.
    """
    answer = "yes" if flag_at(value, "answer") else "no"
    return Content(question=text_at(value, "question"), answer=answer, own_id=own_id(value, "qid"))


STRATEGYQA = Collection(
    name="strategyqa",
    kind=ItemKind.YES_NO,
    licence="MIT",
    citation="Geva, Khashabi, Segal, Khot, Roth, Berant (2021): StrategyQA. TACL 9. arXiv:2101.02235",
    files=(
        Part("train", "strategyqa/strategyqa_train.json"),
        Part("train_filtered", "strategyqa/strategyqa_train_filtered.json"),
    ),
    format=json_array,
    understand=content,
)

"""CommonsenseQA: multiple-choice questions written around ConceptNet concepts."""

from situatedgen.sources.choices import stem_and_choices
from situatedgen.sources.collection import Collection
from situatedgen.sources.records import json_lines
from situatedgen.sources.source import Part
from situatedgen.vocabulary import ItemKind

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
    understand=stem_and_choices,
)

"""The converter `rules` states questions of every kind, and no result depends on its batch."""

import pytest

from situatedgen.models.rule_converter import CHUNK, RuleConverter
from situatedgen.params import StatementParams
from situatedgen.progress import listening
from situatedgen.records import Conversion, Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

pytestmark = pytest.mark.weights

QUESTIONS = [
    Question("the sun is a star", "", ItemKind.CLAIM),
    Question("Did Alexander see Rome?", "yes", ItemKind.YES_NO),
    Question("Did Alexander see Rome?", "No", ItemKind.YES_NO),
    Question("Is Bern located south of Berlin?", "true", ItemKind.YES_NO),
    Question("What do people eat?", "bread", ItemKind.CHOICE),
    Question(" ", "", ItemKind.CLAIM),
    Question("Are pancakes typically prepared in a pot?", "false", ItemKind.YES_NO),
]


def converter(batch_size: int = 64) -> RuleConverter:
    return RuleConverter(StatementParams().converter, Runtime(batch_size=batch_size))


def test_each_kind_is_stated_in_its_place() -> None:
    found = converter().convert(QUESTIONS)
    assert [one.text for one in found[:4]] == [
        "The sun is a star.",
        "Alexander saw Rome.",
        "Alexander did not see Rome.",
        "Bern is located south of Berlin.",
    ]
    assert found[0] == Conversion("The sun is a star.", "claim", 1.0, Verdict.KEPT)
    assert found[5] == Conversion("", "claim", 1.0, Verdict.BLANK)
    assert found[4].shape.startswith("choice")
    assert found[6].text == "Pancakes are not typically prepared in a pot."


def test_no_result_depends_on_its_batch() -> None:
    together = converter().convert(QUESTIONS)
    alone = [converter(1).convert([question])[0] for question in QUESTIONS]
    assert together == alone
    assert converter(3).convert(QUESTIONS[::-1]) == together[::-1]


def test_nothing_in_gives_nothing_out() -> None:
    assert converter().convert([]) == []


def test_progress_counts_every_question_once() -> None:
    told: list[int] = []
    claims = [Question(f"fact {number}", "", ItemKind.CLAIM) for number in range(CHUNK + 1)]
    with listening(told.append):
        found = converter().convert([*claims, *QUESTIONS])
    assert len(found) == sum(told) == len(claims) + len(QUESTIONS)

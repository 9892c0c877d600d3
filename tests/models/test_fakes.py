"""The weightless models: plain rules, the same answer for the same text everywhere."""

import numpy as np
import pytest

from process_support import run_python
from situatedgen.models.fakes import FakeConverter, FakeDetector, FakeEncoder, FakeNouns, FakeTagger
from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

ASKED = (ModelParams(name="fake"), Runtime())


@pytest.mark.parametrize(
    ("kind", "question", "answer", "statement"),
    [
        (ItemKind.CLAIM, "birds fly", "", "Birds fly."),
        (ItemKind.YES_NO, "Is Paris in France?", "yes", "Paris is in France."),
        (ItemKind.YES_NO, "Does the sun rise in the west?", "no", "The sun does not rise in the west."),
        (ItemKind.YES_NO, "Was New York founded in 1624?", "yes", "New York was founded in 1624."),
        (ItemKind.CHOICE, "Plants grow in ___ soil.", "wet", "Plants grow in wet soil."),  # a blank
        (ItemKind.CHOICE, "The moon is made of", "rock", "The moon is made of rock."),  # an open stem
        (ItemKind.CHOICE, "Which of these is hot?", "the sun", "The sun is hot."),
        (ItemKind.CHOICE, "What is the capital of France?", "Paris", "Paris is the capital of France."),
        (ItemKind.CHOICE, "What do cows eat?", "grass", "Cows do eat grass."),  # behind its subject
    ],
)  # fmt: skip
def test_questions_are_stated(kind, question, answer, statement):
    expected = Conversion(statement, f"fake_{kind.value}", 0.5, Verdict.KEPT)
    assert FakeConverter(*ASKED).convert([Question(question, answer, kind)]) == [expected]


@pytest.mark.parametrize("question", ["", "?", " "])
def test_nothing_is_made_of_nothing(question):
    made = FakeConverter(*ASKED).convert([Question(question, "", kind) for kind in ItemKind])
    assert [(one.text, one.verdict) for one in made] == [("", Verdict.NO_RULE)] * len(ItemKind)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Mount Fuji is in Japan.",
            [("Fuji", "PERSON"), ("Japan", "GPE")],
        ),  # listed, and a name by its capital
        ("In Kyoto people see Fushimi Inari.", [("Kyoto", "GPE"), ("Fushimi Inari", "PERSON")]),  # after `in`
        ("Children sing at night on Christmas.", [("night", "TIME"), ("Christmas", "EVENT")]),
        ("People ski in winter.", [("winter", "DATE")]),
        ("New Zealand is green.", [("New Zealand", "GPE")]),  # listed names stand at the start too
        ("Birds fly.", []),  # a capital at the start says nothing
    ],
)
def test_entities_are_listed_or_have_capitals(text, found):
    (entities,) = FakeTagger(*ASKED).tag([text])
    assert [(text[entity.start : entity.end], entity.label.value) for entity in entities] == found


def test_longer_words_are_nouns_unless_listed_or_ending_like_verbs():
    text = "Many people quickly visited the Alps for skiing and snow."
    (spans,) = FakeNouns(*ASKED).find([text])
    assert [text[span.start : span.end] for span in spans] == ["people", "Alps", "snow"]


def test_alike_templates_have_alike_vectors():
    texts = ["[UNK] wear [UNK] in [UNK].", "[UNK] eat [UNK] in [UNK].", "The sun is far from the moon."]
    vectors = FakeEncoder(*ASKED).encode(texts)
    similarity = vectors @ vectors.T
    assert similarity[0, 1] > 0.6 > 0.3 > similarity[0, 2]


def test_no_texts_give_no_vectors_of_the_same_width():
    assert FakeEncoder(*ASKED).encode([]).shape == (0, FakeEncoder(*ASKED).encode(["a"]).shape[1])


@pytest.mark.parametrize(
    ("node_count", "edges", "labels"),
    [
        (0, [], []),
        (3, [], [0, 1, 2]),  # nobody knows anybody
        (6, [(4, 5), (0, 2), (2, 3)], [0, 1, 0, 0, 2, 2]),
        (4, [(2, 3), (0, 1), (1, 3)], [0, 0, 0, 0]),  # two that grow together
    ],
)
def test_communities_are_connected_components(node_count, edges, labels):
    assert FakeDetector(*ASKED).detect(node_count, edges, seed=7) == labels


def test_answers_are_the_same_in_every_process():
    code = (
        "from situatedgen.models.fakes import FakeEncoder as E;"
        "from situatedgen.params import ModelParams as P;"
        "from situatedgen.runtime import Runtime as R;"
        "print(E(P(name='fake'), R()).encode(['[UNK] is in [UNK].']).tobytes().hex())"
    )
    outputs = {run_python("-c", code, env={"PYTHONHASHSEED": seed}).stdout.strip() for seed in ("1", "2")}
    assert outputs == {np.asarray(FakeEncoder(*ASKED).encode(["[UNK] is in [UNK]."])).tobytes().hex()}

"""Every implementation of a role keeps to it: a fact for each text, in order, whatever the batch."""

import re
from itertools import pairwise, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen import testing
from situatedgen.errors import SettingsError
from situatedgen.models import registry
from situatedgen.params import (
    CommunityParams,
    EmbeddingParams,
    EntityParams,
    KeywordParams,
    ModelParams,
    StatementParams,
)
from situatedgen.records import Entity, Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Label

# These have no weights of their own: their tests make some, or a server, and check the same contract there.
OWN_TESTS = {"converter": {"seq2seq", "seq2seq-labelled"}, "tagger": {"flair"}, "judge": {"cross-encoder", "llm"}}
WEIGHTLESS = {"fake", "leiden", "igraph-leiden", "louvain"}
WEIGHTS = {
    "rules": StatementParams().converter,
    "embedded": EntityParams().tagger,
    "spacy": KeywordParams().nouns,
    "minilm-l6-v2": EmbeddingParams().encoder,
    "leiden": CommunityParams().detector,
}
JUDGE_WEIGHTS = {"embedded": EmbeddingParams().encoder}
TEXTS = [
    "",
    " ",
    "Paris",
    "In Japan, people watch the cherry trees bloom in spring.",
    "[UNK] is the capital of [UNK].",
    "the battle of hastings took place in 1066, long before the french revolution of the 1780s.",
    "Japan's “summer” isn’t Chile’s summer — it's winter there (in July)!",
    "日本 is Japan\u00a0in Japanese.\n",
]
QUESTIONS = [
    Question("", "", ItemKind.CHOICE),
    Question("birds fly south in winter", "", ItemKind.CLAIM),
    Question("Is Guam a state of the United States?", "no", ItemKind.YES_NO),
    Question("Do penguins live in Antarctica?", "yes", ItemKind.YES_NO),
    Question("Where do people in Japan ski in January?", "Hokkaido", ItemKind.CHOICE),
    Question("In winter, lakes in Canada are often covered with _____.", "ice", ItemKind.CHOICE),
    Question("Leaves fall from trees in", "autumn", ItemKind.CHOICE),
    Question("Which of these is the longest day in Norway?", "the summer solstice", ItemKind.CHOICE),
]
EDGES = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (2, 3)]


def implementations(role: str) -> list:
    names = sorted(set(registry.REGISTRY[role]) - OWN_TESTS.get(role, set()))
    return [
        pytest.param(name, marks=[] if name in WEIGHTLESS else [pytest.mark.weights, pytest.mark.slow])
        for name in names
    ]


def load(role: str, name: str):
    known = JUDGE_WEIGHTS if role == "judge" else WEIGHTS
    params = known.get(name, ModelParams(name=name)).model_copy(update={"name": name})
    return registry.load(role, params, Runtime(device="cpu"))


@pytest.mark.parametrize("name", implementations("converter"))
def test_converters(name):
    assert testing.converter_faults(load("converter", name), QUESTIONS) == []


@pytest.mark.parametrize("name", implementations("tagger"))
def test_taggers(name):
    assert testing.tagger_faults(load("tagger", name), TEXTS) == []


@pytest.mark.parametrize("name", implementations("nouns"))
def test_noun_finders(name):
    assert testing.noun_faults(load("nouns", name), TEXTS) == []


@pytest.mark.parametrize("name", implementations("parser"))
def test_parsers(name):
    assert testing.parser_faults(load("parser", name), TEXTS) == []


@pytest.mark.parametrize("name", implementations("lemmatiser"))
def test_lemmatisers(name):
    assert testing.lemma_faults(load("lemmatiser", name), TEXTS) == []


@pytest.mark.parametrize("name", implementations("encoder"))
def test_encoders(name):
    assert testing.encoder_faults(load("encoder", name), TEXTS) == []


@pytest.mark.parametrize("name", implementations("judge"))
def test_judges(name):
    assert testing.judge_faults(load("judge", name), list(permutations(TEXTS, 2))) == []


@pytest.mark.parametrize("name", implementations("detector"))
def test_detectors(name):
    assert testing.detector_faults(load("detector", name), 8, EDGES) == []


texts = st.lists(st.text(st.characters(exclude_categories=["Cs"])) | st.sampled_from(TEXTS), max_size=6)
questions = st.lists(
    st.builds(Question, st.text() | st.sampled_from(TEXTS), st.text(), st.sampled_from(ItemKind)), max_size=6
)
edges = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda edge: edge[0] < edge[1]), unique=True)


@given(questions)
def test_the_fake_converter_keeps_to_its_role(asked):
    assert testing.converter_faults(load("converter", "fake"), asked) == []


@given(texts)
def test_the_fakes_keep_to_their_roles(asked):
    assert testing.tagger_faults(load("tagger", "fake"), asked) == []
    assert testing.noun_faults(load("nouns", "fake"), asked) == []
    assert testing.parser_faults(load("parser", "fake"), asked) == []
    assert testing.encoder_faults(load("encoder", "fake"), asked) == []
    assert testing.lemma_faults(load("lemmatiser", "fake"), asked) == []
    assert testing.judge_faults(load("judge", "fake"), list(pairwise(asked))) == []


@given(edges)
def test_the_fake_detector_never_parts_neighbours(given_edges):
    found = load("detector", "fake").detect(10, given_edges, seed=0)
    assert [found[left] == found[right] for left, right in given_edges] == [True] * len(given_edges)


def test_a_name_that_is_not_known_is_refused_with_the_nearest():
    with pytest.raises(SettingsError, match=r"unknown encoder 'minilm-l6'; known: .*; did you mean 'minilm-l6-v2'"):
        load("encoder", "minilm-l6")


def test_a_model_of_ones_own_is_named_by_module_and_attribute():
    params = ModelParams(name="situatedgen.models.fakes:FakeTagger")
    assert registry.load("tagger", params, Runtime()).tag(["It snows in Peru."]) == load("tagger", "fake").tag(
        ["It snows in Peru."]
    )


@pytest.mark.parametrize("name", ["no.such.module:Thing", "situatedgen.models.fakes:NoSuchThing"])
def test_a_model_that_is_not_there_is_said_so(name):
    with pytest.raises(SettingsError, match="cannot be imported"):
        registry.load("tagger", ModelParams(name=name), Runtime())


DOC = (Path(__file__).parents[2] / "docs" / "models.md").read_text(encoding="utf-8")


def test_the_page_about_models_names_every_model():
    named = set(re.findall(r"`([\w.-]+)`", DOC))
    assert {name for names in registry.REGISTRY.values() for name in names} - named == set()


def test_the_page_about_models_shows_a_tagger_that_keeps_to_its_role():
    example = next(code for code in re.findall(r"```python\n(.*?)```", DOC, re.DOTALL) if "class Gazetteer" in code)
    names: dict = {}
    exec(example, names)
    tagger = names["Gazetteer"](ModelParams(name="mymodels:Gazetteer", weights="Japan"), Runtime())
    assert testing.tagger_faults(tagger, TEXTS) == []
    assert tagger.tag(["In Japan"]) == [(Entity(3, 8, Label.GPE),)]

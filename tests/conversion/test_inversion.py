"""Subject-auxiliary inversion is undone, with tense, agreement and negation where they belong."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.conversion.inversion import (
    Predicate,
    ScoredDeclarative,
    as_sentence,
    declare,
    predicate,
    raised,
    sentence,
    spaced,
    split_sentences,
    undoubled,
    unmarked,
)
from situatedgen.conversion.morphology import (
    AUXILIARIES,
    AuxiliaryKind,
    auxiliary,
    inflect,
    is_only_verb,
    may_be_base,
    may_be_participle,
    negated,
)
from situatedgen.conversion.parsing import Parsing, drive


def declared(clauses: Sequence[str], *, negative: bool = False, gapped: bool = False) -> list[ScoredDeclarative | None]:
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    works = [declare(clause, negative=negative, gapped=gapped) for clause in clauses]
    return drive(works, lambda texts: list(parse(texts, disable=("ner",))))


def text_of(clause: str, *, negative: bool = False, gapped: bool = False) -> str | None:
    (found,) = declared([clause], negative=negative, gapped=gapped)
    return None if found is None else found.text


@pytest.mark.parametrize(
    ("lemma", "tag", "form"),
    [
        ("see", "VBD", "saw"),  # irregular
        ("have", "VBZ", "has"),
        ("do", "VBZ", "does"),
        ("carry", "VBZ", "carries"),  # y to ies
        ("stop", "VBD", "stopped"),  # doubled consonant
        ("outbreed", "VBD", "outbred"),  # unknown, but like breed
        ("outshine", "VBD", "outshone"),
        ("broadcast", "VBD", "broadcast"),  # the dictionary's first form is not the usual one
        ("mimic", "VBD", "mimicked"),
        ("google", "VBD", "googled"),  # a name as a verb
        ("eat", "VBP", "eat"),  # plural present is the base form
        ("be", "VBP", "are"),
    ],
)
def test_a_verb_takes_the_form_of_its_tag(lemma: str, tag: str, form: str) -> None:
    assert inflect(lemma, tag) == form


def test_words_are_told_by_the_verb_forms_they_may_be() -> None:
    assert [word for word in ("make", "seal", "went", "monsoons", "slamdunk") if may_be_base(word)] == [
        "make",
        "seal",
        "slamdunk",
    ]
    assert [word for word in ("seen", "proven", "outsold", "eating", "cats") if may_be_participle(word)] == [
        "seen",
        "proven",
        "outsold",
    ]
    assert [word for word in ("confuse", "seal", "exceed") if is_only_verb(word)] == ["confuse", "exceed"]


@pytest.mark.parametrize(
    ("form", "adverbs", "verb", "negative", "expected"),
    [
        ("did", [], "see", False, Predicate("", "saw", "", "", False)),  # do-support falls away
        ("did", [], "see", True, Predicate("", "did not", "", "see", True)),  # and stays under negation
        ("does", ["often"], "eat", False, Predicate("often", "eats", "", "", False)),
        ("does", ["often"], "eat", True, Predicate("", "does not", "often", "eat", True)),
        ("did", ["ever"], "see", False, Predicate("", "saw", "", "", False)),  # "ever" falls away
        ("did", ["ever"], "see", True, Predicate("never", "saw", "", "", True)),  # or is "never"
        ("is", ["ever"], "", False, Predicate("", "is", "sometimes", "", False)),  # now and then, in the present
        ("has", ["ever"], "been", True, Predicate("", "has", "never", "been", True)),
        ("does", ["still"], "exist", True, Predicate("no longer", "exists", "", "", True)),
        ("is", ["still"], "", True, Predicate("", "is", "no longer", "", True)),
        ("can", [], "fly", True, Predicate("", "cannot", "", "fly", True)),  # one word
        ("would", ["probably"], "win", True, Predicate("probably", "would not", "", "win", True)),
        ("would", ["not"], "win", False, Predicate("", "would not", "", "win", True)),  # the clause's own "not"
        ("would", ["not"], "win", True, Predicate("", "would", "", "win", False)),  # which no turns round
    ],
)
def test_a_predicate_has_its_words_in_order(
    form: str, adverbs: list[str], verb: str, negative: bool, expected: Predicate
) -> None:
    assert predicate(AUXILIARIES[form], adverbs, verb, negative=negative) == expected


def test_auxiliaries_are_known_by_stem_and_slip() -> None:
    forms = [found.form for word in ("Is", "Ca", "wo", "Wold", "WILL") if (found := auxiliary(word))]
    assert forms == ["is", "can", "will", "would", "will"]
    assert auxiliary("cat") is None
    assert [negated(form) for form in ("can", "is")] == ["cannot", "is not"]
    assert AUXILIARIES["has"].kind is AuxiliaryKind.HAVE


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two? Three!", ("One.", "Two?", "Three!")),
        ("Dr. Seuss wrote it. Is it long?", ("Dr. Seuss wrote it.", "Is it long?")),  # a title is no end
        ("Was A.E. Housman born in the U.S. Midwest?", ("Was A.E. Housman born in the U.S. Midwest?",)),
        ("It is 3.5 m. Is that long?", ("It is 3.5 m.", "Is that long?")),  # nor is a decimal point
        ("  ", ()),
    ],
)
def test_sentences_are_split_at_their_marks(text: str, sentences: tuple[str, ...]) -> None:
    assert split_sentences(text) == sentences


@given(st.text(alphabet="aB. ?!\"'"))
def test_splitting_loses_nothing_but_space(text: str) -> None:
    assert "".join("".join(split_sentences(text)).split()) == "".join(text.split())


def test_marks_spaces_and_capitals_are_tidied() -> None:
    assert spaced(" a  b , c ?") == "a b, c?"
    assert unmarked("Is it ?? ") == "Is it"
    assert unmarked("Was he in the U.S.?") == "Was he in the U.S."  # an abbreviation keeps its period
    assert raised('"war" is over') == '"War" is over'
    assert raised("iPhones ring") == "iPhones ring"  # a word with capitals of its own
    assert undoubled("in in the the end") == "in the end"
    assert sentence("he lives in the U.S.") == "He lives in the U.S."


def counting(number: int) -> Parsing[int]:
    """Asks for `number` texts one after another and returns how many parses it was sent."""
    sent = 0
    for text in range(number):
        docs = yield [str(text), str(text)]
        sent += len(docs)
    return sent


@given(st.lists(st.integers(0, 5)))
def test_driving_gives_each_work_its_own_result_and_parses_each_text_once(numbers: list[int]) -> None:
    asked: list[str] = []

    def parse(texts: Sequence[str]) -> list[str]:
        asked.extend(texts)
        return list(texts)

    results = drive([counting(number) for number in numbers], parse)  # type: ignore[arg-type]
    assert results == [2 * number for number in numbers]
    assert asked == [str(text) for text in range(max(numbers, default=0))]


@pytest.mark.weights
@pytest.mark.parametrize(
    ("clause", "negative", "text"),
    [
        ("Does Guam have a state capital?", True, "Guam does not have a state capital"),
        ("Did Alexander see Rome?", False, "Alexander saw Rome"),
        ("Is the Pakistan Air Force based near India?", False, "the Pakistan Air Force is based near India"),
        ("does a northern fur seal make a good pet", False, "a northern fur seal makes a good pet"),  # seal: no verb
        ("Was Alexander the Great baptized", False, "Alexander the Great was baptized"),  # an epithet is not cut
        ("Did Bob visit Rome and see the Pope?", False, "Bob visited Rome and saw the Pope"),  # both take the tense
        ("Did Bob visit Rome and see the Pope?", True, "Bob did not visit Rome and see the Pope"),
        ("Don't cats swim", False, "cats do not swim"),  # a wh-clause's own negation
        ("Has a baby ever had a moustache?", True, "a baby has never had a moustache"),
        ("Is King Kong (2005 film) long?", False, "King Kong (2005 film) is long"),  # no cut at a bracket
        ("Did his grandfather help conquer Rome?", False, "his grandfather helped conquer Rome"),  # help is the verb
        ("Does McDonald's sell tea?", False, "McDonald's sells tea"),  # a name that is a possessive
    ],
)
def test_a_clause_is_declared(clause: str, negative: bool, text: str) -> None:
    assert text_of(clause, negative=negative) == text


@pytest.mark.weights
@pytest.mark.parametrize(
    ("clause", "text"),
    [
        ("do people aim to do at work", "people aim to do at work"),
        ("is a marmoset from", "a marmoset is from"),
        ("would you find many canals", "you would find many canals"),
        ("is the capital of France", "the capital of France is"),  # nothing is left after the subject
    ],
)
def test_a_clause_that_a_wh_phrase_left_is_declared(clause: str, text: str) -> None:
    assert text_of(clause, gapped=True) == text


@pytest.mark.weights
@pytest.mark.parametrize("clause", ["", "?", "Snow is white", "Is", "Does Paris"])
def test_what_is_no_inverted_clause_has_no_declarative(clause: str) -> None:
    assert text_of(clause) is None


@pytest.mark.weights
def test_every_subject_is_found_before_every_predicate() -> None:
    subjects = ["Paris", "the old man", "my sister", "the king of Spain", "people who live in Rome", "Tom and Ann"]
    predicates = {
        "would {} swim in the sea": "{} would swim in the sea",
        "can {} speak Latin": "{} can speak Latin",
        "did {} win a prize": "{} won a prize",
        "will {} be remembered": "{} will be remembered",
    }
    pairs = list(product(subjects, predicates.items()))
    found = declared([asked.format(subject) for subject, (asked, _) in pairs])
    assert [one and one.text for one in found] == [told.format(subject) for subject, (_, told) in pairs]


@pytest.mark.weights
def test_spans_point_at_subject_and_verbs() -> None:
    (found,) = declared(["Does the old man often eat fish?"], negative=True)
    assert found is not None
    whole, spans = found.declarative.text, found.declarative
    pieces = [whole[span.start : span.end] for span in (spans.subject, spans.finite, spans.verb)]
    assert pieces == ["the old man", "does not", "eat"]
    assert found.doc.text == as_sentence(whole)
    assert found.opposite().text == "the old man often eats fish"

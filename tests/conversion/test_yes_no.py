"""Yes/no questions are stated with the polarity of their answers."""

import pytest

from situatedgen.conversion.morphology import AUXILIARIES
from situatedgen.conversion.parsing import drive
from situatedgen.conversion.yes_no import (
    Asked,
    asked,
    asserted,
    nonexistent,
    points_back,
    rescoped,
    scope_of,
    state,
    text_verdict,
    without_tag,
)
from situatedgen.records import Conversion
from situatedgen.vocabulary import Verdict


def stated(question: str, answer: str) -> Conversion:
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    work = state(question, positive=answer == "yes")
    return drive([work], lambda texts: list(parse(texts, disable=("ner",))))[0]


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("Is it so?", Asked("", "Is it so?")),
        ("If it rains, do you stay?", Asked("If it rains", "do you stay?")),
        ("In 1900, was he alive?", Asked("In 1900", "was he alive?")),
        ("If it rains do you stay?", Asked("If it rains", "do you stay?")),  # no comma
        ("If he was ill would he stay?", Asked("If he was ill", "would he stay?")),  # the clause's own was
        ("In the zoo is it loud when it is full?", Asked("In the zoo", "is it loud when it is full?")),
        ("Isn't it so?", Asked("", "is it so?")),  # a negative question asks for yes
        ("Can’t you swim?", Asked("", "can you swim?")),
        ("Snow is white?", None),  # not inverted
        ("If only?", None),  # a lead without a clause
        ("?", None),
    ],
)
def test_a_lead_is_told_from_its_clause(question: str, parts: Asked | None) -> None:
    assert asked(question) == parts


def test_a_tag_is_left_off() -> None:
    assert without_tag("Is Rome old, right?") == "Is Rome old?"
    assert without_tag("Is Rome old or not?") == "Is Rome old?"
    assert without_tag("Is that right?") == "Is that right?"


@pytest.mark.parametrize(
    ("subject", "form", "positive", "restated"),
    [
        ("any of us", "did", True, "some of us"),
        ("any of us", "did", False, "none of us"),
        ("any of us", "has", True, "one of us"),  # a singular verb
        ("any cat", "does", False, "no cat"),
        ("anyone in Rome", "did", False, "no one in Rome"),
        ("all cats", "are", False, "not all cats"),
        ("everyone", "does", False, "not everyone"),
        ("each cat", "does", False, "not every cat"),
        ("some of it", "is", False, "none of it"),
        ("either Ann or Tom", "did", False, "neither Ann nor Tom"),
        ("either Ann or Tom", "did", True, "either Ann or Tom"),
        ("someone", "could", False, "no one"),  # bare
    ],
)
def test_a_quantifier_takes_the_negation(subject: str, form: str, positive: bool, restated: str) -> None:
    scope = scope_of(subject, AUXILIARIES[form])
    assert scope is not None
    assert rescoped(subject, scope, AUXILIARIES[form], positive=positive) == restated


@pytest.mark.parametrize("subject", ["cats", "All Might", "someone with a cold", "allspice", "anyhow"])
def test_other_subjects_have_no_scope(subject: str) -> None:
    assert scope_of(subject, AUXILIARIES["is"]) is None


@pytest.mark.parametrize(
    ("rest", "told"),
    [
        ("has any cousins yet", "has some cousins"),
        ("knows anyone in Rome", "knows someone in Rome"),
        ("is taller than any tree", "is taller than any tree"),  # a comparison keeps it
        ("lives without any help", "lives without any help"),
        ("is a job anybody can do", "is a job anybody can do"),  # whoever it may be
        ("has many cousins", "has many cousins"),
    ],
)
def test_any_and_yet_are_not_asserted(rest: str, told: str) -> None:
    assert asserted(rest) == told


@pytest.mark.parametrize(
    ("negated", "told"),
    [
        ("there is not a hospital on the Moon", "there is no hospital on the Moon"),
        ("there are not any knights", "there are no knights"),
        ("there is not life on Saturn", "there is no life on Saturn"),
        ("there are not enough chairs", "there are not enough chairs"),
        ("there were not 50 kings", "there were not 50 kings"),
        ("there are not imports in all of the stores", "there are not imports in all of the stores"),
        ("there are not no shared parts", "there are shared parts"),  # two negations are none
        ("it is not a hospital", "it is not a hospital"),
    ],
)
def test_nothing_is_there_by_no(negated: str, told: str) -> None:
    assert nonexistent(negated) == told


@pytest.mark.parametrize(
    ("subject", "declarative", "alone", "back"),
    [
        ("he", "he is tall", True, True),
        ("these cats", "these cats are old", True, True),
        ("it", "it is safe to swim", False, False),  # filled by what follows
        ("it", "it is blue", False, True),  # the sentence before says what
        ("it", "it is blue", True, False),
        ("cats", "cats are old", False, False),
    ],
)
def test_a_subject_that_points_back_needs_its_context(subject: str, declarative: str, alone: bool, back: bool) -> None:
    assert points_back(subject, declarative, alone=alone) is back


def test_unclean_statements_are_seen_in_their_words() -> None:
    unclean = ["He is is old.", "He was be seen.", "Is it? he is.", 'The "cat is old.', "It (cat is old."]
    assert [text_verdict(text) for text in unclean] == [Verdict.NOT_CLEAN] * len(unclean)
    assert text_verdict('His great great aunt knew that that "cat" (Tom) was old.') is Verdict.KEPT


@pytest.mark.weights
@pytest.mark.parametrize(
    ("question", "answer", "statement"),
    [
        ("Does Guam have a state capital?", "no", "Guam does not have a state capital."),
        ("Did Alexander see Rome?", "yes", "Alexander saw Rome."),
        (
            "Will the Albany in Georgia reach a hundred thousand occupants before the one in New York?",
            "no",
            "The Albany in Georgia will not reach a hundred thousand occupants before the one in New York.",
        ),
        ("Is the Pakistan Air Force based near India?", "yes", "The Pakistan Air Force is based near India."),
        (
            "Are more people today related to Genghis Khan than Julius Caesar?",
            "yes",
            "More people today are related to Genghis Khan than Julius Caesar.",
        ),
        ("Can a cow fly?", "no", "A cow cannot fly."),  # one word
        ("If you were in Paris, would you need a visa?", "yes", "If you were in Paris, you would need a visa."),
        ("During the war, did Rome fall?", "no", "During the war, Rome did not fall."),
        ("If you add water to rice is it soup?", "no", "If you add water to rice, it is not soup."),
        ("Did Helen Keller ever read a novel?", "no", "Helen Keller never read a novel."),
        ("Was Florence ever a theocracy?", "yes", "Florence was a theocracy."),
        ("Is pickled cucumber ever red?", "yes", "Pickled cucumber is sometimes red."),
        ("Did any of Maya Angelou's children follow her?", "no", "None of Maya Angelou's children followed her."),
        ("Do all crustaceans live in the ocean?", "no", "Not all crustaceans live in the ocean."),
        ("Is the Liberty Bell always on display?", "no", "The Liberty Bell is not always on display."),
        ("Are there any spirits in the Quran?", "yes", "There are some spirits in the Quran."),
        ("Is there a hospital on the Moon?", "no", "There is no hospital on the Moon."),
        ("Is it safe to eat kidney?", "no", "It is not safe to eat kidney."),
        ("Isn't Rome in Italy?", "yes", "Rome is in Italy."),  # a negative question
        ("Doesn't Rome lie in Spain?", "no", "Rome does not lie in Spain."),
        ("Would someone in Boston not read it?", "yes", "Someone in Boston would not read it."),
        ("Does  the leaf fall in in September", "yes", "The leaf falls in September."),  # spaces, doubles, no mark
        ("is there a david bowie song?", "yes", "There is a david bowie song."),  # case is not guessed
        ("Snowboarding is a rarity in Hilo?", "yes", "Snowboarding is a rarity in Hilo."),  # a statement already
        ("Snowboarding is a rarity in Hilo?", "no", "Snowboarding is not a rarity in Hilo."),
    ],
)
def test_a_question_is_stated(question: str, answer: str, statement: str) -> None:
    found = stated(question, answer)
    assert (found.text, found.verdict) == (statement, Verdict.KEPT)
    assert 0.7 <= found.confidence <= 1


@pytest.mark.weights
@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("", "yes", Verdict.NO_RULE),  # nothing
        ("Lil Wayne?", "yes", Verdict.NO_RULE),  # no verb
        ("Is he tall?", "yes", Verdict.NEEDS_CONTEXT),  # who?
        ("Tom has a dog. Is it brown?", "no", Verdict.NEEDS_CONTEXT),  # what?
        ("Is a beard is moss?", "yes", Verdict.NOT_CLEAN),  # a verb too many
        ("Do more people live in Rome than in Paris?", "no", Verdict.UNSURE),  # no plain way to say no
        ("Can anyone join the army?", "no", Verdict.UNSURE),  # no one, or not everyone
        ("Did Ann or Tom win?", "no", Verdict.UNSURE),
    ],
)
def test_what_is_not_sure_to_be_clean_has_a_verdict(question: str, answer: str, verdict: Verdict) -> None:
    assert stated(question, answer).verdict is verdict


@pytest.mark.weights
def test_the_last_of_several_sentences_is_stated() -> None:
    found = stated("Dr. Smith lives in Rome. Is Rome in Italy?", "yes")
    assert (found.text, found.shape, found.verdict) == ("Rome is in Italy.", "yes_no.be", Verdict.KEPT)

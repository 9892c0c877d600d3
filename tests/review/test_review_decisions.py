"""Decisions about pairs: what they are known by, what they may say, what stands of them and what follows."""

import dataclasses
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from review_support import TEXTS, WHEN, answers, content, decision, decisions
from situatedgen.errors import DecisionError
from situatedgen.review.active_decisions import Judgement, active_decisions, judgement, votes
from situatedgen.review.criteria import CRITERIA, FILTER, QUALITY, QUESTIONNAIRES
from situatedgen.review.decisions import Content, Decision, Undo, check_annotator, check_decision
from situatedgen.review.log_format import CHECK, checksum, entry_of, line
from situatedgen.vocabulary import Context, Mode

LATER = "2024-05-02T09:30:00Z"


def test_modes_share_no_question_and_no_key_means_two_answers():
    for questions in QUESTIONNAIRES.values():
        keys = [answer.key for criterion in questions.criteria for answer in criterion.answers]
        assert len(keys) == len(set(keys))
    assert sorted(CRITERIA) == sorted([*FILTER.names, *QUALITY.names])


@given(TEXTS, TEXTS, st.sampled_from(list(Context)))
def test_a_pair_is_known_by_its_content_in_either_order_and_any_spacing(left, right, context):
    key = Content((left, right), context.value).key
    assert Content((right, left), context.value).key == key
    assert Content((f"  {left} ", "\n".join(right.split(" "))), context.value).key == key
    assert Content((left, f"{right} Or not."), context.value).key != key


def test_a_composed_and_a_decomposed_letter_are_one_and_contexts_are_two():
    assert Content(("Caf\u00e9.", "B."), "GEO").key == Content(("Cafe\u0301.", "B."), "GEO").key
    assert Content(("A.", "B."), "GEO").key != Content(("A.", "B."), "TEMP").key
    assert Content(("A.", "B."), "GEO").key != Content(("a.", "B."), "GEO").key


@given(decisions())
def test_a_line_gives_its_decision_back(made):
    undo = Undo("token-002", made.annotator, made.decision_id, WHEN)
    assert [entry_of(line(made)), entry_of(line(undo))] == [made, undo]
    assert "\n" not in line(made)


@given(decisions(), st.data())
def test_any_altered_byte_of_a_line_is_noticed(made, data):
    written = line(made).encode()
    place = data.draw(st.integers(0, len(written) - 1))
    altered = bytes([*written[:place], written[place] ^ 1, *written[place + 1 :]])
    try:
        found = entry_of(altered.decode("utf-8"))
    except (DecisionError, UnicodeDecodeError):
        return
    # What JSON reads the same, such as a digit of a float beyond its precision, is not altered.
    assert found == made


@given(decisions(), st.data())
def test_any_beginning_of_a_line_is_refused(made, data):
    written = line(made)
    with pytest.raises(DecisionError):
        entry_of(written[: data.draw(st.integers(0, len(written) - 1))])


def _forged(**changes: object) -> str:
    """A line with a right checksum that says something else."""
    told = {**json.loads(line(decision("anna", "Rome"))), **changes}
    told.pop(CHECK)
    return json.dumps({**told, CHECK: checksum(told)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answers": {"keywords": "yes"}}, "no answer to situated, sound, contrast, dependent; mode 'filter' asks"),
        ({"answers": {**answers(), "colour": "red"}}, "unknown colour; mode 'filter' asks"),
        ({"answers": {**answers(), "sound": "maybe"}}, "'maybe' is not an answer to 'sound'; its answers: yes, no"),
        ({"mode": "guess"}, "'guess' is not a mode; known: filter, quality, adjudicate"),
        ({"mode": "adjudicate", "answers": {}}, "the answers belong to no known question"),
        ({"statements": ["One."]}, "a pair has two sentences, not 1"),
        ({"statements": ["One.", "Two."]}, "pair mismatch"),
        ({"statements": ["One.", " "], "pair": Content(("One.", " "), "GEO").key}, "a sentence is empty"),
        ({"context": "MARS"}, "pair mismatch"),
        ({"annotator": "../anna"}, "'../anna' is not a valid name"),
        ({"note": "x" * 2001}, "a note has at most 2,000 characters"),
        ({"seconds": -1.0}, "-1.0 is not a number of seconds"),
        ({"seconds": "5"}, "seconds: Input should be a valid number"),
        ({"at": "yesterday"}, "'yesterday' is not a time"),
        ({"id": "short"}, "'short' is not a valid decision id"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
    ],
)
def test_a_line_that_no_decision_can_say_is_refused_in_words(changes, message):
    with pytest.raises(DecisionError) as refused:
        entry_of(_forged(**changes))
    assert message in str(refused.value)


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "{", "\x00" * 80, "[" * 100_000])
def test_what_is_no_decision_at_all_is_refused(text):
    with pytest.raises(DecisionError):
        entry_of(text)


@pytest.mark.parametrize("name", ["", ".", "..", "-rf", "a/b", "a b", "x" * 65, "e\u0301", "a\n"])
def test_names_that_could_be_no_file_are_refused_and_any_alphabet_is_welcome(name):
    check_annotator("Søren")
    check_annotator("王")
    with pytest.raises(DecisionError):
        check_annotator(name)
    with pytest.raises(DecisionError, match="is not a valid decision id"):
        check_decision(Undo("token-001", "anna", "", WHEN))


FIRST, SECOND = decision("anna", "Rome"), decision("anna", "Rome", "sound", at=LATER)
QUALITY_TOO, BENS = decision("anna", "Rome", mode=Mode.QUALITY), decision("ben", "Rome")
UNDO = Undo("undo-0001", "anna", SECOND.decision_id, LATER)


@pytest.mark.parametrize(
    ("entries", "expected"),
    [
        # the latest of a person, who takes nothing from others or other modes
        ([FIRST, QUALITY_TOO, BENS, SECOND], (QUALITY_TOO, BENS, SECOND)),
        # the order of writing counts, and not the clock
        ([SECOND, FIRST], (FIRST,)),
        # what is taken back, whenever, lets the earlier stand again
        ([FIRST, SECOND, UNDO], (FIRST,)),
        ([FIRST, UNDO, SECOND], (FIRST,)),
        # nobody takes back what another decided
        ([SECOND, dataclasses.replace(UNDO, annotator="ben")], (SECOND,)),
    ],
)
def test_what_stands(entries, expected):
    assert active_decisions(entries) == expected


def said(*voices: str, **given: object) -> list[Decision]:
    """What people decided about one pair: their names, each with the faults that they found."""
    return [decision(*voice.split()[:1], "Rome", *voice.split()[1:], **given) for voice in voices]


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        # one voice decides
        (said("anna"), Judgement(True, (), 1)),
        (said("anna sound contrast"), Judgement(False, ("sound", "contrast"), 1)),
        # a tie stays in and is doubtful
        (said("anna", "ben sound"), Judgement(True, (), 2, is_tied=True)),
        # the majority, whatever each of them found and whoever came first
        (said("anna sound", "ben contrast", "cleo"), Judgement(False, ("sound", "contrast"), 3)),
        (said("anna sound", "ben", "cleo"), Judgement(True, (), 3)),
        (said("ben", "cleo", "anna sound"), Judgement(True, (), 3)),
        # an adjudication wins over any majority, and the latest over the others
        (
            [*said("anna sound", "ben sound"), *said("dora", mode=Mode.ADJUDICATE)],
            Judgement(True, (), 3, is_settled=True),
        ),
        (
            [*said("dora dependent", mode=Mode.ADJUDICATE, at=LATER), *said("emil", mode=Mode.ADJUDICATE)],
            Judgement(False, ("dependent",), 2, is_settled=True),
        ),
        # one person has one voice, the later one, in whatever mode it was given
        ([*said("anna sound"), *said("anna", mode=Mode.QUALITY)], Judgement(True, (), 1)),
    ],
)
def test_the_verdict_on_a_pair(made, expected):
    assert judgement(votes(made, tuple(Mode))[content("Rome").key]) == expected


def test_only_the_modes_that_count_have_a_voice():
    made = [*said("anna sound"), *said("anna", mode=Mode.QUALITY)]
    assert judgement(votes(made, (Mode.FILTER,))[content("Rome").key]) == Judgement(False, ("sound",), 1)


def test_an_adjudication_tells_by_its_answers_what_it_settles():
    settled = decision("dora", "Rome", "antithesis", mode=Mode.ADJUDICATE, settles=Mode.QUALITY)
    assert settled.questions is QUALITY
    assert settled.faults == ("antithesis",)
    assert dataclasses.replace(settled, answers=answers()).questions is FILTER

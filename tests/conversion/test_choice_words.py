"""The small rules of multiple-choice statements: articles, agreement, kinds, casing, stems, doubled words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.conversion.answer import indefinite, inside
from situatedgen.conversion.confidence import check_draft, lost_words
from situatedgen.conversion.draft import LEADS, LOWEST, SURENESS, Draft, agree, smooth, splice, sureness
from situatedgen.conversion.in_place import has_blank, is_open
from situatedgen.conversion.question import AskedNoun, Stem, head_noun, read_kind, read_stem, single, with_kind_article
from situatedgen.vocabulary import Verdict

WORDS = st.lists(st.sampled_from("the a an in to of apple hour city big , on bank".split()), max_size=12).map(" ".join)


@pytest.mark.parametrize(("text", "article"), cases("choice_words", "article", "text", "article"))
def test_a_becomes_an_by_sound(text: str, article: str) -> None:
    assert indefinite(text) == article


@pytest.mark.parametrize(("text", "smoothed"), cases("choice_words", "seam", "text", "smoothed"))
def test_seams_are_smoothed(text: str, smoothed: str) -> None:
    assert smooth(text) == smoothed


@given(WORDS)
def test_smoothing_leaves_no_article_before_the_wrong_sound(text: str) -> None:
    smoothed = smooth(text)
    assert not re.search(r"\ban (?:city|big|bank)\b|\ba (?:apple|hour)\b", smoothed)


@given(st.text("ab c", max_size=20), st.integers(0, 20), st.text("xyz", min_size=1, max_size=5))
def test_a_splice_keeps_every_letter(text: str, place: int, phrase: str) -> None:
    offset = min(place, len(text))
    spliced = splice(text, offset, offset, phrase)
    assert spliced.replace(" ", "") == (text[:offset] + phrase + text[offset:]).replace(" ", "")


@pytest.mark.parametrize(
    ("clause", "plural", "was_plural", "agreed"),
    cases("choice_words", "agreement", "clause", "plural", "was_plural", "agreed"),
)
def test_a_verb_agrees_with_its_new_subject(clause: str, plural: bool, was_plural: bool, agreed: str) -> None:
    assert agree(clause, plural=plural, was_plural=was_plural) == agreed


@pytest.mark.parametrize(
    ("text", "noun", "head", "plural", "listed", "generic"),
    cases("choice_words", "noun_asked_about", "text", "noun", "head", "plural", "listed", "generic"),
)
def test_the_noun_asked_about_is_read(
    text: str, noun: str, head: str, plural: bool, listed: bool, generic: bool
) -> None:
    assert read_kind(text) == AskedNoun(noun, head, plural=plural, listed=listed, generic=generic)


@pytest.mark.parametrize(
    ("text", "restricts", "article"), cases("choice_words", "restriction", "text", "restricts", "article")
)
def test_what_restricts_the_noun_is_kept(text: str, restricts: bool, article: str) -> None:
    kind = read_kind(text)
    assert (kind.restricts, with_kind_article(kind)) == (restricts, article)


def test_a_listed_kind_is_said_of_one_answer_in_the_singular() -> None:
    assert single(read_kind("of these fields in the 20th century")).text == "field in the 20th century"


@pytest.mark.parametrize(
    ("phrase", "head"),
    [
        ("state south of Kentucky", "state"),
        ("North American country", "country"),
        ("area not in the US", "area"),
        ("", ""),
    ],
)
def test_the_head_stands_before_what_follows_it(phrase: str, head: str) -> None:
    assert head_noun(phrase) == head


@pytest.mark.parametrize(("answer", "written"), cases("choice_words", "casing", "answer", "written"))
def test_an_answer_is_written_as_inside_a_sentence(answer: str, written: str) -> None:
    assert inside(answer) == written


@pytest.mark.parametrize(("question", "text", "context"), cases("choice_words", "stem", "question", "text", "context"))
def test_the_last_sentence_asks(question: str, text: str, context: list[str]) -> None:
    assert read_stem(question) == Stem(text, tuple(context))


@given(st.text("ab .?", max_size=30))
def test_a_stem_keeps_its_letters(question: str) -> None:
    stem = read_stem(question)
    kept = "".join([*stem.context, stem.text])
    assert re.findall("[ab]", kept) == re.findall("[ab]", question)


@pytest.mark.parametrize(
    ("text", "blank", "open_end"),
    [
        ("The ____ is a star.", True, False),
        ("A seed grows into a", False, True),
        ("Where is it?", False, False),
        ("The answer is...", False, False),
    ],
)
def test_stems_that_the_answer_completes_are_told(text: str, blank: bool, open_end: bool) -> None:
    assert (has_blank(text), is_open(text)) == (blank, open_end)


@pytest.mark.parametrize(
    ("answer", "text", "lost"),
    [
        ("the big city", "Many big cities have trams.", []),  # another form; the article does not count
        ("rebel", "I rebelled against Britain.", []),
        ("Paris", "The capital is Rome.", ["paris"]),
        ("on", "The light is off.", ["on"]),  # an answer of small words only counts them
        ("cat", "She has a cart.", ["cat"]),
    ],
)
def test_lost_words_of_the_answer_are_found(answer: str, text: str, lost: list[str]) -> None:
    assert lost_words(answer, text) == lost


@given(st.text(max_size=30), st.text(max_size=30))
def test_an_answer_is_never_lost_from_a_text_that_holds_it(answer: str, other: str) -> None:
    assert lost_words(answer, f"{answer} | {other}") == []


@pytest.mark.parametrize(
    ("text", "question", "verdict", "confidence"),
    cases("choice_words", "finished", "text", "question", "verdict", "confidence"),
)
def test_a_finished_sentence_is_judged(text: str, question: str, verdict: str, confidence: float) -> None:
    assert check_draft(Draft("", "which_of"), text, question, "coal") == (Verdict(verdict), confidence)


def test_every_shape_is_as_sure_after_a_lead_or_less() -> None:
    values = [*SURENESS.values(), *LEADS.values()]
    assert all(0 < value <= 1 for value in values)
    assert all(sureness(f"{lead}.{shape}") <= sureness(shape) for lead in LEADS for shape in SURENESS)
    assert min(map(sureness, ("where", "open_stem", "which_of"))) > LOWEST

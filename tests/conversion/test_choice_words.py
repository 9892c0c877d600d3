"""The small rules of multiple-choice statements: articles, agreement, kinds, casing, stems, doubled words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.conversion.answer import indefinite, inside
from situatedgen.conversion.confidence import check_draft, lost_words
from situatedgen.conversion.draft import LEADS, LOWEST, SURENESS, Draft, agree, smooth, splice, sureness
from situatedgen.conversion.in_place import has_blank, is_open
from situatedgen.conversion.question import AskedNoun, Stem, head_noun, read_kind, read_stem, single, with_kind_article
from situatedgen.vocabulary import Verdict

WORDS = st.lists(st.sampled_from("the a an in to of apple hour city big , on bank".split()), max_size=12).map(" ".join)


@pytest.mark.parametrize(
    ("text", "article"),
    [
        ("bank", "a"),
        ("apple tree", "an"),
        ("hour", "an"),  # a silent h
        ("university", "a"),  # a vowel that sounds like a consonant
        ("uninhabited island", "an"),
        ("FM radio", "an"),  # a letter by its name
        ("UFO", "a"),
        ("8-sided figure", "an"),
        ('"apple"', "an"),
    ],
)
def test_a_becomes_an_by_sound(text: str, article: str) -> None:
    assert indefinite(text) == article


@pytest.mark.parametrize(
    ("text", "smoothed"),
    [
        ("He went to to the bank", "He went to the bank"),  # a word doubled where phrases met
        ("through a the window", "through a window"),
        ("She gave her a book", "She gave her a book"),  # no article too many
        ("in Venice, , a city", "in Venice, a city"),
        ("in Venice, .", "in Venice."),
        ("an bank and a apple", "a bank and an apple"),
        ("vitamin A is", "vitamin A is"),
    ],
)
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
    [
        ("provides evidence", True, False, "provide evidence"),
        ("best explains it", True, False, "best explain it"),  # after an adverb
        ("occur at night", False, True, "occurs at night"),
        ("occur at night", False, False, "occur at night"),  # may be the past of another verb
        ("is hot", True, False, "are hot"),
        ("were cold", False, True, "was cold"),
        ("has wings", True, False, "have wings"),
        ("would fly", True, False, "would fly"),
        ("made it", True, False, "made it"),
    ],
)
def test_a_verb_agrees_with_its_new_subject(clause: str, plural: bool, was_plural: bool, agreed: str) -> None:
    assert agree(clause, plural=plural, was_plural=was_plural) == agreed


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", AskedNoun("", "", plural=False, listed=False, generic=False)),
        ("state", AskedNoun("state", "state", plural=False, listed=False, generic=False)),
        ("of these gases", AskedNoun("gases", "gases", plural=True, listed=True, generic=False)),
        ("of the following", AskedNoun("", "", plural=False, listed=True, generic=False)),
        ("kind of energy", AskedNoun("energy", "energy", plural=False, listed=False, generic=True)),
        ("state of matter", AskedNoun("state", "state", plural=False, listed=False, generic=False)),  # a fixed phrase
    ],
)
def test_the_noun_asked_about_is_read(text: str, kind: AskedNoun) -> None:
    assert read_kind(text) == kind


@pytest.mark.parametrize(
    ("text", "restricts", "article"),
    [
        ("state", False, "a state"),
        ("western state", True, "a western state"),
        ("state south of Kentucky", True, "a state south of Kentucky"),
        ("part of the method", True, "the part of the method"),
        ("largest state", True, "the largest state"),
        ("other wind event", True, "another wind event"),
        ("specific area", False, "a specific area"),  # says nothing more
        ("of these fields in the 20th century", True, "fields in the 20th century"),  # keeps its time
        ("of these gases", False, "gases"),
    ],
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


@pytest.mark.parametrize(
    ("answer", "written"),
    [
        ("Coal", "coal"),
        ("new york", "New York"),
        ("The Sun", "the Sun"),
        ("Aristotle", "Aristotle"),  # no word of English
        ("DNA", "DNA"),
        ("Alfred Wegener", "Alfred Wegener"),
        ("Environmental Protection Agency (EPA)", "Environmental Protection Agency (EPA)"),
        ("They melt", "they melt"),
        ("U-shaped valley", "U-shaped valley"),
        ("watch tv", "watch TV"),
        ("mars", "Mars"),
    ],
)
def test_an_answer_is_written_as_inside_a_sentence(answer: str, written: str) -> None:
    assert inside(answer) == written


@pytest.mark.parametrize(
    ("question", "stem"),
    [
        ("Bo ran.  Where might he be?.", Stem("Where might he be?", ("Bo ran.",))),
        ("Where is he/", Stem("Where is he?", ())),
        ("He had the whats?", Stem("He had the what?", ())),
        (
            "She hid.Then the bell rang. Where did she go?",
            Stem("Where did she go?", ("She hid.", "Then the bell rang.")),
        ),
        ("It is 41°F. If it is sunny, what is it?", Stem("If it is sunny, what is it?", ("It is 41°F.",))),
        ("", Stem("", ())),
    ],
)
def test_the_last_sentence_asks(question: str, stem: Stem) -> None:
    assert read_stem(question) == stem


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
    [
        ("Coal is a fuel.", "Which is a fuel?", Verdict.KEPT, 0.85),
        ("Iron is a fuel.", "Which is a fuel?", Verdict.LOST_ANSWER, 0.0),
        ("Coal is a fuel?", "Which is a fuel?", Verdict.NOT_CLEAN, 0.0),
        ("Coal of the following is a fuel.", "Which is a fuel?", Verdict.NOT_CLEAN, 0.0),
        ("What is coal is a fuel.", "What is a fuel?", Verdict.NOT_CLEAN, 0.0),  # the question word is left
        ("Coal is a fuel.", "Which fuel burns?", Verdict.KEPT, 0.722),  # a word of the question is lost
        ("Coal is a fuelses.", "Which is a fuel?", Verdict.KEPT, 0.289),  # a word nobody knows, and one lost
    ],
)
def test_a_finished_sentence_is_judged(text: str, question: str, verdict: Verdict, confidence: float) -> None:
    assert check_draft(Draft("", "which_of"), text, question, "coal") == (verdict, confidence)


def test_every_shape_is_as_sure_after_a_lead_or_less() -> None:
    values = [*SURENESS.values(), *LEADS.values()]
    assert all(0 < value <= 1 for value in values)
    assert all(sureness(f"{lead}.{shape}") <= sureness(shape) for lead in LEADS for shape in SURENESS)
    assert min(map(sureness, ("where", "open_stem", "which_of"))) > LOWEST

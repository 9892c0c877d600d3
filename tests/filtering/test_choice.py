"""Situated choice: keywords regrouped between two statements, grammatical, never the truth."""

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cases import cases
from situatedgen.filtering.choice.questions import (
    KEPT,
    NEGATED,
    POSSIBLE,
    TOO_FEW,
    USED,
    answers,
    choose_questions,
    plain,
)
from situatedgen.filtering.choice.regroup import Slot, can_exchange, is_negated, regroup, regroupings, slots_of
from situatedgen.filtering.pool import first_assignment, pool_of
from situatedgen.filtering.settings import ChoiceParams
from situatedgen.rules.keywords import Keyword
from situatedgen.schemas import EXAMPLES, KEYWORDS, SPLITS
from situatedgen.vocabulary import KeywordKind, Label

TEXTS = {
    "a": "Jerusalem is a city in the Middle East.",
    "b": "A penguin lives in Antarctica in the winter.",
    "c": "The lizard lives in Texas near Utah.",
    "d": "Kobe is not in Europe.",
    "e": "Casio pianos were popular in the 90s.",
    "f": "The Cure released music in 1985.",
}
WORDS: dict[str, list[tuple[str, Label | None]]] = {
    "a": [("Jerusalem", Label.GPE), ("city", None), ("the Middle East", Label.LOC)],
    "b": [("penguin", None), ("Antarctica", Label.GPE), ("the winter", Label.DATE)],
    "c": [("lizard", None), ("Texas", Label.GPE), ("Utah", Label.GPE)],
    "d": [("Kobe", Label.GPE), ("Europe", Label.LOC)],
    "e": [("Casio", Label.ORG), ("pianos", None), ("the 90s", Label.DATE)],
    "f": [("The Cure", Label.ORG), ("music", None), ("1985", Label.DATE)],
}


def keywords(one: str) -> list[Keyword]:
    text, found = TEXTS[one], []
    for word, label in WORDS[one]:
        start = text.index(word)
        kind = KeywordKind.ENTITY if label else KeywordKind.NOUN
        found.append(Keyword(start, start + len(word), kind, label))
    return found


def slotted(one: str) -> tuple[str, tuple[Slot, ...]]:
    return TEXTS[one], slots_of(TEXTS[one], keywords(one))


def all_of(left: str, right: str) -> set[str]:
    one, two = slotted(left), slotted(right)
    return {" ".join(regroup(one, two, found)) for found in regroupings(one[1], two[1])}


def test_places_are_regrouped_and_what_they_are_said_of_stays() -> None:
    """Antarctica goes and either of two places comes, in either order; with the lizard gone too it would be true."""
    assert all_of("b", "c") == {
        "A penguin lives in Texas in the winter. The lizard lives in Antarctica near Utah.",
        "A penguin lives in Texas in the winter. The lizard lives in Utah near Antarctica.",
        "A penguin lives in Utah in the winter. The lizard lives in Texas near Antarctica.",
        "A penguin lives in Utah in the winter. The lizard lives in Antarctica near Texas.",
    }


def test_capitals_follow_the_place_that_a_name_goes_to() -> None:
    """A name goes without its places: the tie between the two is torn as well."""
    fruit = found_in("The Apple store is in Ohio.", ("Apple", Label.ORG), ("Ohio", Label.GPE))
    other = found_in("In Peru you see Honda.", ("Peru", Label.GPE), ("Honda", Label.ORG))
    found = {regroup(fruit, other, one) for one in regroupings(fruit[1], other[1])}
    assert ("The Apple store is in Peru.", "In Ohio you see Honda.") in found
    assert ("The Honda store is in Peru.", "In Ohio you see Apple.") not in found


def test_all_of_a_statement_going_over_is_no_wrong_answer() -> None:
    """ "Salmon resides in Alaska. Honda is found in Japan." is as true as before; so are two nouns of a kind."""
    honda = found_in("Honda resides in Japan.", ("Honda", Label.ORG), ("Japan", Label.GPE))
    salmon = found_in("Intel is found in Alaska.", ("Intel", Label.ORG), ("Alaska", Label.GPE))
    assert {regroup(honda, salmon, one) for one in regroupings(honda[1], salmon[1])} == {
        ("Honda resides in Alaska.", "Intel is found in Japan."),
        ("Intel resides in Japan.", "Honda is found in Alaska."),
    }
    person = found_in("A person sees Ohio.", ("person", None), ("Ohio", Label.GPE))
    reader = found_in("A reader sees Peru.", ("reader", None), ("Peru", Label.GPE))
    assert [regroup(person, reader, one) for one in regroupings(person[1], reader[1])] == [
        ("A person sees Peru.", "A reader sees Ohio.")
    ]


@pytest.mark.parametrize(
    ("left", "right", "fits"),
    [
        ("about 1 year", "one year", False),  # the same
        ("the late 20th century", "the 80s", False),  # one within the other
        ("1985", "the 1980s", False),
        ("1794", "2005", True),
        ("the 60s", "the 80s", True),
    ],
)
def test_times_that_share_years_do_not_change_places(left: str, right: str, fits: bool) -> None:
    one, two = (found_in(f"It was in {time}.", (time, Label.DATE))[1] for time in (left, right))
    assert (list(regroupings(one, two)) == [(1, 0)]) is fits


def test_a_place_before_the_comma_of_an_opening_is_a_place_of_its_own() -> None:
    words = (("America", Label.GPE), ("Hanoi", Label.GPE))
    assert [slot.text for slot in found_in("In America, Hanoi was in the news.", *words)[1]] == ["America", "Hanoi"]
    assert [slot.text for slot in found_in("It lies near America, Hanoi.", *words)[1]] == ["America, Hanoi"]


def test_what_would_break_the_grammar_is_not_regrouped() -> None:
    """ "The Cure pianos", "1985" where only a decade has its article, "music were popular": none of these."""
    assert all_of("e", "f") == set()


def test_a_compound_and_a_place_with_its_state_are_one_slot() -> None:
    text = "The snow leopard lives in Eugene, Oregon."
    nouns = [Keyword(4, 8, KeywordKind.NOUN, None), Keyword(9, 16, KeywordKind.NOUN, None)]
    places = [Keyword(26, 32, KeywordKind.ENTITY, Label.GPE), Keyword(34, 40, KeywordKind.ENTITY, Label.GPE)]
    assert [slot.text for slot in slots_of(text, [*nouns, *places])] == ["The snow leopard", "Eugene, Oregon"]


@pytest.mark.parametrize(("left", "right", "fits"), cases("choice", "shapes", "left", "right", "fits"))
def test_kinds_and_shapes_must_be_alike(left: list[str], right: list[str], fits: bool) -> None:
    labels = {"time": Label.DATE, "place": Label.GPE, "noun": None}

    def slot(before: str, words: str, kind: str) -> Slot:
        text = f"It was {before} {words}."
        start = 8 + len(before) + (4 if kind == "noun" else 0)
        label = labels[kind]
        found = Keyword(start, len(text) - 1, KeywordKind.ENTITY if label else KeywordKind.NOUN, label)
        return slots_of(text, [found])[0]

    assert can_exchange(slot(*left), slot(*right)) is fits
    assert can_exchange(slot(*right), slot(*left)) is fits


def found_in(text: str, *words: tuple[str, Label | None]) -> tuple[str, tuple[Slot, ...]]:
    spans = [(text.index(word), word, label) for word, label in words]
    kinds = [KeywordKind.ENTITY if label else KeywordKind.NOUN for _, label in words]
    each = zip(spans, kinds, strict=True)
    return text, slots_of(text, [Keyword(at, at + len(word), kind, label) for (at, word, label), kind in each])


def test_an_article_stays_with_the_noun_that_it_belongs_to() -> None:
    """ "A Wisconsin city" may become "a Texas city", and no "Texas city", nor "a Ohio city"."""
    city = found_in("You own a Wisconsin city.", ("Wisconsin", Label.GPE), ("city", None))
    texas = found_in("Owls live in Texas.", ("Texas", Label.GPE))
    ohio = found_in("Owls live in Ohio.", ("Ohio", Label.GPE))
    assert [regroup(city, texas, one) for one in regroupings(city[1], texas[1])] == [
        ("You own a Texas city.", "Owls live in Wisconsin.")
    ]
    assert list(regroupings(city[1], ohio[1])) == []


def test_part_of_a_word_is_no_slot() -> None:
    assert [slot.text for slot in found_in("A mitten-shaped state.", ("mitten", None), ("state", None))[1]] == ["state"]


@pytest.mark.parametrize("before", ["that", "the current U.S.", "big", "its"])
def test_what_follows_a_word_of_its_own_takes_no_article(before: str) -> None:
    """ "In that hemisphere" never becomes "in that a house"."""
    described = found_in(f"It lies in {before} hemisphere.", ("hemisphere", None))
    house = found_in("He owns a house.", ("house", None))
    assert list(regroupings(described[1], house[1])) == []


def test_a_time_at_the_start_keeps_its_number() -> None:
    """ "Two days are 48 hours" and not "A year are 48 hours"."""
    days = found_in("Two days are 48 hours.", ("Two days", Label.DATE))
    year = found_in("A year is long.", ("A year", Label.DATE))
    weeks = found_in("Six weeks are long.", ("Six weeks", Label.DATE))
    assert list(regroupings(days[1], year[1])) == []
    assert list(regroupings(days[1], weeks[1])) == [(1, 0)]


@pytest.mark.parametrize("pair", [("a", "b"), ("a", "c"), ("b", "c"), ("e", "f")])
def test_a_regrouping_uses_every_filler_once_and_moves_one_across(pair: tuple[str, str]) -> None:
    (_, left), (_, right) = (slotted(one) for one in pair)
    for found in regroupings(left, right):
        assert sorted(found) == list(range(len(left) + len(right)))
        assert any((place < len(left)) != (filler < len(left)) for place, filler in enumerate(found))


@given(st.permutations(range(6)))
def test_regrouping_back_gives_the_truth(places: list[int]) -> None:
    """Texts whose slots all fit each other, none at the start: an order and then its inverse change nothing."""
    texts = "On maps Peru, near Chad, and also Mali.", "On maps Cuba, near Fiji, and also Oman."
    sides = [(text, _places(text)) for text in texts]
    moved = regroup(sides[0], sides[1], tuple(places))
    again = [(text, _places(text)) for text in moved]
    inverse = tuple(places.index(number) for number in range(6))
    assert regroup(again[0], again[1], inverse) == texts


def _places(text: str) -> tuple[Slot, ...]:
    words = ("Peru", "Chad", "Mali", "Cuba", "Fiji", "Oman")
    found = [
        Keyword(text.index(word), text.index(word) + 4, KeywordKind.ENTITY, Label.GPE) for word in words if word in text
    ]
    return slots_of(text, found)


def tables(*pairs: tuple[str, str]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    made = [
        {
            "example_id": f"{left}|{right}",
            "split": "train",
            "keywords": [word for one in (left, right) for word, _ in WORDS[one]],
            "statement": f"{TEXTS[left]} {TEXTS[right]}",
            "ids": [left, right],
            "statements": [TEXTS[left], TEXTS[right]],
            "context": "GEO",
            "licences": ["MIT", "MIT"],
        }
        for left, right in pairs
    ]
    known = {name: dtype for name, dtype in EXAMPLES.columns.items() if name in made[0]}
    words = [
        (one, word.start, word.end, TEXTS[one][word.start : word.end], word.kind.value, word.label)
        for one in TEXTS
        for word in keywords(one)
    ]
    splits = [(f"{left}|{right}", left, right, number, "train", "kept") for number, (left, right) in enumerate(pairs)]
    return pl.DataFrame(made, schema=known), KEYWORDS.frame(words), SPLITS.frame(splits)


SMALL = ChoiceParams(min_population=3, population=24, uses=10)


def test_what_cannot_be_asked_is_left_out_and_counted() -> None:
    found = choose_questions(*tables(("b", "c"), ("c", "d"), ("e", "f")), params=SMALL)
    assert found.counts == {KEPT: 1, NEGATED: 1, POSSIBLE: 0, TOO_FEW: 1, USED: 0}
    assert found.pools["item_id"].unique().to_list() == ["b|c"]
    assert found.pools.filter(candidate=0).select("first", "second").row(0) == (TEXTS["b"], TEXTS["c"])
    assert found.pools.height == 5


def test_a_pair_that_only_says_what_may_be_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    for one, verb in (("b", "might"), ("c", "could")):
        monkeypatch.setitem(TEXTS, one, TEXTS[one].replace("lives", f"{verb} live"))
    assert choose_questions(*tables(("b", "c")), params=SMALL).counts[POSSIBLE] == 1


def test_a_statement_is_used_so_often_and_no_oftener() -> None:
    pairs = tables(("a", "b"), ("a", "c"), ("b", "c"))
    found = choose_questions(*pairs, params=SMALL.model_copy(update={"uses": 1, "min_population": 1}))
    assert (found.counts[KEPT], found.counts[USED]) == (1, 2)


def test_a_pair_that_is_known_to_be_true_is_no_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The swapped pair of b and c stands among the statements, both of its sentences: it is left out."""
    added = {"g": "A penguin lives in Texas in the winter.", "h": "The lizard lives in Antarctica near Utah."}
    monkeypatch.setitem(WORDS, "g", [("penguin", None), ("Texas", Label.GPE), ("the winter", Label.DATE)])
    monkeypatch.setitem(WORDS, "h", [("lizard", None), ("Antarctica", Label.GPE), ("Utah", Label.GPE)])
    for one, text in added.items():
        monkeypatch.setitem(TEXTS, one, text)
    found = choose_questions(*tables(("b", "c"), ("g", "h")), params=SMALL.model_copy(update={"min_population": 1}))
    wrong = found.pools.filter(pl.col("item_id") == "b|c", pl.col("candidate") > 0)
    assert (added["g"], added["h"]) not in wrong.select("first", "second").rows()
    assert wrong.height == 3


def test_the_same_sentences_in_the_other_order_are_one_wrong_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Either "365 days" and "7 days" change places, or "A year" and "A week": false in the same way, and one answer."""
    said = {"g": ("A year", "365 days"), "h": ("A week", "7 days")}
    for one, words in said.items():
        monkeypatch.setitem(TEXTS, one, " has ".join(words) + ".")
        monkeypatch.setitem(WORDS, one, [(word, Label.DATE) for word in words])
    assert {"A year has 7 days. A week has 365 days.", "A week has 365 days. A year has 7 days."} <= all_of("g", "h")
    found = choose_questions(*tables(("g", "h")), params=SMALL.model_copy(update={"min_population": 1})).pools
    wrong = found.filter(pl.col("candidate") > 0).select("first", "second").rows()
    assert wrong.count(("A year has 7 days.", "A week has 365 days.")) == 1
    assert len({frozenset(map(plain, both)) for both in wrong}) == len(wrong)


def test_answers_hold_the_right_pair_once_and_stay_in_their_split() -> None:
    examples, words, splits = tables(("b", "c"))
    pool = pool_of(choose_questions(examples, words, splits, params=SMALL).pools, wrong=3, population=24)
    made = answers(pool, first_assignment(pool, wrong=3, seed=0), examples, seed=0).row(0, named=True)
    assert made["choices"][made["label"]] == f"{TEXTS['b']} {TEXTS['c']}"
    assert len(set(made["choices"])) == 4
    assert made["split"] == "train"
    bags = [Counter(plain(text).split()) for text in made["choices"]]
    assert all(bag == bags[0] for bag in bags)


@pytest.mark.parametrize(
    ("text", "is_so"), [("It isn't so.", True), ("It cannot be.", True), ("A knot is not.", True), ("A knot.", False)]
)
def test_denials_are_seen(text: str, is_so: bool) -> None:
    assert is_negated(text) is is_so

"""What judges let through, what is selected of it, and why the rest is out."""

from collections import Counter
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.params import JudgedParams, SelectedParams, ShortlistParams
from situatedgen.records import Judgement, Token
from situatedgen.rules.selection import FEWEST_SLOTS, Offer, content_of, family_of, selection
from situatedgen.schemas import JUDGED, PAIRS, PARSES, STATEMENTS, check
from situatedgen.stages.judged import judge_questions, judged, shortlist
from situatedgen.stages.selected import selected
from situatedgen.vocabulary import Context, Verdict

TEXTS = {
    "a": "Lima is in Peru.",
    "b": "Oslo is in Norway.",
    "c": "Rain fell in May.",
    "d": "LIMA is in Peru",
    "e": "Snow fell in June.",
}
STATEMENTS_TABLE = STATEMENTS.frame([(id_, "s", text, "claim", 1.0, Verdict.KEPT) for id_, text in TEXTS.items()])


def pairs(*ids: str, verdict: Verdict = Verdict.KEPT) -> pl.DataFrame:
    rows = [(f"{left}|{right}", left, right, 0.9, Context.GEO, verdict) for left, right in ids]
    return PAIRS.frame(rows)


class Judge:
    """Knows what to say of each pair of texts, and remembers what it was asked."""

    def __init__(self, answers: dict[str, Judgement]) -> None:
        self.answers = {tuple(sorted(TEXTS[each] for each in ids)): answer for ids, answer in answers.items()}
        self.asked: list[tuple[str, str]] = []

    def judge(self, asked: Sequence[tuple[str, str]]) -> list[Judgement]:
        self.asked += asked
        return [self.answers[tuple(sorted(pair))] for pair in asked]


def verdicts(table: pl.DataFrame) -> dict[str, str]:
    return dict(check(table, JUDGED, name="judged").select("pair_id", "verdict").iter_rows())


def test_the_first_part_that_is_too_improbable_is_the_verdict() -> None:
    judge = Judge(
        {
            "ab": Judgement(0.7, 0.9, 0.9, 0.9, 0.9),  # all is well
            "ac": Judgement(0.4, 0.2, 0.9, 0.9, 0.1),  # improbable comes first
            "ad": Judgement(0.7, 0.5, 0.9, 0.9, 0.2),  # then English
            "bc": Judgement(0.7, 0.9, 0.9, 0.9, 0.2),  # then what is commonly known
        }
    )
    params = JudgedParams(min_probability=0.5, min_fluent=0.6, min_common=0.3)
    found = judged(STATEMENTS_TABLE, unknown("ab", "ac", "ad", "bc"), params=params, judge=judge)
    assert verdicts(found) == {"a|b": "kept", "a|c": "improbable", "a|d": "not_fluent", "b|c": "not_common"}


def unknown(*ids: str) -> pl.DataFrame:
    return shortlist(STATEMENTS_TABLE, pairs(*ids), params=ShortlistParams())


def test_without_a_judge_all_stay_and_nothing_is_known_of_them() -> None:
    found = judged(STATEMENTS_TABLE, unknown("ab"), params=JudgedParams(min_probability=0.9))
    assert found.select("verdict", "probability").rows() == [("kept", None)]


def test_the_dear_judge_is_asked_about_what_the_cheap_one_lets_through() -> None:
    cheap = Judge({"ab": Judgement(0.4, 1, 1, 1, 1), "ac": Judgement(0.1, 1, 1, 1, 1)})
    dear = Judge({"ab": Judgement(0.8, 1, 1, 1, 1)})
    short = shortlist(STATEMENTS_TABLE, pairs("ab", "ac"), params=ShortlistParams(min_probability=0.3), judge=cheap)
    found = judged(STATEMENTS_TABLE, short, params=JudgedParams(min_probability=0.5), judge=dear)
    assert verdicts(short) == {"a|b": "kept", "a|c": "improbable"}
    assert found.select("pair_id", "probability").rows() == [("a|b", pytest.approx(0.8))]
    assert dear.asked == [(TEXTS["a"], TEXTS["b"])]


def test_two_texts_are_one_question_whichever_stands_first() -> None:
    asked = judge_questions(STATEMENTS_TABLE, pl.concat([pairs("ab", "ba"), pairs("ac", verdict=Verdict.CONTAINED)]))
    assert asked.rows() == [(TEXTS["a"], TEXTS["b"])]


def parse(id_: str, root: str, *below: tuple[str, str]) -> list[tuple[object, ...]]:
    words = [("x", "nsubj"), (root, "ROOT"), *below]
    return [(id_, n, n + 1, lemma, "", "", role, 1) for n, (lemma, role) in enumerate(words)]


PARSES_TABLE = PARSES.frame(
    [row for id_ in "abd" for row in parse(id_, "be", ("in", "prep"))] + parse("c", "fall", ("in", "prep"))
)


def chosen(table: pl.DataFrame, **params: float) -> dict[str, str]:
    return verdicts(selected(STATEMENTS_TABLE, PARSES_TABLE, table, params=SelectedParams(**params)))


def test_the_most_probable_pair_of_a_sentence_stays_and_the_others_are_too_frequent() -> None:
    answers = {"ab": Judgement(0.7, 1, 1, 1, 1), "bc": Judgement(0.9, 1, 1, 1, 1)}
    table = judged(STATEMENTS_TABLE, unknown("ab", "bc"), params=JudgedParams(), judge=Judge(answers))
    found = chosen(table, max_pairs_per_statement=1, max_family_share=1)
    assert found == {"a|b": "too_frequent", "b|c": "kept"}


def test_a_less_probable_pair_stays_for_the_sake_of_a_new_sentence() -> None:
    """Best first, ab and bc bring all three sentences, so ac would have to be more probable; ce brings e."""
    said = {"ab": 0.9, "bc": 0.5, "ac": 0.4, "ce": 0.3}
    answers = {ids: Judgement(value, 1, 1, 1, 1) for ids, value in said.items()}
    table = judged(STATEMENTS_TABLE, unknown(*said), params=JudgedParams(min_probability=0), judge=Judge(answers))
    limits = {"max_pairs_per_statement": 9, "max_family_share": 1.0}
    found = chosen(table, **limits, min_repeat_probability=0.6)
    assert found == {"a|b": "kept", "b|c": "kept", "a|c": "too_frequent", "c|e": "kept"}
    assert set(chosen(table, **limits, min_repeat_probability=0.4).values()) == {"kept"}


def test_sentences_of_the_same_content_are_one() -> None:
    """The third pair says the same as the first, and the second pairs a sentence with itself."""
    answers = {ids: Judgement(0.9, 1, 1, 1, 1) for ids in ("ab", "ad", "bd")}
    table = judged(STATEMENTS_TABLE, unknown("ab", "ad", "bd"), params=JudgedParams(), judge=Judge(answers))
    found = chosen(table, max_pairs_per_statement=9, max_family_share=1)
    assert found == {"a|b": "kept", "a|d": "same_content", "b|d": "same_content"}


def test_without_caps_all_stay() -> None:
    assert chosen(unknown("ab", "ad"), max_pairs_per_statement=0, max_family_share=1) == {"a|b": "kept", "a|d": "kept"}


@pytest.mark.parametrize(
    ("words", "family"),
    [
        (parse("", "be", ("capital", "attr")), "be capital"),  # what a copula says
        (parse("", "bear", ("in", "prep"), ("by", "agent")), "bear by in"),  # prepositions in order
        (parse("", "see", ("capital", "attr")), "see"),  # no copula
        ([], ""),
    ],
)
def test_a_family_is_a_predicate(words: list[tuple[object, ...]], family: str) -> None:
    assert family_of([Token(*row[1:]) for row in words]) == family


OFFERS = st.lists(
    st.builds(
        Offer,
        st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh")),
        st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")),
    ),
    max_size=60,
)


@given(OFFERS, st.integers(1, 4), st.sampled_from((0.05, 0.2, 0.5, 1.0)))
def test_no_sentence_and_no_family_has_more_than_its_share(offers: list[Offer], most: int, share: float) -> None:
    found = selection(offers, max_pairs=most, max_share=share)
    kept = [offer for offer, verdict in zip(offers, found, strict=True) if verdict is Verdict.KEPT]
    sentences = Counter(content for offer in kept for content in offer.contents)
    families = Counter(family for offer in kept for family in offer.families)
    assert max(sentences.values(), default=0) <= most
    assert max(families.values(), default=0) <= max(share * 2 * len(kept), FEWEST_SLOTS)
    assert len({frozenset(offer.contents) for offer in kept}) == len(kept)
    assert all(len(set(offer.contents)) == 2 for offer in kept)


@given(OFFERS)
def test_what_is_left_out_without_a_cap_on_families_had_no_room(offers: list[Offer]) -> None:
    """A pair that is too frequent has a sentence that is full, or may not repeat the two that it has."""
    found = selection(offers, max_pairs=2, max_share=1)
    kept = [offer for offer, verdict in zip(offers, found, strict=True) if verdict is Verdict.KEPT]
    count = Counter(text for offer in kept for text in offer.contents)
    for offer, verdict in zip(offers, found, strict=True):
        if verdict is Verdict.TOO_FREQUENT:
            uses = [count[text] for text in offer.contents]
            assert max(uses) == 2 or (not offer.may_repeat and min(uses) == 1)


def test_content_has_no_case_punctuation_or_articles() -> None:
    assert content_of("The day has twenty-four hours.") == content_of("A DAY has 24 hours") == "day has 24 hours"

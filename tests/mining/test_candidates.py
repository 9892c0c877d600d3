"""Candidates are all similar pairs, each with its verdict; pairs are the kept ones, with what they share."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.errors import SchemaError
from situatedgen.mining import verdicts as module
from situatedgen.mining.verdicts import verdicts
from situatedgen.params import CandidateParams, PairParams
from situatedgen.rules.pairs import PairSide, judge, lacks_common_kind, pair_side
from situatedgen.schemas import CANDIDATES, ENTITIES, MASKS, PAIRS, STATEMENTS, check
from situatedgen.stages.candidates import candidates
from situatedgen.stages.pairs import pairs
from situatedgen.vocabulary import Context, Label, Verdict

LABELS = {
    Context.GEO: [Label.GPE],
    Context.TEMP: [Label.DATE],
    Context.BOTH: [Label.GPE, Label.TIME],
    Context.NONE: [Label.PERSON],
}
PLACE, TIME = "[UNK] is the capital of [UNK].", "In [UNK], [UNK] snows."
VECTORS = {PLACE: [1.0, 0.0], TIME: [0.8, 0.6], "no": [0.0, 1.0]}
Row = tuple[str, str, list[str], str, Context, Verdict]
# id, text, names, masked text, context, verdict on the masks
ROWS: list[Row] = [
    ("a", "Paris is the capital of France.", ["Paris", "France"], PLACE, Context.GEO, Verdict.KEPT),
    ("b", "Tokyo is the capital of Japan.", ["Tokyo", "Japan"], PLACE, Context.GEO, Verdict.KEPT),
    ("c", "In the winter of Japan, it snows.", ["the winter", "Japan"], TIME, Context.BOTH, Verdict.KEPT),
    ("d", "In May, Lima snows.", ["May"], TIME, Context.TEMP, Verdict.KEPT),
    ("e", "Oslo is the capital of Norway.", ["Oslo", "Norway"], PLACE, Context.GEO, Verdict.TOO_MANY_MASKS),
    ("f", "tokyo is the capital of japan", ["tokyo", "japan"], PLACE, Context.GEO, Verdict.KEPT),
]


def tables(rows: list[Row]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    statements = STATEMENTS.frame([(row[0], "s", row[1], "claim", 1.0, Verdict.KEPT) for row in rows])
    entities = ENTITIES.frame(
        [
            (id_, start, start + 1, name, LABELS[context][start % len(LABELS[context])])
            for id_, _, names, _, context, _ in rows
            for start, name in enumerate(names)
        ]
    )
    masks = MASKS.frame([(id_, text, 2, context, verdict) for id_, _, _, text, context, verdict in rows])
    texts = sorted({row[3] for row in rows if row[5] == Verdict.KEPT})
    embeddings = pl.DataFrame(
        {"masked_text": texts, "vector": [VECTORS[text] for text in texts]},
        schema={"masked_text": pl.String, "vector": pl.Array(pl.Float32, 2)},
    )
    return statements, entities, masks, embeddings


def test_every_similar_pair_is_judged():
    """The two texts have cosine 0.8; c names both kinds, so it is compared with the places and with d.

    The text of d is compared with that of the places, for it is the text of c too; but d shares no kind with them.
    """
    found = candidates(*tables(ROWS), params=CandidateParams(floor=0.8))
    near = pytest.approx(0.8)
    assert check(found, CANDIDATES, name="candidates").rows() == [
        ("a", "b", 1.0, Verdict.KEPT),
        ("a", "c", near, Verdict.KEPT),
        ("a", "f", 1.0, Verdict.KEPT),
        ("b", "c", near, Verdict.SHARED_ENTITY),
        ("b", "f", 1.0, Verdict.CONTAINED),
        ("c", "d", 1.0, Verdict.KEPT),
        ("c", "f", near, Verdict.SHARED_ENTITY),
    ]


def test_pairs_below_the_floor_are_not_candidates():
    found = candidates(*tables(ROWS), params=CandidateParams(floor=0.81))
    assert found.select("left_id", "right_id").rows() == [("a", "b"), ("a", "f"), ("b", "f"), ("c", "d")]


@pytest.mark.parametrize("third", "bcf")
def test_a_third_statement_changes_nothing_between_two(third):
    """c has the text of d and the kind of a, and would make their texts comparable."""
    rows = [row for row in ROWS if row[0] in {"a", "d", third}]
    found = candidates(*tables(rows), params=CandidateParams(floor=0.5))
    assert [row for row in found.rows() if third not in row[:2]] == []


def test_statements_with_one_text_that_share_no_kind_are_not_candidates():
    rows: list[Row] = [
        ("a", "In May, it snows.", ["May"], TIME, Context.TEMP, Verdict.KEPT),
        ("b", "In Lima, it snows.", ["Lima"], TIME, Context.GEO, Verdict.KEPT),
        ("c", "In Oslo, it snows.", ["Oslo"], TIME, Context.GEO, Verdict.KEPT),
    ]
    found = candidates(*tables(rows), params=CandidateParams(floor=0.5))
    assert found.rows() == [("b", "c", 1.0, Verdict.KEPT)]


@pytest.mark.parametrize("rows", [[], ROWS[4:5], ROWS[:1]])
def test_fewer_than_two_statements_give_no_candidates(rows):
    found = candidates(*tables(rows), params=CandidateParams())
    assert_frame_equal(found, CANDIDATES.empty)
    assert_frame_equal(pairs(tables(rows)[2], found, params=PairParams()), PAIRS.empty)


def test_a_text_without_a_vector_is_an_error():
    statements, entities, masks, embeddings = tables(ROWS)
    with pytest.raises(SchemaError, match=r"In .UNK., .UNK. snows.' has no vector"):
        candidates(
            statements, entities, masks, embeddings.filter(pl.col("masked_text") == PLACE), params=CandidateParams()
        )


WORDS = ["Japan", "the winter", "Winters", "Peru", "In winter", "Japan's", "peru in winter"]
rows = st.tuples(
    st.sampled_from(["", *WORDS]),
    st.lists(st.sampled_from(WORDS), max_size=2),
    st.sampled_from(sorted(VECTORS)),
    st.sampled_from(Context),
    st.sampled_from([Verdict.KEPT, Verdict.KEPT, Verdict.TOO_FEW_MASKS]),
)


@given(st.lists(rows, max_size=9), st.sampled_from([0.3, 0.6, 0.7, 0.8, 1.0]))
def test_the_stage_agrees_with_a_look_at_every_two_statements(given_rows, floor):
    made = [
        (f"id{number}", f"{number} {text}.", names, masked, context, verdict)
        for number, (text, names, masked, context, verdict) in enumerate(given_rows)
    ]
    found = candidates(*tables(made), params=CandidateParams(floor=floor))
    assert check(found, CANDIDATES, name="candidates").rows() == list(looked_at(made, floor))


def looked_at(made: list[Row], floor: float):
    """What the table should hold: every two kept statements that share a kind and are similar."""
    kept = [row for row in made if row[5] == Verdict.KEPT]
    for left, right in combinations(kept, 2):
        similarity = 1.0 if left[3] == right[3] else cosine(left[3], right[3])
        if similarity >= np.float32(floor) and not lacks_common_kind(side(left), side(right)):
            yield left[0], right[0], similarity, judge(side(left), side(right))


def cosine(left: str, right: str) -> float:
    ones, others = (np.array(VECTORS[text], np.float32).astype(np.float64) for text in (left, right))
    return float(np.float32(ones @ others))


def side(row: Row) -> PairSide:
    _, text, names, _, context, _ = row
    return pair_side(text, [] if context == Context.NONE else names, context)


texts = st.lists(st.sampled_from([*WORDS, "a", "man", "woman is", "It", "snows.", "“Oman", "-"]), max_size=6).map(
    " ".join
)
sides = st.builds(pair_side, texts, st.lists(texts, max_size=2), st.sampled_from(Context))


@given(st.lists(sides, min_size=1, max_size=8))
def test_verdicts_by_bits_are_those_of_the_rules(given_sides):
    """Every two are given so often that traces are worth while."""
    left, right = (np.array(numbers, np.uint32) for numbers in np.indices([len(given_sides)] * 2).reshape(2, -1))
    plain = [judge(given_sides[one], given_sides[other]) for one, other in zip(left, right, strict=True)]
    times = module.PAIRS_A_TRACE
    assert verdicts(given_sides, np.tile(left, times), np.tile(right, times)).to_list() == plain * times
    assert verdicts(given_sides, left, right).to_list() == plain


def test_most_pairs_are_kept_without_a_look(monkeypatch):
    """All of one template; only those whose words happen to share their bits are judged by the rules."""
    numbered = [pair_side(f"Place{n} is the main town of {n}land.", [f"Place{n}"], Context.GEO) for n in range(100)]
    left, right = (np.array(numbers, np.uint32) for numbers in np.triu_indices(100, 1))
    judged = []
    monkeypatch.setattr(module, "judge", lambda one, other: judged.append(one) or judge(one, other))
    assert verdicts(numbered, left, right).unique().to_list() == [Verdict.KEPT]
    assert len(judged) < len(left) / 4


def test_a_rule_of_which_bits_tell_nothing_is_asked_of_every_pair(monkeypatch):
    never = ((Verdict.TOO_DISSIMILAR, lambda left, right: left.text == right.text),)
    monkeypatch.setattr(module, "PAIR_RULES", never)
    monkeypatch.setattr(module, "judge", lambda left, right: Verdict.TOO_DISSIMILAR)
    found = verdicts([side(row) for row in ROWS], np.array([0, 1], np.uint32), np.array([1, 2], np.uint32))
    assert found.to_list() == [Verdict.TOO_DISSIMILAR] * 2


def test_pairs_are_the_kept_candidates_with_what_they_share():
    masks = MASKS.frame(
        [
            (id_, "", 2, context, Verdict.KEPT)
            for id_, context in [("a", Context.GEO), ("b", Context.BOTH), ("c", Context.BOTH), ("d", Context.TEMP)]
        ]
    )
    looked = CANDIDATES.frame(
        [
            ("a", "b", 0.8, Verdict.KEPT),
            ("a", "c", 0.79999, Verdict.KEPT),
            ("b", "c", 1.0, Verdict.KEPT),
            ("b", "d", 0.9, Verdict.KEPT),
            ("c", "d", 0.9, Verdict.SHARED_ENTITY),
        ]
    )
    expected = PAIRS.frame(
        [
            ("a|b", "a", "b", 0.8, Context.GEO, Verdict.KEPT),
            ("a|c", "a", "c", 0.79999, Context.GEO, Verdict.TOO_DISSIMILAR),
            ("b|c", "b", "c", 1.0, Context.BOTH, Verdict.KEPT),
            ("b|d", "b", "d", 0.9, Context.TEMP, Verdict.KEPT),
        ]
    )
    found = pairs(masks, looked, params=PairParams(min_similarity=0.8))
    assert_frame_equal(check(found, PAIRS, name="pairs"), expected)

"""The search finds the same pairs with the same similarities as comparing all with all, one by one."""

from itertools import combinations, product

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from situatedgen.mining.candidates import expand_hits, expand_hits_between
from situatedgen.mining.search import (
    NO_HITS,
    Hits,
    between,
    between_kinds,
    product_error,
    round_vectors,
    similarities,
    within,
    within_kinds,
)


def unit_vectors(seed: int, count: int, width: int) -> np.ndarray:
    """Random directions, some of them twice, some twice but for a little."""
    chance = np.random.default_rng(seed)
    centres = chance.standard_normal((max(1, count // 2), width))
    spread = chance.choice([0.0, 1e-7, 0.3], (count, 1))
    vectors = centres[chance.integers(0, len(centres), count)] + spread * chance.standard_normal((count, width))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def exact(left: np.ndarray, right: np.ndarray) -> np.float32:
    """The cosine in whole numbers: multiples of 2⁻²⁶, multiplied and added by Python."""
    ones, others = ([round(float(number) * 2**26) for number in vector] for vector in (left, right))
    total = sum(one * other for one, other in zip(ones, others, strict=True))
    return min(np.float32(total / 2**52), np.float32(1))


def rows_of(hits: Hits) -> list[tuple[int, int, float]]:
    return sorted(zip(hits.left.tolist(), hits.right.tolist(), hits.similarity.tolist(), strict=True))


def compared(pairs, left: np.ndarray, right: np.ndarray, floor: float) -> list[tuple[int, int, float]]:
    found = ((i, j, exact(left[i], right[j])) for i, j in pairs)
    return sorted((i, j, float(cosine)) for i, j, cosine in found if cosine >= np.float32(floor))


seeds, blocks, widths = st.integers(0, 2**32 - 1), st.integers(1, 9), st.sampled_from([1, 2, 5, 17])
counts = st.integers(0, 14)


@st.composite
def floors(draw, vectors: np.ndarray) -> float:
    """A floor, often one that a pair reaches exactly or misses by the last bit."""
    if len(vectors) < 2 or draw(st.booleans()):
        return draw(st.floats(0.01, 1))
    met = exact(vectors[0], vectors[1])
    return float(np.clip(draw(st.sampled_from([met, np.nextafter(met, np.float32(2))])), 0.01, 1))


@given(seeds, counts, widths, blocks, st.data())
def test_within_finds_what_comparing_all_finds(seed, count, width, block, data):
    vectors = unit_vectors(seed, count, width)
    floor = data.draw(floors(vectors))
    expected = compared(combinations(range(count), 2), vectors, vectors, floor)
    assert rows_of(within(vectors, floor=floor, block=block)) == expected


@given(seeds, counts, counts, widths, blocks, st.data())
def test_between_finds_what_comparing_all_finds(seed, rows, columns, width, block, data):
    vectors = unit_vectors(seed, rows + columns, width)
    left, right = vectors[:rows], vectors[rows:]
    floor = data.draw(floors(vectors))
    expected = compared(product(range(rows), range(columns)), left, right, floor)
    assert rows_of(between(left, right, floor=floor, block=block)) == expected


def kinds_of(count: int) -> st.SearchStrategy[np.ndarray]:
    return st.lists(st.integers(0, 3), min_size=count, max_size=count).map(lambda bits: np.array(bits, np.uint8))


@given(seeds, counts, blocks, st.data())
def test_within_kinds_compares_those_that_share_a_kind_once(seed, count, block, data):
    vectors = unit_vectors(seed, count, 4)
    kinds, floor = data.draw(kinds_of(count)), data.draw(floors(vectors))
    allowed = [(i, j) for i, j in combinations(range(count), 2) if kinds[i] & kinds[j]]
    found = rows_of(within_kinds(vectors, kinds, floor=floor, block=block))
    assert found == compared(allowed, vectors, vectors, floor)


@given(seeds, counts, blocks, st.data())
def test_between_kinds_compares_those_that_share_a_kind_once(seed, count, block, data):
    vectors = unit_vectors(seed, count, 4)
    kinds, others, floor = data.draw(kinds_of(count)), data.draw(kinds_of(count)), data.draw(floors(vectors))
    allowed = [(i, j) for i, j in product(range(count), repeat=2) if i != j and kinds[i] & others[j]]
    found = rows_of(between_kinds(vectors, kinds, others, floor=floor, block=block))
    assert found == compared(allowed, vectors, vectors, floor)


@given(seeds, counts, counts)
def test_a_set_in_two_parts_gives_the_pairs_of_the_whole(seed, old, new):
    """What lets a search be made in deltas: within the old, within the new, and between them is all."""
    vectors = unit_vectors(seed, old + new, 5)
    parts = [
        *rows_of(within(vectors[:old], floor=0.5)),
        *((i + old, j + old, cosine) for i, j, cosine in rows_of(within(vectors[old:], floor=0.5))),
        *((i, j + old, cosine) for i, j, cosine in rows_of(between(vectors[:old], vectors[old:], floor=0.5))),
    ]
    assert sorted(parts) == rows_of(within(vectors, floor=0.5))


def test_real_widths_give_the_same_bits_whatever_the_block_and_the_threads():
    vectors = unit_vectors(1, 700, 384)
    whole = rows_of(within(vectors, floor=0.5, block=1024))
    with threadpool_limits(limits=1, user_api="blas"):
        alone = rows_of(within(vectors, floor=0.5, block=61))
    assert len(whole) > 500
    assert alone == whole == compared([(i, j) for i, j, _ in whole], vectors, vectors, 0.5)


@given(seeds)
def test_settling_moves_no_number_by_more_than_half_a_step_and_settles_for_good(seed):
    vectors = unit_vectors(seed, 6, 384)
    once = round_vectors(vectors)
    assert np.abs(once.astype(np.float64) - vectors).max() <= 2.0**-27
    assert np.array_equal(round_vectors(once), once)


@given(seeds, st.permutations(range(16)))
def test_a_similarity_does_not_depend_on_the_order_of_its_sums(seed, order):
    vectors = round_vectors(unit_vectors(seed, 8, 16))
    left, right = np.triu_indices(8, 1)
    shuffled = np.ascontiguousarray(vectors[:, list(order)])
    plain = similarities(vectors, vectors, left, right)
    assert np.array_equal(plain, similarities(shuffled, shuffled, left, right))


@given(seeds, st.sampled_from([2, 16, 384]))
def test_a_float32_product_is_within_its_bound(seed, width):
    vectors = round_vectors(unit_vectors(seed, 12, width))
    error = np.abs((vectors @ vectors.T).astype(np.float64) - vectors.astype(np.float64) @ vectors.T)
    assert error.max() <= product_error(width)


def test_no_similarity_is_above_one():
    vectors = unit_vectors(2, 200, 384)
    assert max(cosine for *_, cosine in rows_of(within(vectors, floor=0.9))) == 1.0


HITS = Hits(np.array([0, 1], np.int32), np.array([2, 2], np.int32), np.array([0.75, 0.5], np.float32))


def members(texts: list[int], kinds: list[int] | None = None, *, start: int = 0) -> pl.DataFrame:
    """Statements numbered in order, with the numbers of their texts and their kinds: all of one kind by default."""
    columns = {"number": range(start, start + len(texts)), "text": texts, "kinds": kinds or [1] * len(texts)}
    return pl.DataFrame(columns, schema={"number": pl.UInt32, "text": pl.Int32, "kinds": pl.UInt8})


def test_a_hit_stands_for_every_pair_of_statements_with_its_texts():
    """Texts 0, 1, 2 belong to statements {0, 3}, {1}, {2, 4}; the same text is similar to itself by 1."""
    found = expand_hits(HITS, members([0, 1, 2, 0, 2])).sort("left", "right").rows()
    assert found == [
        (0, 2, 0.75),
        (0, 3, 1.0),
        (0, 4, 0.75),
        (1, 2, 0.5),
        (1, 4, 0.5),
        (2, 3, 0.75),
        (2, 4, 1.0),
        (3, 4, 0.75),
    ]


def test_statements_that_share_no_kind_are_no_pair_whatever_their_texts():
    """Statement 3 has the kind of none but 0, which has both kinds."""
    found = expand_hits(HITS, members([0, 1, 2, 2, 2], [3, 2, 2, 1, 2])).sort("left", "right").rows()
    assert found == [(0, 2, 0.75), (0, 3, 0.75), (0, 4, 0.75), (1, 2, 0.5), (1, 4, 0.5), (2, 4, 1.0)]


many_texts = st.lists(st.integers(0, 4), max_size=9)
every_hit = st.lists(st.sampled_from(list(combinations(range(5), 2))), unique=True)


def made_hits(pairs: list[tuple[int, int]]) -> Hits:
    sides = np.array(pairs, dtype=np.int32).reshape(-1, 2)
    return Hits(sides[:, 0], sides[:, 1], np.array([cosine(*pair) for pair in pairs], np.float32))


def cosine(left: int, right: int) -> float:
    """A number of its own for every two texts in either order, and 1 for the same."""
    return 1.0 if left == right else (min(left, right) * 5 + max(left, right)) / 32


def looked_at(numbers, pairs, texts: list[int], kinds: list[int]):
    """What an expansion should hold, by a look at every two statements."""
    return [
        (i, j, cosine(texts[i], texts[j]))
        for i, j in numbers
        if kinds[i] & kinds[j] and (texts[i] == texts[j] or (texts[i], texts[j]) in pairs)
    ]


def some_kinds(data: st.DataObject, texts: list[int]) -> list[int]:
    return data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))


@given(many_texts, every_hit, st.data())
def test_expansion_agrees_with_a_look_at_every_two_statements(texts, pairs, data):
    kinds = some_kinds(data, texts)
    found = expand_hits(made_hits(pairs), members(texts, kinds)).sort("left", "right").rows()
    both_orders = {*pairs, *((right, left) for left, right in pairs)}
    assert found == looked_at(combinations(range(len(texts)), 2), both_orders, texts, kinds)


@given(many_texts, many_texts, every_hit, st.data())
def test_expansion_between_agrees_with_a_look_at_every_two_statements(texts, others, pairs, data):
    both = [*texts, *others]
    kinds = some_kinds(data, both)
    split = len(texts)
    ones, rest = members(texts, kinds[:split]), members(others, kinds[split:], start=split)
    found = expand_hits_between(made_hits(pairs), ones, rest).sort("left", "right").rows()
    assert found == looked_at(product(range(split), range(split, len(both))), pairs, both, kinds)


def test_a_text_that_repeats_often_takes_room_for_its_pairs_only():
    """2,000 statements with one text: 2,000 · 1,999 / 2 pairs."""
    found = expand_hits(NO_HITS, members([7] * 2000))
    assert (len(found), found["similarity"].unique().to_list()) == (1_999_000, [1.0])

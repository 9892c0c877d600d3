"""What people are asked next: improbable pairs first, the same order for all, resumed where one stopped."""

from hypothesis import given
from hypothesis import strategies as st

from review_support import content, decision, pair
from situatedgen.review.criteria import FILTER, QUALITY
from situatedgen.review.queue import disputes, order_pairs, sample_pairs
from situatedgen.vocabulary import Mode

NAMES = st.lists(st.sampled_from([f"City {number}" for number in range(30)]), unique=True, min_size=1)
PROBABILITIES = {f"City {number}": (None, 0.25, 0.5, 1.0)[number % 4] for number in range(30)}


@given(NAMES, st.randoms(), st.integers(0, 5))
def test_the_improbable_come_first_whatever_the_order_of_the_file(names, chance, seed):
    pairs = [pair(name, probability=PROBABILITIES[name]) for name in names]
    queue = order_pairs(pairs, seed=seed)
    chance.shuffle(pairs)
    assert order_pairs(pairs, seed=seed) == queue
    assert sorted(queue, key=lambda each: each.key) == sorted(pairs, key=lambda each: each.key)
    found = [1.0 if each.probability is None else each.probability for each in queue]
    assert found == sorted(found)


@given(NAMES, st.data())
def test_a_pair_more_or_less_moves_no_other(names, data):
    queue = order_pairs([pair(name) for name in names], seed=1)
    gone = data.draw(st.sampled_from(queue))
    assert order_pairs([each for each in queue if each != gone], seed=1) == [each for each in queue if each != gone]


def test_equals_are_shuffled_and_the_seed_decides():
    pairs = [pair(f"City {number}") for number in range(20)]
    one, two = order_pairs(pairs, seed=1), order_pairs(pairs, seed=2)
    assert one != two
    assert one != pairs


def test_the_same_sentences_under_two_ids_are_asked_once():
    twins = [pair("Rome", example_id="b|c"), pair("Rome", example_id="a|d")]
    assert [each.example_id for each in order_pairs(twins, seed=1)] == ["a|d"]


@given(NAMES, st.integers(0, 30))
def test_a_larger_sample_holds_the_smaller_and_the_judge_plays_no_part(names, size):
    plain = [pair(name) for name in names]
    judged = [pair(name, probability=PROBABILITIES[name]) for name in names]
    found = sample_pairs(plain, size, seed=1)
    assert len(found) == min(size, len(names))
    assert sample_pairs(plain, size + 3, seed=1)[: len(found)] == found
    assert [each.key for each in sample_pairs(judged, size, seed=1)] == [each.key for each in found]


def test_where_people_differ_is_disputed_until_it_is_settled():
    made = [
        decision("anna", "Rome"),
        decision("ben", "Rome"),
        decision("anna", "Oslo", "sound"),
        decision("ben", "Oslo", "contrast"),
        decision("anna", "Bern"),
        decision("ben", "Bern", "sound", "dependent"),
        decision("anna", "Graz", mode=Mode.QUALITY),
        decision("ben", "Graz", "antithesis", mode=Mode.QUALITY),
    ]
    first, second = disputes(made, mode=Mode.FILTER)
    assert [(each.pair, each.differing, each.is_about_validity) for each in (first, second)] == [
        (content("Bern").key, ("sound", "dependent"), True),
        (content("Oslo").key, ("sound", "contrast"), False),
    ]
    assert (first.questions, first.decisions) == (FILTER, (made[4], made[5]))
    settled = [*made, decision("dora", "Bern", mode=Mode.ADJUDICATE)]
    assert disputes(settled, mode=Mode.FILTER) == [second]
    assert disputes(settled, mode=Mode.FILTER, is_open=False) == [first, second]
    (quality,) = disputes(settled, mode=Mode.QUALITY)
    assert (quality.questions, quality.pair) == (QUALITY, content("Graz").key)
    quality_settled = [*settled, decision("dora", "Oslo", mode=Mode.ADJUDICATE, settles=Mode.QUALITY)]
    assert disputes(quality_settled, mode=Mode.FILTER) == [second]

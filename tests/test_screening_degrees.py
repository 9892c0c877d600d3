"""No statement stands in more pairs than it may, and none is left out that would fit."""

from collections import Counter
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from situatedgen import testing
from situatedgen.params import ScreeningParams
from situatedgen.schemas import SCREENING, check
from situatedgen.screening.degrees import within_degree
from situatedgen.stages.screening import screening

NAMES = "abcdefgh"
EDGES = st.lists(
    st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda edge: edge[0] < edge[1]), unique=True
)


@given(EDGES, st.integers(1, 5))
def test_no_statement_is_above_the_cap_and_no_pair_is_missing_that_would_fit(
    edges: list[tuple[str, str]], most: int
) -> None:
    kept = within_degree(edges, most)
    degrees = Counter(name for edge, fits in zip(edges, kept, strict=True) if fits for name in edge)
    assert max(degrees.values(), default=0) <= most
    for edge, fits in zip(edges, kept, strict=True):
        assert fits or most in (degrees[edge[0]], degrees[edge[1]])


@given(EDGES, st.integers(1, 5))
def test_the_best_pairs_are_kept_whatever_follows(edges: list[tuple[str, str]], most: int) -> None:
    whole = within_degree(edges, most)
    assert [within_degree(edges[: size + 1], most)[size] for size in range(len(edges))] == whole


TEXTS = (("a", "Rome is in Italy."), ("b", "Oslo is in Norway."), ("c", "Lima is in Peru."), ("d", "They are in Chad."))
SIMILAR = {"ab": 0.8, "ac": 0.95, "ad": 0.99, "bc": 0.9}


def screened(texts: Sequence[tuple[str, str]] = TEXTS, **values: object) -> dict[str, str]:
    """The verdict of each pair; the statement `d` points at something that is not there."""
    statements = testing.statements(*texts)
    words = testing.parses(*((name, text.rstrip(".").split()) for name, text in texts))
    named = testing.keywords(statements, *((name, text.split()[0], None) for name, text in texts))
    pairs = testing.pairs(*map(tuple, SIMILAR)).with_columns(similarity=testing.similarities(SIMILAR.values()))
    found = screening(statements, named, words, pairs, params=ScreeningParams(**values))
    check(found, SCREENING, name="screening")
    return {left + right: verdict for left, right, verdict in found.select("left_id", "right_id", "verdict").rows()}


def test_of_a_hub_the_least_doubtful_pairs_stay_then_the_most_alike() -> None:
    assert screened(max_degree=1) == {"ab": "too_frequent", "ac": "kept", "ad": "too_frequent", "bc": "too_frequent"}
    assert screened(max_degree=2) == {"ab": "kept", "ac": "kept", "ad": "too_frequent", "bc": "kept"}


def test_statements_of_the_same_words_are_one_sentence() -> None:
    edges = [("oslo", "lima"), ("lima", "oslo"), ("oslo", "rome"), ("rome", "oslo")]
    assert within_degree(edges, 5) == [True, False, True, False]
    twins = [*TEXTS[:2], ("c", "oslo is in Norway"), ("d", "Lima is in Peru.")]
    for most in (2, 5):
        assert screened(twins, max_degree=most) == {"ab": "too_frequent", "ac": "kept", "ad": "kept", "bc": "kept"}


def test_without_a_cap_all_stay() -> None:
    assert screened() == dict.fromkeys(SIMILAR, "kept")


def test_what_must_be_passed_is_the_verdict_and_takes_no_place() -> None:
    dropped = {"ab": "too_frequent", "ac": "kept", "ad": "dangling", "bc": "too_frequent"}
    assert screened(drop=("dangling",), max_degree=1) == dropped

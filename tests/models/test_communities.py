"""Communities: detectors agree with the planted truth, labels are canonical, chance is ours alone."""

import random

import igraph
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from situatedgen.errors import ModelError
from situatedgen.models.community_detectors import IgraphLeiden, Leiden, Louvain
from situatedgen.params import CommunityParams, ModelParams
from situatedgen.rules.splits import canonical_labels
from situatedgen.runtime import Runtime
from situatedgen.schemas import COMMUNITIES, PAIRS, check
from situatedgen.stages.communities import communities

DETECTORS = {"louvain": Louvain, "leiden": Leiden, "igraph-leiden": IgraphLeiden}
every_detector = pytest.mark.parametrize(
    "detector", [kind(ModelParams(name=name), Runtime()) for name, kind in DETECTORS.items()], ids=list(DETECTORS)
)


def clique(*nodes):
    return [(left, right) for left in nodes for right in nodes if left < right]


def pairs_of(edges, *, verdict="kept"):
    return PAIRS.frame([(f"{left}|{right}", left, right, 0.9, "GEO", verdict) for left, right in edges])


# Three cliques of four, three and three nodes, joined by one edge each.
EDGES = [*clique(*"aceg"), *clique(*"bdf"), *clique(*"hij"), ("a", "b"), ("d", "h")]


@every_detector
def test_cliques_are_communities_and_the_largest_is_number_zero(detector):
    """The clique of four is 0; of the two of three, `bdf` holds the smaller id and is 1."""
    table = check(
        communities(pairs_of(EDGES), params=CommunityParams(), detector=detector),
        COMMUNITIES,
        name="communities",
    )
    assert dict(table.iter_rows()) == dict.fromkeys("aceg", 0) | dict.fromkeys("bdf", 1) | dict.fromkeys("hij", 2)


@every_detector
@given(order=st.permutations(range(len(EDGES))), seed=st.integers(0, 2**40))
def test_row_order_does_not_matter(detector, order, seed):
    params = CommunityParams(seed=seed)
    table = pairs_of(EDGES)
    assert_frame_equal(
        communities(table[order], params=params, detector=detector),
        communities(table, params=params, detector=detector),
    )


@every_detector
def test_rejected_pairs_are_no_edges(detector):
    table = pl.concat([pairs_of([("a", "b")]), pairs_of([("b", "c")], verdict="too_dissimilar")])
    found = communities(table, params=CommunityParams(), detector=detector)
    assert found.rows() == [("a", 0), ("b", 0)]


@every_detector
def test_no_pairs_no_communities(detector):
    assert_frame_equal(communities(PAIRS.empty, params=CommunityParams(), detector=detector), COMMUNITIES.empty)


def random_edges(count):
    chance = random.Random(1)
    return sorted({tuple(sorted(chance.sample(range(60), 2))) for _ in range(count)})


@every_detector
def test_same_seed_same_labels_and_the_callers_chance_is_untouched(detector):
    edges = random_edges(200)
    random.seed(1)
    first, after_first = detector.detect(60, edges, seed=5), random.random()
    random.seed(1)
    expected = random.random()
    random.seed(2)
    assert (detector.detect(60, edges, seed=5), after_first) == (first, expected)


@every_detector
def test_the_seed_is_used(detector):
    """A random graph has many near-equal partitions, so ten seeds do not all find the same one."""
    edges = random_edges(200)
    assert len({tuple(canonical_labels(detector.detect(60, edges, seed=seed))) for seed in range(10)}) > 1


def test_igraph_draws_from_its_usual_generator_afterwards():
    Louvain(ModelParams(name="louvain"), Runtime()).detect(3, [(0, 1), (1, 2)], seed=0)
    random.seed(3)
    first = igraph.Graph.Erdos_Renyi(30, m=60).get_edgelist()
    random.seed(3)
    assert igraph.Graph.Erdos_Renyi(30, m=60).get_edgelist() == first


class ForgetfulDetector:
    def detect(self, node_count, edges, *, seed):
        return [0] * (node_count - 1)


def test_a_detector_that_forgets_a_statement_is_refused():
    with pytest.raises(ModelError, match="labelled 1 statements, expected 2"):
        communities(pairs_of([("a", "b")]), params=CommunityParams(), detector=ForgetfulDetector())


@given(labels=st.lists(st.integers(0, 6), max_size=20), names=st.permutations(range(7)))
def test_labels_do_not_depend_on_how_the_detector_numbered(labels, names):
    assert canonical_labels([names[label] for label in labels]) == canonical_labels(labels)


@given(labels=st.lists(st.integers(0, 6), max_size=20))
def test_labels_are_a_numbering_of_the_same_groups_largest_first(labels):
    found = canonical_labels(labels)
    assert len(set(zip(labels, found, strict=True))) == len(set(labels)) == len(set(found))
    sizes = [found.count(label) for label in range(len(set(found)))]
    assert sizes == sorted(sizes, reverse=True)

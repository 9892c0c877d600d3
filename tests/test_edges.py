"""Edges held as one array are a sequence of pairs like any other, and an array without a copy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.models import community_detectors as edges_module
from situatedgen.models.community_detectors import Edges, ends_of

PAIRS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=12)


@given(pairs=PAIRS, first=st.integers(-3, 14), last=st.integers(-3, 14))
def test_edges_are_read_as_a_list_of_pairs_is(pairs, first, last):
    edges = Edges(ends_of(pairs))
    assert (list(edges), len(edges), list(edges[first:last])) == (pairs, len(pairs), pairs[first:last])
    assert [edges[place] for place in range(len(edges))] == pairs
    assert all(type(end) is int for edge in edges for end in edge)


def test_edges_are_read_in_parts(monkeypatch):
    monkeypatch.setattr(edges_module, "CHUNK", 2)
    pairs = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4)]
    assert list(Edges(ends_of(pairs))) == pairs


def test_their_array_is_no_copy():
    ends = np.array([[0, 1], [1, 2]], dtype=np.int64)
    assert np.shares_memory(ends_of(Edges(ends)), ends)


def test_there_is_no_edge_beyond_the_last():
    with pytest.raises(IndexError):
        Edges(ends_of([(0, 1)]))[1]

"""Concepts in a graph of knowledge."""

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cli_support import run
from situatedgen.commongen.knowledge import (
    CATEGORIES,
    Hop,
    Knowledge,
    category_rows,
    connectivity,
    linked_rows,
    of_splits,
    plain,
    read_knowledge,
    word_sets,
)
from situatedgen.errors import RecordError

FACTS = "AtLocation\tdog\tpark\nIsA\tdog\tanimal\nIsA\tcat\tanimal\nDesires\tcat\tFish\t1.0\nUsedFor\tpark\tdog\n"
NAMES = "abcdef"
EDGES = st.sets(
    st.tuples(st.sampled_from(["IsA", "UsedFor"]), st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=12
)


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    path = tmp_path / "graph.tsv"
    path.write_text(FACTS, "utf-8")
    return path


def paths(edges: set[tuple[str, str, str]], left: str, right: str) -> list[tuple[str, str]]:
    """The relations of all paths of two edges between two words, tried one by one."""
    both = {(relation, *ends) for relation, a, b in edges if a != b for ends in ((a, b), (b, a))}
    return sorted(
        (first, second)
        for first, start, middle in both
        for second, other, end in both
        if (start, end) == (left, right) and middle == other and middle not in (left, right)
    )


@given(EDGES, st.frozensets(st.sampled_from(NAMES), min_size=2))
def test_links_are_those_found_by_trying(
    tmp_path_factory: pytest.TempPathFactory, edges: set, words: frozenset
) -> None:
    path = tmp_path_factory.mktemp("graph") / "graph.tsv"
    path.write_text("".join(f"{relation}\t{head}\t{tail}\n" for relation, head, tail in sorted(edges)), "utf-8")
    known = read_knowledge(path)
    for left, right in combinations(sorted(words), 2):
        direct = sorted({(relation,) for relation, *ends in edges if set(ends) == {left, right}})
        assert known.one_hop(left, right) == known.one_hop(right, left) == direct
        assert sorted(known.two_hops(left, right)) == paths(edges, left, right)
        assert sorted(known.two_hops(right, left)) == sorted(each[::-1] for each in paths(edges, left, right))


def test_a_set_is_counted_by_its_linked_pairs(graph: Path) -> None:
    """Of dog, cat, park: dog and park are linked; cat and dog are by way of animal; cat and park by nothing."""
    found = connectivity([frozenset({"dog", "cat", "park"}), frozenset({"dog", "moon"})], read_knowledge(graph))
    assert (found.sets, found.words, found.known_words) == (2, 4, 3)
    categories = {"object properties": 1, "spatial knowledge": 1}
    assert found.one_hop == Hop({0: 1, 1: 1}, 4, 1, 2, {"AtLocation": 1, "UsedFor": 1}, categories)
    assert found.two_hops == Hop({0: 1, 1: 1}, 4, 1, 1, {"IsA": 2}, {"general": 2})


def test_tables_stand_beside_what_was_published() -> None:
    known = Knowledge({("a", "b"): frozenset({"IsA", "Odd"})}, {"a": frozenset("b"), "b": frozenset("a")})
    found = connectivity([frozenset("ab"), frozenset("ac")], known)
    assert linked_rows(found, "sets").rows == (("0", "50.0", "100.0"), ("1", "50.0", "0.0"))
    rows = {row[0]: row[1:] for row in category_rows(found, "sets").rows}
    assert rows["general"] == ("50.00", "74.89", "0.00", "69.65")
    assert rows["other"] == ("50.00", "–", "0.00", "–")


def test_keywords_of_a_dataset_are_asked_the_same(tiny: Any, graph: Path) -> None:
    sets = word_sets(tiny.out)
    assert sets["test"]
    assert of_splits(sets, ["test"], 99) == []
    command = ("commongen", "connect", tiny.out, "--graph", graph, "--size", 0)
    assert json.loads(run(*command, "--json"))["test"]["sets"] == len(sets["test"])
    assert "words are in the graph" in run(*command)


def test_keywords_lose_their_article() -> None:
    assert [plain(word) for word in ("The Sahara", "an oak", "Another day")] == ["sahara", "oak", "another day"]


def test_a_line_that_is_no_fact_is_named(tmp_path: Path) -> None:
    (tmp_path / "graph.tsv").write_text("IsA\tdog\tanimal\nIsA dog\n", "utf-8")
    with pytest.raises(RecordError, match=r"graph\.tsv, line 2: expected relation, head and tail"):
        read_knowledge(tmp_path / "graph.tsv")


def test_every_relation_has_one_category() -> None:
    named = [relation for relations in CATEGORIES.values() for relation in relations]
    assert len(named) == len(set(named))

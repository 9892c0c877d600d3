"""Communities of a graph like the paper's: ours against igraph, leidenalg, networkx and the authors' package.

Run: python benchmarks/communities.py [--peer-python PYTHON] [--limit SECONDS]

The authors' package `communities` is asked in a process of its own, which is ended at the time limit; PYTHON
is an interpreter that has it installed. Exits with 1 when a ratio or modularity is missed, with 2 when one could
not be shown: the package is not there, or was ended too soon for the bound to say anything.
"""

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import igraph
import networkx

from situatedgen.models.community_detectors import Leiden, Louvain
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

Edges = Sequence[tuple[int, int]]
NODES, EDGES, PLANTED, MIXING = 1_600, 12_700, 80, 0.26
SMALL = 8
RUNS = 5
# The authors' package slows down faster than the graph grows, so an eighth of it shows less.
REACH, SMALL_REACH = 1_000, 100
NOT_INSTALLED = 3
# Reads a graph, answers with the seconds of the bare call and the communities.
PEER = """
import json, sys, time
try:
    import numpy
    from communities.algorithms import louvain_method
except ImportError:
    sys.exit(3)
nodes, edges = json.load(sys.stdin)
matrix = numpy.zeros((nodes, nodes))
for left, right in edges:
    matrix[left, right] = matrix[right, left] = 1
began = time.perf_counter()
found, _ = louvain_method(matrix)
print(json.dumps([time.perf_counter() - began, [sorted(int(node) for node in each) for each in found]]))
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """How long a detector took, and how good its communities are; no modularity when it gave none."""

    name: str
    seconds: float
    modularity: float | None
    communities: int
    note: str = ""


def planted(nodes: int, edges: int, groups: int, *, seed: int) -> list[tuple[int, int]]:
    """A seeded graph of groups of very unequal size, of whose edges about a quarter leave their group."""
    chance = random.Random(seed)
    weights = [1 / (group + 1) for group in range(groups)]
    membership = chance.choices(range(groups), weights, k=nodes)
    members = [[node for node in range(nodes) if membership[node] == group] for group in range(groups)]
    found: set[tuple[int, int]] = set()
    while len(found) < edges:
        left = chance.randrange(nodes)
        outside = chance.random() < MIXING
        right = chance.randrange(nodes) if outside else chance.choice(members[membership[left]])
        if left != right:
            found.add((min(left, right), max(left, right)))
    return sorted(found)


def ours(name: str, detect: Callable[[int], list[int]], nodes: int, edges: Edges) -> Answer:
    """The median time of several seeds and their median modularity."""
    graph = igraph.Graph(nodes, edges)
    seconds, modularities, labels = [], [], []
    for seed in range(RUNS):
        began = time.perf_counter()
        labels = detect(seed)
        seconds.append(time.perf_counter() - began)
        modularities.append(graph.modularity(labels))
    return Answer(name, median(seconds), median(modularities), len(set(labels)))


def peer(python: str, nodes: int, edges: Edges, limit: float) -> Answer:
    """The authors' package, or why there is no answer of it."""
    name = "communities (the authors')"
    command = [python, "-c", PEER]
    try:
        done = subprocess.run(
            command,
            input=json.dumps([nodes, list(edges)]),
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Answer(name, limit, None, 0, f"no answer in {limit:.0f} s")
    if done.returncode == NOT_INSTALLED:
        return Answer(name, 0.0, None, 0, "not installed")
    seconds, found = json.loads(done.stdout)
    labels = {node: label for label, group in enumerate(found) for node in group}
    membership = [labels[node] for node in range(nodes)]
    return Answer(name, seconds, igraph.Graph(nodes, edges).modularity(membership), len(found))


def by_networkx(nodes: int, edges: Edges, seed: int) -> list[int]:
    """The labels that networkx's Louvain gives."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges)
    labels = [0] * nodes
    for label, group in enumerate(networkx.community.louvain_communities(graph, seed=seed)):
        for node in group:
            labels[node] = label
    return labels


def compared(nodes: int, edges: Edges, python: str, limit: float) -> list[Answer]:
    """Every detector on one graph, the authors' package last."""
    louvain, leiden = (kind(ModelParams(name="benchmark"), Runtime()) for kind in (Louvain, Leiden))
    graph = igraph.Graph(nodes, edges)
    return [
        ours("ours: louvain (igraph)", lambda seed: louvain.detect(nodes, edges, seed=seed), nodes, edges),
        ours("ours: leiden (leidenalg)", lambda seed: leiden.detect(nodes, edges, seed=seed), nodes, edges),
        ours(
            "igraph community_leiden",
            lambda _: list(graph.community_leiden(objective_function="modularity", n_iterations=-1).membership),
            nodes,
            edges,
        ),
        ours("networkx louvain", lambda seed: by_networkx(nodes, edges, seed), nodes, edges),
        peer(python, nodes, edges, limit),
    ]


def shown(title: str, answers: Sequence[Answer]) -> None:
    """Print each answer with how many times faster than the authors' package it is."""
    slowest = answers[-1]
    print(f"\n{title}\n{'':28}{'seconds':>10}{'modularity':>12}{'groups':>8}  faster than the authors'")
    for answer in answers:
        quality = "–" if answer.modularity is None else f"{answer.modularity:.4f}"
        bound = "≥ " if slowest.modularity is None else ""
        ratio = f"{bound}{slowest.seconds / answer.seconds:,.0f} ×" if slowest.seconds else "unknown"
        last = answer.note if answer is slowest else ratio
        print(f"{answer.name:28}{answer.seconds:>10.4f}{quality:>12}{answer.communities:>8}  {last}")


def verdicts(answers: Sequence[Answer], *, reach: float) -> list[tuple[str, str]]:
    """For each detector of ours: `reached`, `missed` or `not shown`, and why.

    A peer that was ended at the limit gives a lower bound: a bound below the reach shows nothing either way.
    """
    *rest, slowest = answers
    return [_verdict(answer, slowest, reach) for answer in rest if answer.name.startswith("ours")]


def _verdict(answer: Answer, slowest: Answer, reach: float) -> tuple[str, str]:
    if not slowest.seconds:
        return "not shown", f"{answer.name}: the authors' package is {slowest.note}"
    ratio = slowest.seconds / answer.seconds
    if slowest.modularity is None:
        bound = f"{answer.name}: ≥ {ratio:,.0f} × of {reach:,.0f} ×, no modularity to compare with"
        return ("reached" if ratio >= reach else "not shown"), bound
    better = answer.modularity is not None and round(answer.modularity - slowest.modularity, 6) >= 0
    measured = f"{answer.name}: {ratio:,.0f} × of {reach:,.0f} ×, modularity {'not ' * better}lower"
    return ("reached" if ratio >= reach and better else "missed"), measured


def main() -> int:
    """Compare on an eighth of the graph, where the authors' package finishes, and on all of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-python", default=sys.executable)
    parser.add_argument("--limit", type=float, default=60.0)
    asked = parser.parse_args()
    small = planted(NODES // SMALL, EDGES // SMALL, PLANTED // SMALL, seed=1)
    whole = planted(NODES, EDGES, PLANTED, seed=1)
    eighth = compared(NODES // SMALL, small, asked.peer_python, asked.limit)
    shown(f"{NODES // SMALL:,} nodes, {len(small):,} edges", eighth)
    full = compared(NODES, whole, asked.peer_python, asked.limit)
    shown(f"{NODES:,} nodes, {len(whole):,} edges", full)
    found = [*verdicts(eighth, reach=SMALL_REACH), *verdicts(full, reach=REACH)]
    print("", *(f"{verdict}: {why}" for verdict, why in found), sep="\n")
    kinds = {verdict for verdict, _ in found}
    return 1 if "missed" in kinds else 2 if "not shown" in kinds else 0


if __name__ == "__main__":
    sys.exit(main())

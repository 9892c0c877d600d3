"""What an evaluation found as tables of words, for the terminal, the page and Prefect alike."""

from collections.abc import Iterator, Mapping

from situatedgen.dataset.tables import Rows
from situatedgen.evaluation.published import quoted
from situatedgen.evaluation.results import Evaluation, PairedTest, SystemScores

NONE = "–"
USUAL = "MATCH"
"""The metric that says which system is the best, where it was asked for."""
QUOTED = "quoted"
KINDS = {"context": "by context type", "source": "by source", "keywords": "by number of keywords"}


def score_rows(evaluation: Evaluation) -> Rows:
    """A row a system, then the paper's rows, marked as quoted."""
    header = ("system", "examples", *evaluation.metrics)
    ours = [(system.system, f"{system.examples:,}", *_scored(system, evaluation)) for system in evaluation.systems]
    return Rows("Scores, with 95 % intervals", header, (*ours, *quoted_rows(evaluation.metrics)), words=frozenset({0}))


def quoted_rows(metrics: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The paper's rows for some metrics, each marked as quoted."""
    return tuple(
        (f"{row.system} ({row.note})", QUOTED, *(_number(row.values.get(metric)) for metric in metrics))
        for row in quoted()
    )


def group_rows(evaluation: Evaluation, system: SystemScores, by: str) -> Rows:
    """For one system, a row for each group of its examples."""
    rows = tuple(
        (group.group, f"{group.examples:,}", *(_number(group.values.get(metric)) for metric in evaluation.metrics))
        for group in system.groups
        if group.by == by
    )
    return Rows(f"{system.system}, {KINDS[by]}", (by, "examples", *evaluation.metrics), rows, words=frozenset({0}))


def difference_rows(evaluation: Evaluation) -> Rows:
    """A row for each two systems and metric: how they differ, and the p-value of that."""
    rows = tuple(
        (test.left, test.right, test.metric, f"{test.examples:,}", f"{test.difference:+.2f}", f"{test.p_value:.4f}")
        for test in evaluation.tests
    )
    header = ("system", "against", "metric", "examples", "difference", "p")
    return Rows("Differences, by approximate randomisation", header, rows, words=frozenset({0, 1, 2}))


def best_rows(evaluation: Evaluation) -> Rows:
    """A row for each system but the best: how it differs from that one by each metric, with the p-value."""
    by = USUAL if USUAL in evaluation.metrics else evaluation.metrics[0]
    best = max(evaluation.systems, key=lambda system: system.values.get(by, float("-inf"))).system
    found = {(test.left, test.right, test.metric): test for test in evaluation.tests}
    rows = tuple(
        (system.system, *(_against(found, system.system, best, metric) for metric in evaluation.metrics))
        for system in evaluation.systems
        if system.system != best
    )
    return Rows(f"Differences from {best}, best by {by} (p-values)", ("system", *evaluation.metrics), rows)


def _against(found: Mapping[tuple[str, str, str], PairedTest], system: str, best: str, metric: str) -> str:
    """How a system differs from the best by a metric, whichever of them was tested against the other."""
    if test := found.get((system, best, metric)):
        return f"{test.difference:+.1f} ({test.p_value:.3f})"
    if test := found.get((best, system, metric)):
        return f"{0 - test.difference:+.1f} ({test.p_value:.3f})"
    return NONE


def signatures(evaluation: Evaluation) -> tuple[str, ...]:
    """The signature of every score, each once."""
    return tuple(dict.fromkeys(score.signature for system in evaluation.systems for score in system.scores))


def absences(evaluation: Evaluation) -> dict[str, str]:
    """The metrics that could not run, each with its reason."""
    return {each.metric: each.reason for system in evaluation.systems for each in system.absent}


def _scored(system: SystemScores, evaluation: Evaluation) -> Iterator[str]:
    found = {score.metric: score for score in system.scores}
    for metric in evaluation.metrics:
        score = found.get(metric)
        yield f"{score.value:.1f} [{score.low:.1f}, {score.high:.1f}]" if score else NONE


def _number(value: float | None) -> str:
    return NONE if value is None else f"{value:.1f}"

"""The decisions that stand, as the table that a build takes in."""

from collections.abc import Sequence

import polars as pl

from situatedgen.review.decisions import Decision, plain
from situatedgen.schemas import DECISIONS


def decision_table(decisions: Sequence[Decision]) -> pl.DataFrame:
    """A row a decision that stands; notes and times taken decide nothing, and are no part of it.

    `number` counts the decisions of one person in the order of their writing.
    """
    written: dict[str, int] = {}
    rows = []
    for decision in decisions:
        number = written[decision.annotator] = written.get(decision.annotator, 0) + 1
        first, second = sorted(plain(text) for text in decision.content.statements)
        asked = decision.questions.mode.value
        told = (decision.pair, decision.annotator, decision.mode.value, asked)
        rows.append((*told, first, second, decision.content.context, list(decision.faults), number, decision.at))
    return DECISIONS.frame(rows)

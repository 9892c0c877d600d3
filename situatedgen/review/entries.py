"""The lines of the log: decisions about pairs, ballots about several texts, and their being taken back."""

from typing import TypeAlias

from situatedgen.review.ballots.ballots import Ballot, check_ballot
from situatedgen.review.decisions import Decision, Undo, check_decision, check_origin

Judged: TypeAlias = Decision | Ballot
"""What somebody said of something."""
Entry: TypeAlias = Decision | Ballot | Undo
"""A line of the log."""


def check_entry(entry: Entry) -> None:
    """Refuse what must not come into the log.

    Raises:
        DecisionError: an answer, a name, a time or a text cannot be taken.
    """
    if isinstance(entry, Ballot):
        check_origin(entry.annotator, entry.decision_id, entry.at)
        check_ballot(entry)
    else:
        check_decision(entry)

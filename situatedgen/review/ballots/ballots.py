"""A ballot: what one person said of several texts, known by their content and not by where they come from."""

import hashlib
import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from situatedgen.errors import DecisionError
from situatedgen.review.ballots.rankings import check_comparison, check_ranking
from situatedgen.review.ballots.tasks import Task
from situatedgen.review.decisions import LONGEST_NOTE, LONGEST_TEXT, plain

FEWEST, MOST = 2, 12
CHECKS = {Task.RANK: check_ranking, Task.PREFER: check_comparison}


@dataclass(frozen=True, slots=True)
class Candidates:
    """What is judged: texts for the same context or keywords, in the order of the alphabet.

    Which text is right, or whose it is, is no part of it: whoever judges does not know.
    """

    context: str
    keywords: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        """The digest that ballots are known by, whatever the order of texts and keywords."""
        return _key(self.context, self.keywords, self.texts)


@lru_cache(maxsize=1 << 16)
def _key(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> str:
    """The key of candidates, which is asked for again and again while people judge."""
    told = [plain(context), sorted(map(plain, keywords)), sorted(map(plain, texts))]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Ballot:
    """What one person said of some candidates: a line of the log.

    `order` are the numbers of the texts, from 1, as they were shown. Answers name texts by these numbers, never by
    where they stood. A later ballot of the same person about the same candidates takes this one's place.
    """

    decision_id: str
    annotator: str
    task: Task
    content: Candidates
    order: tuple[int, ...]
    answers: Mapping[str, str]
    at: str
    note: str = ""
    seconds: float = 0.0

    @property
    def pair(self) -> str:
        """The key of the candidates that it is about."""
        return self.content.key


def candidates(context: str, keywords: tuple[str, ...], texts: tuple[str, ...]) -> Candidates:
    """Candidates as they are known, in whatever order their texts come."""
    return Candidates(context, keywords, tuple(sorted(texts, key=plain)))


def check_ballot(ballot: Ballot) -> None:
    """Refuse what must not come into the log.

    Raises:
        DecisionError: the texts, their order, an answer, the note or the time taken cannot be.
    """
    _check_content(ballot.content)
    numbers = range(1, len(ballot.content.texts) + 1)
    _check(sorted(ballot.order) == list(numbers), f"{list(ballot.order)} is not an order of {len(numbers)} texts")
    CHECKS[ballot.task](ballot.answers, len(numbers))
    _check(len(ballot.note) <= LONGEST_NOTE, f"a note has at most {LONGEST_NOTE:,} characters")
    _check(math.isfinite(ballot.seconds) and ballot.seconds >= 0, f"{ballot.seconds} is not a number of seconds")


def _check_content(content: Candidates) -> None:
    texts = [plain(text) for text in content.texts]
    _check(FEWEST <= len(texts) <= MOST, f"{FEWEST} to {MOST} texts can be judged at once, not {len(texts)}")
    _check(all(texts), "a text is empty")
    _check(len(set(texts)) == len(texts), "two of the texts say the same")
    _check(texts == sorted(texts), "the texts are not in the order of the alphabet")
    longest = max(map(len, (content.context, *content.keywords, *content.texts)))
    _check(longest <= LONGEST_TEXT, f"a text has at most {LONGEST_TEXT:,} characters")


def _check(holds: object, message: str) -> None:
    if not holds:
        raise DecisionError(message)

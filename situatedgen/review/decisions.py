"""A decision, i.e. one annotator's answers about one pair, keyed by the pair's content; and its undo."""

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from situatedgen.errors import DecisionError
from situatedgen.review.criteria import Questionnaire, questionnaire
from situatedgen.vocabulary import Context, Mode

NAME = re.compile(r"\w[\w.\-]{0,63}")
TOKEN = re.compile(r"[\w\-]{8,64}", re.ASCII)
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
LONGEST_NOTE = 2_000
LONGEST_TEXT = 10_000


@dataclass(frozen=True, slots=True)
class Content:
    """The judged content, independent of ids and builds: two sentences and their shared context."""

    statements: tuple[str, str]
    context: str

    @property
    def key(self) -> str:
        """Digest that decisions refer to, the same for either order of the sentences.

        Unicode form and spacing are normalised; case and punctuation count, because annotators judge them too.
        """
        return _key(self.statements, self.context)


@lru_cache(maxsize=1 << 16)
def _key(statements: tuple[str, str], context: str) -> str:
    """Compute the key of a pair; cached because annotation requests it repeatedly."""
    fields = [*sorted(plain(text) for text in statements), context]
    return hashlib.sha256(json.dumps(fields, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]


def plain(text: str) -> str:
    """Normalise Unicode form and whitespace, as done for keys.

    Example:
        >>> plain("  July is  summer. ")
        'July is summer.'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Decision:
    """One annotator's answers about one pair: a line of the log.

    The client chooses `decision_id`, so that a repeated request is written only once. A later decision by the same
    annotator on the same pair in the same mode replaces this one.
    """

    decision_id: str
    annotator: str
    mode: Mode
    content: Content
    answers: Mapping[str, str]
    at: str
    note: str = ""
    seconds: float = 0.0

    @property
    def pair(self) -> str:
        """The key of the pair."""
        return self.content.key

    @property
    def questions(self) -> Questionnaire:
        """The questionnaire that was answered."""
        return questionnaire(self.mode, self.answers)

    @property
    def faults(self) -> tuple[str, ...]:
        """Names of the criteria that the pair fails."""
        return self.questions.faults(self.answers)

    @property
    def is_valid(self) -> bool:
        """Whether this annotator would keep the pair."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Undo:
    """Withdraws a decision of the same annotator; appended as a new line, because the log is append-only."""

    decision_id: str
    annotator: str
    takes_back: str
    at: str


def check_origin(annotator: str, decision_id: str, at: str) -> None:
    """Raise if a log line has an invalid annotator, id or timestamp.

    Raises:
        DecisionError: the name, the id or the time is invalid.
    """
    check_annotator(annotator)
    _check(TOKEN.fullmatch(decision_id), f"{decision_id!r} is not a valid decision id")
    _check(TIME.fullmatch(at), f"{at!r} is not a time such as 2024-05-01T09:30:00Z")


def check_decision(entry: Decision | Undo) -> None:
    """Raise if an entry must not enter the log.

    Raises:
        DecisionError: an answer, a name, a time or a text is invalid.
    """
    check_origin(entry.annotator, entry.decision_id, entry.at)
    if isinstance(entry, Undo):
        _check(TOKEN.fullmatch(entry.takes_back), f"{entry.takes_back!r} is not a valid decision id")
        return
    entry.questions.check(entry.answers)
    _check_content(entry.content)
    _check(len(entry.note) <= LONGEST_NOTE, f"a note has at most {LONGEST_NOTE:,} characters")
    _check(math.isfinite(entry.seconds) and entry.seconds >= 0, f"{entry.seconds} is not a number of seconds")


def check_annotator(name: str) -> None:
    """Raise if a name cannot serve as a file name.

    Raises:
        DecisionError: the name is invalid.
    """
    is_plain = NAME.fullmatch(name) and unicodedata.normalize("NFC", name) == name
    _check(
        is_plain,
        f"{name!r} is not a valid name: use letters, digits, '_', '.' and '-', and begin with none of the last two",
    )


def _check_content(content: Content) -> None:
    _check(content.context in set(Context), f"{content.context!r} is not a context; known: {', '.join(Context)}")
    for text in content.statements:
        _check(plain(text), "a sentence is empty")
        _check(len(text) <= LONGEST_TEXT, f"a sentence has at most {LONGEST_TEXT:,} characters")


def _check(holds: object, message: str) -> None:
    if not holds:
        raise DecisionError(message)

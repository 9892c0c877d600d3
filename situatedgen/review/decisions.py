"""A decision: what one person answered about one pair, known by the pair's content; and its being taken back."""

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
    """What is judged: two sentences and the context they share. Ids and builds are no part of it."""

    statements: tuple[str, str]
    context: str

    @property
    def key(self) -> str:
        """The digest that decisions are known by: the same for either order of the sentences.

        Unicode forms and spacing make no difference; case and punctuation do, for people judge them too.
        """
        return _key(self.statements, self.context)


@lru_cache(maxsize=1 << 16)
def _key(statements: tuple[str, str], context: str) -> str:
    """The key of a pair, which is asked for again and again while people judge."""
    told = [*sorted(plain(text) for text in statements), context]
    return hashlib.sha256(json.dumps(told, ensure_ascii=False).encode("utf-8")).hexdigest()[:32]


def plain(text: str) -> str:
    """A sentence as it enters the key of a pair.

    Example:
        >>> plain("  July is  summer. ")
        'July is summer.'
    """
    return " ".join(unicodedata.normalize("NFC", text).split())


@dataclass(frozen=True, slots=True)
class Decision:
    """What one person answered about one pair: a line of the log.

    `decision_id` is chosen by whoever asks for it to be written, so that asking twice writes it once. A later
    decision of the same person about the same pair in the same mode takes this one's place.
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
        """The key of the pair that it is about."""
        return self.content.key

    @property
    def questions(self) -> Questionnaire:
        """The questions that it answers."""
        return questionnaire(self.mode, self.answers)

    @property
    def faults(self) -> tuple[str, ...]:
        """The names of the criteria that the pair fails in this person's eyes."""
        return self.questions.faults(self.answers)

    @property
    def is_valid(self) -> bool:
        """Whether this person would keep the pair."""
        return not self.faults


@dataclass(frozen=True, slots=True)
class Undo:
    """A decision taken back by the one who made it: a further line of the log, for nothing there is ever changed."""

    decision_id: str
    annotator: str
    takes_back: str
    at: str


def check_origin(annotator: str, decision_id: str, at: str) -> None:
    """Refuse a line of the log that nobody can have written.

    Raises:
        DecisionError: its name, its id or its time cannot be.
    """
    check_annotator(annotator)
    _check(TOKEN.fullmatch(decision_id), f"{decision_id!r} is not a valid decision id")
    _check(TIME.fullmatch(at), f"{at!r} is not a time such as 2024-05-01T09:30:00Z")


def check_decision(entry: Decision | Undo) -> None:
    """Refuse what must not come into the log.

    Raises:
        DecisionError: an answer, a name, a time or a text cannot be taken.
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
    """Refuse a name that could not be that of a file.

    Raises:
        DecisionError: the name cannot be used.
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

"""Does a statement that was not made by rule still say what the answer says?"""

import re

from situatedgen.records import Question
from situatedgen.rules.clauses.sentences import split_sentences
from situatedgen.vocabulary import ItemKind, Verdict

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|cannot|without)\b|n['’]t\b", re.IGNORECASE
)
_SMALL_WORDS = frozenset({
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "of", "on", "or",
    "that", "the", "their", "them", "they", "this", "to", "was", "were", "with", "you", "your",
})  # fmt: skip
_LONGEST_ENDING = 3


def judge(question: Question, statement: str) -> Verdict:
    """Why a statement of the question is not to be used, or that it is.

    Example:
        >>> judge(Question("Where do people ski?", "on snow", ItemKind.CHOICE), "People ski in winter.")
        <Verdict.LOST_ANSWER: 'lost_answer'>
    """
    if not _is_one_statement(statement):
        return Verdict.NOT_CLEAN
    if question.kind is ItemKind.YES_NO:
        keeps = _is_no(question) == (_negations(statement) > _negations(question.text))
    else:
        keeps = not lost_words(question.answer, statement)
    return Verdict.KEPT if keeps else Verdict.LOST_ANSWER


def lost_words(answer: str, statement: str) -> tuple[str, ...]:
    """The words of the answer, small ones aside, of which the statement has no form."""
    said = _WORD.findall(statement.lower())
    wanted = _WORD.findall(answer.lower())
    content = [word for word in wanted if word not in _SMALL_WORDS] or wanted
    return tuple(word for word in content if not any(_same_stem(word, other) for other in said))


def _same_stem(left: str, right: str) -> bool:
    """Equal but for an ending: `city` and `cities`, `rebel` and `rebelled`."""
    shared = min(len(left), len(right))
    stem = max(shared - _LONGEST_ENDING + 1, 3)
    close = abs(len(left) - len(right)) <= _LONGEST_ENDING
    return left == right or (close and shared >= stem and left[:stem] == right[:stem])


def _is_one_statement(text: str) -> bool:
    return bool(text) and not text.rstrip("\"'”’)").endswith("?") and len(split_sentences(text)) == 1


def _is_no(question: Question) -> bool:
    return question.answer.strip().lower() in {"no", "false"}


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text))

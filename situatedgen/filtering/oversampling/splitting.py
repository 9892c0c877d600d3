"""A sentence as context, noun phrase and ending, by its parse: a subject, and the verb phrase that follows it.

There is no constituency parser at hand, as the SWAG paper had: a verb phrase is what a finite verb governs, with
its helpers, when it stands right after the verb's subject and nothing else follows it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from situatedgen.records import Token

SUBJECTS = frozenset({"nsubj", "nsubjpass"})
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
HELPERS = frozenset({"aux", "auxpass", "neg", "advmod"})
BOUND = frozenset({"WDT", "WP", "WRB", "EX"})
"""Tags of words such as "who" and "there", which are no noun phrase of their own."""
CLAUSES = frozenset({"ROOT", "conj", "advcl"})
"""Roles of verbs whose clause stands for itself: what somebody says or wears is part of that ending."""


class Parts(NamedTuple):
    """The words at which context, noun phrase and ending begin, and the word after the last."""

    context: int
    noun_phrase: int
    ending: int
    end: int


def split(tokens: Sequence[Token]) -> Iterator[Parts]:
    """The last clause of the only sentence, or of each one but the first, by its subject and its verb phrase.

    Its context is the sentence before it, and what stands before the subject in its own.
    """
    bounds = sentences(tokens)
    for number, (start, end) in enumerate(bounds):
        if number == 0 and len(bounds) > 1:
            continue
        for noun_phrase, ending, _ in clauses(tokens, start, end):
            yield Parts(bounds[max(number - 1, 0)][0], noun_phrase, ending, end)
            break


def sentences(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where each sentence begins and ends: words under the same root stand together."""
    roots = [_root(tokens, number) for number in range(len(tokens))]
    starts = [number for number in range(len(tokens)) if number == 0 or roots[number] != roots[number - 1]]
    return list(zip(starts, [*starts[1:], len(tokens)], strict=True))


def clauses(tokens: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Where noun phrase and ending of each clause begin that goes on to the end, and its subject; the last first."""
    for subject in range(end - 1, start - 1, -1):
        if tokens[subject].role in SUBJECTS and tokens[subject].tag not in BOUND and _goes_on(tokens, subject, end):
            phrase = [number for number in range(start, end) if _is_under(tokens, number, subject)]
            after = phrase[-1] + 1
            if len(phrase) == after - phrase[0] and _leads(tokens, after, tokens[subject].head):
                yield phrase[0], after, subject


def _root(tokens: Sequence[Token], number: int) -> int:
    while tokens[number].head != number:
        number = tokens[number].head
    return number


def _goes_on(tokens: Sequence[Token], subject: int, end: int) -> bool:
    """Whether a subject's verb is finite, stands after it, and governs all that follows."""
    verb = tokens[subject].head
    if verb <= subject or tokens[verb].role not in CLAUSES:
        return False
    helpers = [word for word in tokens[subject:verb] if word.head == verb and word.role in HELPERS]
    rest = [number for number in range(verb, end) if tokens[number].part != "PUNCT"]
    return any(word.tag in FINITE for word in (tokens[verb], *helpers)) and all(
        _is_under(tokens, number, verb) for number in rest
    )


def _is_under(tokens: Sequence[Token], number: int, top: int) -> bool:
    while number != top and tokens[number].head != number:
        number = tokens[number].head
    return number == top


def _leads(tokens: Sequence[Token], first: int, verb: int) -> bool:
    """Whether a verb phrase begins at a word: only helpers of its verb stand before that verb."""
    return all(tokens[number].head == verb and tokens[number].role in HELPERS for number in range(first, verb))

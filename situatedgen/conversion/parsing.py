"""Runs conversions as generators that yield the texts they need parsed, so that many share one batch."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from spacy.tokens import Doc

    from situatedgen.records import Conversion

Result = TypeVar("Result")

Parsing: TypeAlias = "Generator[Sequence[str], Sequence[Doc], Result]"
"""A generator that yields texts, is sent their parses, and returns a result."""

Work: TypeAlias = "Generator[Sequence[str], Sequence[Doc], Conversion]"
"""A parsing that returns a conversion."""

Parser: TypeAlias = "Callable[[Sequence[str]], Sequence[Doc]]"


def drive(works: Sequence[Parsing[Result]], parse: Parser) -> list[Result]:
    """The results of the works, in order; each distinct text is parsed once."""
    results: dict[int, Result] = {}
    parses: dict[str, Doc] = {}
    wanted = _step(works, dict.fromkeys(range(len(works))), results)
    while wanted:
        parses |= _parse_new(wanted, parses, parse)
        wanted = _step(works, {index: [parses[t] for t in texts] for index, texts in wanted.items()}, results)
    return [results[index] for index in range(len(works))]


def _step(
    works: Sequence[Parsing[Result]],
    answers: Mapping[int, Sequence[Doc] | None],
    results: dict[int, Result],
) -> dict[int, Sequence[str]]:
    wanted: dict[int, Sequence[str]] = {}
    for index, docs in answers.items():
        try:
            wanted[index] = next(works[index]) if docs is None else works[index].send(docs)
        except StopIteration as stop:
            results[index] = stop.value
    return wanted


def _parse_new(wanted: Mapping[int, Sequence[str]], known: Mapping[str, Doc], parse: Parser) -> dict[str, Doc]:
    texts = [text for texts in wanted.values() for text in texts if text not in known]
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, parse(distinct), strict=True))

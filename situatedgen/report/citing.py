"""`CITATION.cff`: how the dataset, the paper whose method it follows, and its sources are cited."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from situatedgen.report.facts import PAPER, SUMMARY, TAGS, TITLE, Facts

# "Doe, Roe (2020): A title. Where it stands. arXiv:2001.00001", as the built-in sources are cited.
_CITATION = re.compile(r"(?P<authors>[^()]+?) \((?P<year>\d{4})\): (?P<title>[^.?!]+(?:[?!]|$)?)(?:\. ?(?P<rest>.*))?")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
MESSAGE = (
    "If you use this dataset, cite the paper whose method it follows and the sources that its sentences come from."
)


@dataclass(frozen=True, slots=True)
class Work:
    """A work that is cited: its authors' family names, or who it is by; its year, title and where it stands."""

    kind: str
    authors: tuple[str, ...]
    title: str
    year: str = ""
    notes: str = ""
    address: str = ""


def citation(facts: Facts) -> str:
    """The text of the file, in the Citation File Format 1.2."""
    works = [work(PAPER, "conference-paper"), *(work(origin.citation, "data", origin.source) for origin in facts.used)]
    lines = [
        "cff-version: 1.2.0",
        "type: dataset",
        f"message: {_quoted(MESSAGE)}",
        f"title: {_quoted(TITLE)}",
        "authors:",
        '- name: "situatedgen"',
        *([f"version: {_quoted(facts.version)}"] if facts.version else []),
        f"abstract: {_quoted(f'{SUMMARY} {facts.pairs:,} pairs. LICENCES.md says which licence holds for which.')}",
        "keywords:",
        *(f"- {tag}" for tag in TAGS),
        "references:",
        *(line for each in dict.fromkeys(works) for line in _reference(each)),
    ]
    return "\n".join(lines) + "\n"


def work(cited: str, kind: str, name: str = "") -> Work:
    """A citation understood; one that is written in another way stands as it is, beside the name of its source.

    Example:
        >>> work("Doe, Roe (2020): Facts. ACL, 1–9.", "data").authors
        ('Doe', 'Roe')
    """
    found = _CITATION.fullmatch(cited)
    arxiv = _ARXIV.search(cited)
    address = f"https://arxiv.org/abs/{arxiv[1]}" if arxiv else ""
    if found is None:
        return Work(kind, (name or cited,), name or cited, notes=cited, address=address)
    authors = tuple(re.split(r", | and ", found["authors"]))
    return Work(kind, authors, found["title"].strip(), found["year"], found["rest"] or "", address)


def _reference(cited: Work) -> Iterator[str]:
    key = "family-names" if cited.year else "name"
    yield f"- type: {cited.kind}"
    yield f"  title: {_quoted(cited.title)}"
    yield "  authors:"
    yield from (f"  - {key}: {_quoted(author)}" for author in cited.authors)
    if cited.year:
        yield f"  year: {cited.year}"
    if cited.notes:
        yield f"  notes: {_quoted(cited.notes)}"
    if cited.address:
        yield f"  url: {_quoted(cited.address)}"


def _quoted(text: str) -> str:
    """A text as YAML reads it back, whatever is in it: JSON is YAML."""
    return json.dumps(text, ensure_ascii=False)

"""`CITATION.cff`: how the dataset, the paper whose method it follows, and its sources are cited."""

import re
from typing import Any

import yaml

from situatedgen.report.facts import PAPER, SUMMARY, TAGS, TITLE, Facts

Reference = dict[str, Any]  # Any: a reference of the Citation File Format
# "Doe, Roe (2020): A title. Where it stands. arXiv:2001.00001", as the built-in sources are cited.
_CITATION = re.compile(r"(?P<authors>[^()]+?) \((?P<year>\d{4})\): (?P<title>[^.?!]+(?:[?!]|$)?)(?:\. ?(?P<rest>.*))?")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
MESSAGE = (
    "If you use this dataset, cite the paper whose method it follows and the sources that its sentences come from."
)
WIDTH = 120


def citation(facts: Facts) -> str:
    """The text of the file, in the Citation File Format 1.2."""
    references = [reference(PAPER, "conference-paper")]
    for origin in facts.used:
        cited = reference(origin.citation, "data", origin.source)
        if cited not in references:
            references.append(cited)
    whole = {
        "cff-version": "1.2.0",
        "type": "dataset",
        "message": MESSAGE,
        "title": TITLE,
        "authors": [{"name": "situatedgen"}],
        **({"version": facts.version} if facts.version else {}),
        "abstract": f"{SUMMARY} {facts.pairs:,} pairs. LICENCES.md says which licence holds for which.",
        "keywords": list(TAGS),
        "references": references,
    }
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=WIDTH)


def reference(cited: str, kind: str, name: str = "") -> Reference:
    """A citation understood; one that is written in another way stands as it is, beside the name of its source.

    Example:
        >>> reference("Doe, Roe (2020): Facts. ACL, 1–9.", "data")["authors"]
        [{'family-names': 'Doe'}, {'family-names': 'Roe'}]
    """
    found = _CITATION.fullmatch(cited)
    arxiv = _ARXIV.search(cited)
    address = {"url": f"https://arxiv.org/abs/{arxiv[1]}"} if arxiv else {}
    if found is None:
        return {"type": kind, "title": name or cited, "authors": [{"name": name or cited}], "notes": cited, **address}
    return {
        "type": kind,
        "title": found["title"].strip(),
        "authors": [{"family-names": author} for author in re.split(r", | and ", found["authors"])],
        "year": int(found["year"]),
        **({"notes": found["rest"]} if found["rest"] else {}),
        **address,
    }

"""Rows and tables of the pipeline as tests write them down."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import polars as pl

from situatedgen.dataset.boolqa import Named
from situatedgen.schemas import COMMUNITIES, MASKS, PARSES, PRECEDENT, STATEMENTS
from situatedgen.testing import judged, pairs
from situatedgen.vocabulary import Label


def example_row(
    left: str,
    right: str,
    split: str = "train",
    *,
    texts: Sequence[str] = ("", ""),
    words: Sequence[tuple[str, int]] = (),
    context: str = "GEO",
    similarity: float = 0.9,
    probability: float | None = None,
    licences: Sequence[str] = ("mit", "mit"),
) -> tuple[object, ...]:
    """A row of `examples`: keywords are given with their side."""
    keywords, sides = [word for word, _ in words], [side for _, side in words]
    known = f"{left}|{right}", split, keywords, " ".join(texts), [left, right], sides, list(texts), context
    return (*known, similarity, probability, list(licences))


Node = tuple[str, str, str, int] | tuple[str, str, str, int, str]


def split_tables(
    nodes: Iterable[Node], edges: Iterable[Sequence[str]], precedent: Mapping[str, str] | None = None
) -> dict[str, pl.DataFrame]:
    """Inputs of the stage `splits` by name: a node is id, text, template, community and perhaps source."""
    known = [(*node, "s")[:5] for node in nodes]
    ends = [(left, right) for left, right in edges]
    return {
        "pairs": pairs(*ends),
        "selected": judged(*ends),
        "masks": MASKS.frame([(name, template, 2, "GEO", "kept") for name, _, template, _, _ in known]),
        "statements": STATEMENTS.frame(
            [(name, source, text, "claim", 1.0, "kept") for name, text, _, _, source in known]
        ),
        "parses": PARSES.empty,
        "communities": COMMUNITIES.frame([(name, community) for name, _, _, community, _ in known]),
        "precedent": PRECEDENT.frame([(name, "", split) for name, split in (precedent or {}).items()]),
    }


def marked(text: str) -> tuple[str, tuple[Named, ...]]:
    """The text and the words of `Rome is in [Italy/GPE], a [country].`."""
    plain, words = "", []
    for part in text.split("["):
        inside, closed, after = part.partition("]")
        name, _, label = inside.partition("/") if closed else ("", "", "")
        if closed:
            words.append(Named(len(plain), len(plain) + len(name), Label(label) if label else None))
        plain += name + after if closed else part
    return plain, tuple(words)


def write_facts(folder: Path, facts: Iterable[str]) -> None:
    """Facts as the core facts of OpenbookQA, beside one that was crowdsourced."""
    for name, lines in (("Main/openbook.txt", facts), ("Additional/crowdsourced-facts.txt", ("Water is wet",))):
        path = folder / "openbookqa" / name
        path.parent.mkdir(parents=True)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")

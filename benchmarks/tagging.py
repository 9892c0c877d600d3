"""How well the embedded tagger agrees with a reference, and how fast it is: `python -m benchmarks.tagging DATA`.

DATA holds `reference/statements.jsonl` and the folder `sources`. Questions stand for the statements that they
become: a yes/no question as it is, a multiple-choice question as its last sentence with its answer.
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from situatedgen.conversion.inversion import split_sentences
from situatedgen.models.roles import Tagger
from situatedgen.models.spacy_models import EmbeddedTagger, SpacyTagger
from situatedgen.params import EntityParams
from situatedgen.records import Entity
from situatedgen.runtime import Runtime
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.stages.items import items
from situatedgen.vocabulary import GEO_LABELS, TEMP_LABELS, ItemKind, Label, Verdict

CONTEXT_LABELS = sorted(GEO_LABELS | TEMP_LABELS)
AUTHORS_KEPT = {"arc": 643, "commonsenseqa": 714, "creak": 1573, "openbookqa": 155, "strategyqa": 953}
MIN_RECALL = 0.9
MAX_RATIO = 1.1
SPEED_STEP = 40
_NAMED = re.compile(r"(.+?):([A-Z_]+)(?:, |$)")


@dataclass(frozen=True, slots=True)
class Row:
    """A statement of the reference and the entities that the authors' tagger found in it."""

    source: str
    text: str
    entities: tuple[Entity, ...]


def read_reference(path: Path) -> list[Row]:
    """The rows of the reference; a yes/no question stands for its statement, which lost its capitals."""
    records = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [_row(record) for record in records]


def _row(record: dict[str, str]) -> Row:
    source = record["id"].partition("::")[0]
    text = record["question"] if source == "strategyqa" else record["statement"]
    return Row(source, text.strip(), tuple(_placed(text.strip(), record["NERs"])))


def _placed(text: str, named: str) -> Iterator[Entity]:
    """The entities of a list `text:LABEL, text:LABEL`, each where it next stands in the text."""
    start, small = 0, text.lower()
    for name, label in _NAMED.findall(named):
        found = small.find(name.lower(), start)
        found = found if found >= 0 else small.find(name.lower())
        if found >= 0:
            start = found + len(name)
            yield Entity(found, start, Label(label))


def read_source(root: Path, name: str) -> list[str]:
    """What stands for the statements of a source, item by item."""
    table = items(root, params=ItemParams(source=SourceParams(name=name)))
    rows = table.select("kind", "question", "answer", "statement", "verdict").iter_rows()
    return [_stand_in(*row[:4]) for row in rows if row[4] == Verdict.KEPT]


def _stand_in(kind: str, question: str, answer: str, statement: str) -> str:
    if kind == ItemKind.CLAIM:
        return statement
    return question if kind == ItemKind.YES_NO else f"{split_sentences(question)[-1]} {answer}"


def is_situated(entities: Iterable[Entity]) -> bool:
    """Whether any of the entities is a place or a time."""
    return any(entity.label in CONTEXT_LABELS for entity in entities)


def recall_lines(rows: Sequence[Row], bare: list[bool], found: list[bool]) -> Iterator[str]:
    """By source, the share of the reference's statements in which a place or time is found."""
    yield f"{'statements kept':16}{'rows':>8}{'spaCy':>10}{'embedded':>10}   reach ≥ {MIN_RECALL:.0%}"
    for source in [*sorted({row.source for row in rows}), "all"]:
        chosen = [index for index, row in enumerate(rows) if source in (row.source, "all")]
        shares = (sum(kept[index] for index in chosen) / len(chosen) for kept in (bare, found))
        yield f"{source:16}{len(chosen):>8}" + "".join(f"{share:>10.1%}" for share in shares)


def precision_lines(rows: Sequence[Row], found: Sequence[tuple[Entity, ...]]) -> Iterator[str]:
    """By label, the share of our entities that meet one of their kind in the reference, and the other way."""
    ours, theirs = Counter[Label](), Counter[Label]()
    ours_met, theirs_met = Counter[Label](), Counter[Label]()
    for row, entities in zip(rows, found, strict=True):
        for one in entities:
            ours[one.label] += 1
            ours_met[one.label] += any(_agree(one, other) for other in row.entities)
        for one in row.entities:
            theirs[one.label] += 1
            theirs_met[one.label] += any(_agree(one, other) for other in entities)
    yield f"{'label':16}{'found':>8}{'precision':>10}{'recall':>10}"
    for label in CONTEXT_LABELS:
        precision, recall = ours_met[label] / ours[label], theirs_met[label] / theirs[label]
        yield f"{label:16}{ours[label]:>8}{precision:>10.1%}{recall:>10.1%}"


def _agree(one: Entity, other: Entity) -> bool:
    same_kind = any(one.label in kind and other.label in kind for kind in (GEO_LABELS, TEMP_LABELS))
    return same_kind and one.start < other.end and other.start < one.end


def kept_lines(texts_of: dict[str, list[str]], tagger: Tagger) -> Iterator[str]:
    """By source, how many items have a place or time, beside the authors' count."""
    yield f"{'items kept':16}{'items':>8}{'embedded':>10}{'authors':>10}"
    for source, texts in texts_of.items():
        kept = sum(map(is_situated, tagger.tag(texts)))
        yield f"{source:16}{len(texts):>8}{kept:>10}{AUTHORS_KEPT[source]:>10}"


def speed_line(bare: Tagger, tagger: Tagger, texts: Sequence[str]) -> str:
    """The time of the embedded tagger over that of the bare model on the same texts, best of five in turns."""
    tagger.tag(texts)
    rounds = [(_seconds(lambda: bare.tag(texts)), _seconds(lambda: tagger.tag(texts))) for _ in range(5)]
    floor, ours = (min(times) for times in zip(*rounds, strict=True))
    return f"time on {len(texts)} items, embedded over spaCy: {ours / floor:.2f}   reach ≤ {MAX_RATIO:.2f}"


def _seconds(run: Callable[[], object]) -> float:
    started = time.process_time()
    run()
    return time.process_time() - started


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder with `reference` and `sources`")
    parser.add_argument("--sources", action="store_true", help="tag the five sources too (minutes)")
    arguments = parser.parse_args()
    params, runtime = EntityParams().tagger, Runtime()
    bare, tagger = SpacyTagger(params, runtime), EmbeddedTagger(params, runtime)
    rows = read_reference(arguments.data / "reference" / "statements.jsonl")
    texts = [row.text for row in rows]
    found = tagger.tag(texts)
    print(*recall_lines(rows, [*map(is_situated, bare.tag(texts))], [*map(is_situated, found)]), sep="\n", end="\n\n")
    print(*precision_lines(rows, found), sep="\n", end="\n\n")
    texts_of = {source: read_source(arguments.data / "sources", source) for source in COLLECTIONS}
    print(speed_line(bare, tagger, [*chain.from_iterable(texts_of.values())][::SPEED_STEP]), end="\n\n")
    if arguments.sources:
        print(*kept_lines(texts_of, tagger), sep="\n")


if __name__ == "__main__":
    main()

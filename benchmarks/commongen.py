"""What a million captions cost on their way to concept sets, stage by stage.

    python -m benchmarks.commongen COMMONGEN CONCEPTNET [--captions N] [--folder DIR] [--whole]

COMMONGEN is the folder of the released files, CONCEPTNET the file whose single words are the vocabulary. The released
sentences are lemmatised once; a caption is one of them in which some concepts are replaced by others of the same part
of speech, drawn as often as they occur, so that captions have as many concepts as real ones and as uneven ones.
Concepts of the captions are planted, for lemmatising a million takes longer than all that follows; its rate is
measured on a sample. What reading them from a file costs, and `concepts` with a lemmatiser that costs next to
nothing, is measured apart (`items, read`, `concepts, read`). Every stage runs by the pipeline's own runner, in a
process of its own. Memory is the most that the process had.

With `--whole` nothing is planted: the command line builds a dataset from the captions in a file, and the same once
more after a hundredth of them changed. That takes a quarter of an hour on two cores.
"""

import argparse
import random
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import polars as pl

from benchmarks.processes import alone, commanded
from benchmarks.scale import Row, line, total
from situatedgen.commongen.examples import read_folder
from situatedgen.commongen.params import ConceptParams, concept_settings
from situatedgen.commongen.stages import concepts
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.pipeline import CONCEPT_PIPELINE
from situatedgen.records import Lemma
from situatedgen.runtime import Runtime
from situatedgen.schemas import ITEMS
from situatedgen.sources.registry import choose_sources
from situatedgen.vocabulary import ItemKind, Verdict
from storage.builds import Build, Outcome, now
from storage.publication import publish_concepts
from storage.requests import BuildRequest, items_job, params_of, stage_job
from storage.runner import run_job
from storage.store import ArtifactRef, Store

SAMPLE = 4_000
HUNDRED = 100
CHANGED = 0.4
"""The share of the concepts of a caption that are replaced."""
SETTINGS = concept_settings(
    {"sources": [{"name": "varied", "files": ["*.txt"], "kind": ItemKind.CLAIM.value, "statement": "text"}]}
)
ORDER = BuildRequest(SETTINGS, Path(), pipeline=CONCEPT_PIPELINE)

Sentence = tuple[str, tuple[Lemma, ...]]


def lemmatised(released: Path, count: int | None = None) -> list[Sentence]:
    """Sentences of the released files with their nouns and verbs."""
    splits = read_folder(released).values()
    texts = sorted({scene for examples in splits for example in examples for scene in example.scenes})
    chosen = random.Random(0).sample(texts, count) if count else texts
    model = registry.load("lemmatiser", ModelParams(name="spacy"), Runtime())
    return list(zip(chosen, model.lemmatise(chosen), strict=True))


def varied(sentences: Sequence[Sentence], count: int) -> Iterator[Sentence]:
    """So many different captions."""
    chance, seen = random.Random(0), set[str]()
    pools = {part: [each for _, found in sentences for each in found if each.part == part] for part in ("N", "V")}
    while len(seen) < count:
        text, found = chance.choice(sentences)
        for lemma in found:
            if chance.random() < CHANGED:
                other = chance.choice(pools[lemma.part])
                text = text.replace(lemma.text, other.text, 1)
                found = tuple(other if each == lemma else each for each in found)
        if text not in seen:
            seen.add(text)
            yield text, found


class Planted:
    """A lemmatiser that was told the lemmas."""

    def __init__(self, known: dict[str, tuple[Lemma, ...]]) -> None:
        self._known = known

    def lemmatise(self, texts: Sequence[str]) -> list[tuple[Lemma, ...]]:
        """What was told of each text."""
        return [self._known[text] for text in texts]


def given(released: Path, words: Path, count: int, root: Path) -> list[Outcome]:
    """Items and concepts of so many captions, safely in a store."""
    known = dict(varied(lemmatised(released), count))
    blank = {"source": "varied", "split": "all", "file": "varied.txt", "kind": ItemKind.CLAIM, "verdict": Verdict.KEPT}
    items = (
        pl.DataFrame({"statement": list(known)})
        .with_row_index("line")
        .select(
            pl.format("varied::all::{}", pl.col("line").cast(pl.String).str.zfill(9)).alias("item_id"),
            "statement",
            pl.col("line").cast(pl.UInt32),
            *(pl.lit(value, dtype=ITEMS.columns[name]).alias(name) for name, value in blank.items()),
            *(pl.lit("").alias(name) for name in ("question", "answer", "reason")),
            *(pl.lit("MIT").alias(name) for name in ("licence", "citation")),
        )
    )
    vocabulary = registry.load("vocabulary", ModelParams(name="conceptnet", weights=str(words)), Runtime())
    found = concepts(items, params=ConceptParams(), lemmatiser=Planted(known), vocabulary=vocabulary)
    tables = {"items": items.select(list(ITEMS.columns)), "concepts": found}
    store = Store(root)
    return [_kept(store, name, table) for name, table in tables.items()]


def _kept(store: Store, name: str, table: pl.DataFrame) -> Outcome:
    source = "varied" if name == "items" else ""
    record = store.save(table, stage=name, source=source, key=name, parts={"corpus": table.height}, seconds=0.0)
    return Outcome(ref=record.ref, key=record.key, seconds=0.0, reused=False)


def made(name: str, refs: Sequence[ArtifactRef], root: Path) -> Outcome:
    """What comes of a stage on a store."""
    (each,) = (stage for stage in CONCEPT_PIPELINE if stage.name == name)
    return run_job(stage_job(each, params_of(each, ORDER), refs, source=""), Store(root), Runtime())


def from_files(name: str, refs: Sequence[ArtifactRef], folder: Path) -> Outcome:
    """What comes of a stage that reads captions from files, with a lemmatiser that costs next to nothing."""
    fake = SETTINGS.concepts.model_copy(update={"lemmatiser": ModelParams(name="fake")})
    order = replace(ORDER, settings=SETTINGS.model_copy(update={"concepts": fake}), sources=folder)
    (each,) = (stage for stage in CONCEPT_PIPELINE if stage.name == name)
    (captions,) = choose_sources(order.settings, folder)
    job = stage_job(each, params_of(each, order), refs, source="") if each.inputs else items_job(each, order, captions)
    return run_job(job, Store(folder / "read"), Runtime())


def written(root: Path, refs: Sequence[ArtifactRef], folder: Path) -> None:
    """The captions in a file, a line each."""
    (ref,) = (each for each in refs if each.stage == "items")
    lines = Store(root).read(ref)["statement"].str.replace_all(r"\s+", " ")
    (folder / "varied.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def published(outcomes: Sequence[Outcome], root: Path, out: Path) -> None:
    """The dataset folder of the artifacts."""
    told = SETTINGS.model_dump(mode="json")
    finished = Build(created=now(), settings=told, sources="varied", outcomes=tuple(outcomes))
    publish_concepts(finished, store=Store(root), out=out)


def whole(asked: argparse.Namespace, folder: Path) -> Iterator[str]:
    """What the command line costs on the captions: cold, with nothing changed, after a hundredth changed."""
    (folder / "captions").mkdir(parents=True)
    file = folder / "captions" / "varied.txt"
    captions = list(lines_of(varied(lemmatised(asked.commongen), asked.captions + asked.captions // HUNDRED)))
    others = captions[asked.captions :]
    command = ("commongen", "build", str(file.parent), "--vocabulary", str(asked.conceptnet), "--plain")
    places = ("--store", str(folder / "store"), "--out", str(folder / "out"))
    yield f"{len(captions) - len(others):,} captions{'seconds':>14}{'cpu s':>10}{'peak GiB':>10}"
    for name, changed in (("cold", []), ("nothing changed", []), ("1 % changed", others)):
        file.write_text("\n".join([*changed, *captions[len(changed) : asked.captions], ""]), encoding="utf-8")
        spent = commanded(*command, *places)
        yield f"{name:20}{spent.seconds:12.1f}{spent.cpu_seconds:10.1f}{spent.peak / 2**30:10.2f}"
    yield f"dataset folder: {_bytes(folder / 'out') / 1e6:.1f} MB, store: {_bytes(folder / 'store') / 1e6:.1f} MB"


def lines_of(captions: Iterator[Sentence]) -> Iterator[str]:
    """The captions as lines."""
    return (" ".join(text.split()) for text, _ in captions)


def report(asked: argparse.Namespace, folder: Path) -> Iterator[str]:
    """What the captions cost, line by line as it is known."""
    root, out, rows = folder / "store", folder / "out", list[Row]()
    outcomes, spent = alone(given, asked.commongen, asked.conceptnet, asked.captions, root)
    yield f"{'':18}{'rows':>14}{'seconds':>10}{'cpu s':>10}{'peak GiB':>10}{'MB':>10}"
    yield _wide(Row("given", asked.captions, spent, _bytes(root)))
    alone(written, root, [found.ref for found in outcomes], folder)
    read: list[ArtifactRef] = []
    for name in ("items", "concepts"):
        outcome, spent = alone(from_files, name, read, folder)
        read.append(outcome.ref)
        yield _wide(Row(f"{name}, read", outcome.ref.rows, spent, 0))
    for each in CONCEPT_PIPELINE[2:]:
        outcome, spent = alone(made, each.name, [found.ref for found in outcomes], root)
        outcomes.append(outcome)
        rows.append(Row(each.name, outcome.ref.rows, spent, _bytes(root / outcome.ref.place)))
        yield _wide(rows[-1])
    _, spent = alone(published, outcomes, root, out)
    rows.append(Row("dataset", outcomes[-1].ref.rows, spent, _bytes(out)))
    yield _wide(rows[-1])
    yield _wide(total(rows))
    yield _sets(Store(root), outcomes)


def _wide(row: Row) -> str:
    return f"{row.name:18}{line(replace(row, name=''))[12:]}"


def _sets(store: Store, outcomes: Sequence[Outcome]) -> str:
    (counts,) = (store.read(found.ref) for found in outcomes if found.ref.stage == "concept_counts")
    sizes = {size: int(counts[f"sets_{size}"].sum()) // size for size in (3, 4, 5)}
    told = ", ".join(f"{count:,} of {size}" for size, count in sizes.items())
    return f"{sum(sizes.values()):,} distinct concept sets ({told}) of {counts.height:,} concepts"


def _bytes(path: Path) -> int:
    return sum(each.stat().st_size for each in (path, *path.rglob("*")) if each.is_file())


def main() -> None:
    """Build, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("commongen", type=Path, help="the folder of the released files")
    parser.add_argument("conceptnet", type=Path, help="the file with relation, head and tail")
    parser.add_argument("--captions", type=int, default=1_000_000, help="how many captions there are")
    parser.add_argument("--folder", type=Path, help="where to build, and to leave what was built; else a scratch one")
    parser.add_argument("--whole", action="store_true", help="run the command line on them, its lemmatiser and all")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for told in (whole if asked.whole else report)(asked, asked.folder or Path(scratch)):
            print(told, flush=True)
    if asked.whole:
        return
    _, start = alone(lemmatised, asked.commongen, 1)
    _, spent = alone(lemmatised, asked.commongen, SAMPLE)
    print(f"lemmatising: {SAMPLE / (spent.cpu_seconds - start.cpu_seconds):,.0f} captions a second of one processor")


if __name__ == "__main__":
    main()

"""The published folder of concept sets in CommonGen's release format, written atomically."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

import polars as pl

from situatedgen import atomic
from situatedgen.commongen.examples import Example, SplitStatistics, statistics
from situatedgen.commongen.params import Fate
from situatedgen.commongen.stages import SEPARATOR
from situatedgen.commongen.tables import counted_rows
from situatedgen.dataset.folder import MANIFEST, check_out, read_manifest
from situatedgen.errors import StoreError
from situatedgen.resources import read_text
from situatedgen.rules.licences import hub_licence
from situatedgen.vocabulary import Split

FORMAT = "situatedgen concept sets"


def publish(out: Path, tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> Path:
    """Write the folder atomically; files in it that the manifest does not list stay.

    Raises:
        SettingsError: OUT exists and is not a folder of concept sets.
        StoreError: OUT cannot be written.
    """
    out = out.resolve()
    check_out(out, kind=FORMAT)
    made = contents(tables)
    digests = {name: hashlib.sha256(made[name]).hexdigest() for name in sorted(made)}
    made[MANIFEST] = _json({"format": FORMAT, **manifest, "files": digests})
    try:
        with atomic.lock_folder(out):
            atomic.finish_replacement(out, ours=_own_files(atomic.replaced_folder(out)))
            atomic.replace_folder(out, made, ours=_own_files(out))
    except OSError as error:
        raise StoreError(f"cannot write the dataset folder {out}: {error}") from error
    return out


def contents(tables: Mapping[str, pl.DataFrame]) -> dict[str, bytes]:
    """All files of the folder except the manifest."""
    examples = filter_kept(tables["concept_examples"])
    made: dict[str, bytes] = {}
    for split in Split:
        rows = examples.filter(pl.col("split") == split.value).select("concept_set", "scene")
        lines, table = BytesIO(), BytesIO()
        rows.write_ndjson(lines)
        rows.write_parquet(table)
        made |= {f"data/{split.value}.jsonl": lines.getvalue(), f"data/{split.value}.parquet": table.getvalue()}
    found = measure_folder(examples)
    counts = {split: asdict(column) for split, column in found.items()}
    made["stats.json"] = _json({"splits": counts, "funnel": funnel(tables)})
    made["README.md"] = _card(tables, found).encode("utf-8")
    return made


def filter_kept(examples: pl.DataFrame) -> pl.DataFrame:
    """The examples that have captions."""
    return examples.filter(pl.col("verdict") == Fate.KEPT)


def measure_folder(examples: pl.DataFrame) -> dict[str, SplitStatistics]:
    """The statistics of Table 1 for the examples."""
    rows = examples.select("split", "concept_set", "scene").iter_rows()
    splits: dict[str, list[Example]] = {split.value: [] for split in Split}
    for split, name, scenes in rows:
        splits[split].append(Example(tuple(name.split(SEPARATOR)), tuple(scenes)))
    return statistics(splits)


def funnel(tables: Mapping[str, pl.DataFrame]) -> dict[str, int]:
    """How much is left after each stage."""
    concepts, counts = tables["concepts"], tables["concept_counts"]
    assigned, given = tables["concept_splits"], tables["concept_examples"]
    out = assigned.filter(pl.col("verdict") != Fate.KEPT)
    fates = pl.concat([out["verdict"], given["verdict"]]).cast(pl.String).value_counts()
    return {
        "captions": tables["items"].height,
        "distinct sentences": concepts.height,
        "with three concepts": concepts.filter(pl.col("concepts").list.len() >= 3).height,
        "concepts": counts.height,
        **{f"concept sets of {size}": int(counts[f"sets_{size}"].sum()) // size for size in (3, 4, 5)},
        "drawn": tables["concept_sets"].height,
        **{f"drawn, {verdict}": int(count) for verdict, count in sorted(fates.iter_rows())},
    }


def _card(tables: Mapping[str, pl.DataFrame], found: Mapping[str, SplitStatistics]) -> str:
    origins = tables["items"].group_by("source", "licence", "citation").len("captions").sort("source")
    licences = sorted({hub_licence(licence) for licence in origins["licence"]})
    sources = [f"| {row[0]} | {row[3]:,} | {row[1]} | {row[2]} |" for row in origins.iter_rows()]
    counted = counted_rows(found)
    lines = [f"| {' | '.join(row)} |" for row in (counted.header, ("---",) * len(counted.header), *counted.rows)]
    steps = [f"| {name} | {count:,} |" for name, count in funnel(tables).items()]
    parts = {"licences": licences, "sources": sources, "counts": lines, "funnel": steps}
    text = read_text("concept_card.md")
    for name, rows in parts.items():
        shown = rows if name != "licences" else [f"  - {row}" for row in rows]
        text = text.replace(f"<{name}>", "\n".join(shown))
    return text


def _own_files(out: Path) -> frozenset[str]:
    return frozenset({MANIFEST, *read_manifest(out, kind=FORMAT).get("files", ())})


def _json(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode("utf-8")

"""Every file of a dataset folder but its manifest, as bytes: the same tables give the same bytes."""

from collections.abc import Mapping

import polars as pl

from situatedgen.report import figures
from situatedgen.report.card import card
from situatedgen.report.data import data_files, published
from situatedgen.report.harness import harness
from situatedgen.report.licences import origins
from situatedgen.report.measuring import measured
from situatedgen.report.statistics import to_json


def contents(tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> dict[str, bytes]:
    """The files of a dataset by their path in its folder."""
    statistics = measured(tables)
    drawn = figures.drawn(statistics, threshold_of(manifest))
    released = published(tables)
    record = next((row for part in released[0].parts.values() for row in _shown(part).iter_rows(named=True)), {})
    text = card(statistics, origins(tables["items"], tables["examples"]), record, manifest)
    return {
        "README.md": text.encode("utf-8"),
        "stats.json": to_json(statistics).encode("utf-8"),
        **data_files(released),
        **{f"figures/{name}": picture for name, picture in drawn.items()},
        **harness(),
    }


def threshold_of(manifest: Mapping[str, object]) -> float | None:
    """How alike pairs had to be, where the manifest tells."""
    settings = manifest.get("settings")
    pairs = settings.get("pairs") if isinstance(settings, Mapping) else None
    found = pairs.get("min_similarity") if isinstance(pairs, Mapping) else None
    return found if isinstance(found, float) else None


def _shown(rows: pl.DataFrame) -> pl.DataFrame:
    """The one row that shows best what the dataset is: the most alike pair, the shortest of equals."""
    length = pl.col("statement").str.len_chars()
    return rows.sort(-pl.col("similarity"), length, "example_id").head(1)

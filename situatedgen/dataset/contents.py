"""Contents of a dataset folder: data files, card, figures, report and metadata."""

from collections.abc import Mapping

import polars as pl

from situatedgen.dataset import figures
from situatedgen.dataset.card import card, datasheet, licences
from situatedgen.dataset.counts import measure
from situatedgen.dataset.facts import Facts, origins
from situatedgen.dataset.files import data_files, read_published
from situatedgen.dataset.folder import harness
from situatedgen.dataset.html_report import FILE, page
from situatedgen.dataset.metadata import citation, croissant
from situatedgen.dataset.statistics import to_json
from situatedgen.models.readings import held_back
from situatedgen.params import SplitParams


def contents(tables: Mapping[str, pl.DataFrame], manifest: Mapping[str, object]) -> dict[str, bytes]:
    """Build all files of a dataset, keyed by their path in its folder."""
    statistics = measure(tables, _split_params(manifest), held_back(manifest.get("settings")))
    data = data_files(tables)
    facts = Facts(statistics, origins(tables["items"], tables["examples"]), read_published(data), data, manifest)
    drawings = figures.draw_figures(statistics, threshold_of(manifest))
    texts = {
        **pages(facts),
        "stats.json": to_json(statistics),
        FILE: page(facts, drawings, tables["examples"]),
    }
    return {
        **{name: text.encode("utf-8") for name, text in texts.items()},
        **data,
        **{f"figures/{name}.svg": drawing.svg for name, drawing in drawings.items()},
        **{f"figures/{name}.png": drawing.png for name, drawing in drawings.items()},
        **harness(),
    }


def pages(facts: Facts) -> dict[str, str]:
    """Build the documentation and metadata files of a dataset from the same facts."""
    return {
        "README.md": card(facts),
        "DATASHEET.md": datasheet(facts),
        "LICENCES.md": licences(facts),
        "CITATION.cff": citation(facts),
        "croissant.json": croissant(facts),
    }


def threshold_of(manifest: Mapping[str, object]) -> float | None:
    """The minimum similarity of pairs; None if the manifest does not state it."""
    settings = manifest.get("settings")
    pairs = settings.get("pairs") if isinstance(settings, Mapping) else None
    found = pairs.get("min_similarity") if isinstance(pairs, Mapping) else None
    return found if isinstance(found, float) else None


def _split_params(manifest: Mapping[str, object]) -> SplitParams | None:
    """The split params in the manifest; None if it has none."""
    settings = manifest.get("settings")
    split_settings = settings.get("splits") if isinstance(settings, Mapping) else None
    return SplitParams.model_validate(split_settings) if isinstance(split_settings, Mapping) else None

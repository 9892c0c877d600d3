"""The YAML at the head of the card, which dataset hubs and `datasets.load_dataset` read."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from situatedgen.report.data import Published
from situatedgen.report.facts import NAME, TAGS, Facts
from situatedgen.report.licences import hub_licences

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGEST = "n>1M"
Entry = dict[str, Any]  # Any: an entry of the YAML
ORDER = (
    *("pretty_name", "language", "license", "multilinguality", "task_categories", "tags", "size_categories"),
    *("configs", "dataset_info"),
)
TASKS = ("text-generation", "text-classification")
# A plain type as `datasets` names it, and the bytes of one value; a text has as many as its letters take.
TYPES: Mapping[pl.DataType, tuple[str, int]] = {
    pl.String(): ("string", 0),
    pl.Int64(): ("int64", 8),
    pl.Float64(): ("float64", 8),
    pl.Boolean(): ("bool", 1),
}


def header(facts: Facts) -> str:
    """The header, from `---` to `---`. A split without rows is no file to load."""
    from huggingface_hub import DatasetCardData  # noqa: PLC0415 (slow to import; a card is seldom written)

    filled = [each for each in facts.released if each.rows]
    card = DatasetCardData(
        pretty_name=NAME,
        language=["en"],
        license=list(hub_licences(facts.origins) or ("unknown",)),
        multilinguality=["monolingual"],
        task_categories=list(TASKS),
        tags=list(TAGS),
        size_categories=[size(facts.pairs)],
        configs=[_describe_files(each) for each in filled],
        dataset_info=[_describe_rows(each, facts.files) for each in filled],
    )
    return f"---\n{card.to_yaml(original_order=list(ORDER))}\n---"


def size(rows: int) -> str:
    """The size of a dataset as hubs put it."""
    return next((name for limit, name in SIZES if rows < limit), LARGEST)


def _describe_files(released: Published) -> Entry:
    """Where the rows of a configuration lie."""
    configuration = released.configuration
    return {
        "config_name": configuration.name,
        **({"default": True} if configuration.name == "default" else {}),
        "data_files": [{"split": split.value, "path": configuration.file(split)} for split in released.filled],
    }


def _describe_rows(released: Published, files: Mapping[str, bytes]) -> Entry:
    """The fields and sizes of a configuration."""
    configuration, sizes = released.configuration, {split: value_bytes(part) for split, part in released.filled.items()}
    return {
        "config_name": configuration.name,
        "features": [{"name": name, **_describe_type(field.dtype)} for name, field in configuration.fields.items()],
        "splits": [
            {"name": split.value, "num_bytes": sizes[split], "num_examples": part.height}
            for split, part in released.filled.items()
        ],
        "download_size": sum(len(files.get(configuration.file(split), b"")) for split in released.filled),
        "dataset_size": sum(sizes.values()),
    }


def _describe_type(dtype: pl.DataType) -> Entry:
    return {"list" if isinstance(dtype, pl.List) else "dtype": TYPES[inner(dtype)][0]}


def inner(dtype: pl.DataType) -> pl.DataType:
    """The type of one value: of a list, the type of what is in it."""
    if not isinstance(dtype, pl.List):
        return dtype
    found = dtype.inner
    return found() if isinstance(found, type) else found


def value_bytes(rows: pl.DataFrame) -> int:
    """The bytes of all values of a table: texts in UTF-8, numbers in eight; nothing that depends on a library."""
    return sum(_column_bytes(column) for column in rows.iter_columns())


def _column_bytes(column: pl.Series) -> int:
    values = column.explode(empty_as_null=False) if isinstance(column.dtype, pl.List) else column
    if values.dtype == pl.String:
        return int(values.str.len_bytes().sum())
    return len(values) * TYPES[values.dtype][1]

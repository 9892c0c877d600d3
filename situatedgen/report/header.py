"""The YAML at the head of the card, which dataset hubs and `datasets.load_dataset` read."""

from collections.abc import Iterator, Mapping

import polars as pl

from situatedgen.report.data import Published
from situatedgen.report.facts import NAME, TAGS, Facts
from situatedgen.report.licences import hub_licences

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGEST = "n>1M"
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
    filled = [each for each in facts.released if each.rows]
    lines = [
        "---",
        f"pretty_name: {NAME}",
        *_listed("language", ["en"]),
        *_listed("license", hub_licences(facts.origins) or ("unknown",)),
        *_listed("multilinguality", ["monolingual"]),
        *_listed("task_categories", TASKS),
        *_listed("tags", TAGS),
        *_listed("size_categories", [size(facts.pairs)]),
        "configs:",
        *(line for each in filled for line in _files(each)),
        "dataset_info:",
        *(line for each in filled for line in _info(each, facts.files)),
        "---",
    ]
    return "\n".join(lines)


def size(rows: int) -> str:
    """The size of a dataset as hubs put it."""
    return next((name for limit, name in SIZES if rows < limit), LARGEST)


def _listed(name: str, values: tuple[str, ...] | list[str]) -> Iterator[str]:
    yield f"{name}:"
    yield from (f"- {value}" for value in values)


def _files(released: Published) -> Iterator[str]:
    """Where the rows of a configuration lie."""
    yield f"- config_name: {released.configuration.name}"
    if released.configuration.name == "default":
        yield "  default: true"
    yield "  data_files:"
    for split in released.filled:
        yield f"  - split: {split.value}"
        yield f"    path: {released.configuration.file(split)}"


def _info(released: Published, files: Mapping[str, bytes]) -> Iterator[str]:
    """The fields and sizes of a configuration."""
    configuration, sizes = released.configuration, {split: value_bytes(part) for split, part in released.filled.items()}
    yield f"- config_name: {configuration.name}"
    yield "  features:"
    for name, field in configuration.fields.items():
        yield f"  - name: {name}"
        yield f"    {feature(field.dtype)}"
    yield "  splits:"
    for split, part in released.filled.items():
        yield f"  - name: {split.value}"
        yield f"    num_bytes: {sizes[split]}"
        yield f"    num_examples: {part.height}"
    yield f"  download_size: {sum(len(files.get(configuration.file(split), b'')) for split in released.filled)}"
    yield f"  dataset_size: {sum(sizes.values())}"


def feature(dtype: pl.DataType) -> str:
    """A type as the header has it: `dtype: string`, or `list: string`."""
    return f"list: {TYPES[inner(dtype)][0]}" if isinstance(dtype, pl.List) else f"dtype: {TYPES[dtype][0]}"


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

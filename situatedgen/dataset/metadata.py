"""Dataset metadata files: the card's YAML header, Croissant and CITATION.cff."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import polars as pl
import yaml

from situatedgen.dataset.configuration import Field
from situatedgen.dataset.facts import NAME, PAPER, SUMMARY, TAGS, TITLE, Facts, hub_licences
from situatedgen.dataset.files import Published
from situatedgen.resources import read_lines, read_text
from situatedgen.rules.licences import spdx_address
from situatedgen.vocabulary import Split

SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
LARGEST = "n>1M"
Entry = dict[str, Any]  # Any: an entry of the YAML
ORDER = (
    *("pretty_name", "language", "license", "multilinguality", "task_categories", "tags", "size_categories"),
    *("configs", "dataset_info"),
)
TASKS = ("text-generation", "text-classification")
# The name of a type in `datasets`, and the bytes per value; 0 for text, whose length varies.
HUB_TYPES: Mapping[pl.DataType, tuple[str, int]] = {
    pl.String(): ("string", 0),
    pl.Int64(): ("int64", 8),
    pl.Float64(): ("float64", 8),
    pl.Boolean(): ("bool", 1),
}


def header(facts: Facts) -> str:
    """The YAML header including its `---` lines; splits without rows are left out."""
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
    """Size category of a dataset, as used by dataset hubs."""
    return next((name for limit, name in SIZES if rows < limit), LARGEST)


def _describe_files(released: Published) -> Entry:
    """The header entry for the data files of a configuration."""
    configuration = released.configuration
    return {
        "config_name": configuration.name,
        **({"default": True} if configuration.name == "default" else {}),
        "data_files": [{"split": split.value, "path": configuration.file(split)} for split in released.filled],
    }


def _describe_rows(released: Published, files: Mapping[str, bytes]) -> Entry:
    """The header entry for the fields and sizes of a configuration."""
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
    return {"list" if isinstance(dtype, pl.List) else "dtype": HUB_TYPES[inner(dtype)][0]}


def inner(dtype: pl.DataType) -> pl.DataType:
    """The type of a single value; for a list, its element type."""
    if not isinstance(dtype, pl.List):
        return dtype
    found = dtype.inner
    return found() if isinstance(found, type) else found


def value_bytes(rows: pl.DataFrame) -> int:
    """Total size of a table's values in bytes, independent of any library: UTF-8 for text, a fixed size otherwise."""
    return sum(_column_bytes(column) for column in rows.iter_columns())


def _column_bytes(column: pl.Series) -> int:
    values = column.explode(empty_as_null=False) if isinstance(column.dtype, pl.List) else column
    if values.dtype == pl.String:
        return int(values.str.len_bytes().sum())
    return len(values) * HUB_TYPES[values.dtype][1]


Node = dict[str, Any]  # Any: JSON-LD
PARQUET = "application/x-parquet"
CROISSANT_TYPES = {
    pl.String(): "sc:Text",
    pl.Int64(): "sc:Integer",
    pl.Float64(): "sc:Float",
    pl.Boolean(): "sc:Boolean",
}


def croissant(facts: Facts) -> str:
    """The text of `croissant.json`: data files with checksums, and one record set per configuration and split."""
    filled = [(each, split) for each in facts.released for split in each.filled]
    described: Node = {
        "@context": json.loads(read_text("croissant_context.json")),
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": NAME,
        "description": SUMMARY,
        "license": [spdx_address(name) or name for name in hub_licences(facts.origins) or ("unknown",)],
        "citeAs": PAPER,
        "creator": {"@type": "Organization", "name": "situatedgen"},
        "inLanguage": "en",
        "keywords": list(TAGS),
        **({"version": facts.version} if facts.version else {}),
        **_responsible_ai_fields(facts),
        "distribution": [_file(each, split, facts) for each, split in filled],
        "recordSet": [_records(each, split) for each, split in filled],
    }
    return json.dumps(described, ensure_ascii=False, indent=1) + "\n"


def _file(released: Published, split: Split, facts: Facts) -> Node:
    name = released.configuration.file(split)
    content = facts.files.get(name, b"")
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": f"{released.configuration.meaning} The split {split.value}.",
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": PARQUET,
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def _records(released: Published, split: Split) -> Node:
    configuration = released.configuration
    name = f"{configuration.name}/{split.value}"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{configuration.meaning} {released.parts[split].height:,} records of the split {split.value}.",
        "field": [
            _field(name, column, field, configuration.file(split)) for column, field in configuration.fields.items()
        ],
    }


def _field(records: str, column: str, field: Field, file: str) -> Node:
    return {
        "@type": "cr:Field",
        "@id": f"{records}/{column}",
        "name": column,
        "description": field.meaning,
        "dataType": CROISSANT_TYPES[inner(field.dtype)],
        **({"repeated": True} if isinstance(field.dtype, pl.List) else {}),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
    }


def _responsible_ai_fields(facts: Facts) -> Node:
    """Fields of Croissant's responsible AI vocabulary: how the data was collected and processed, and its limits."""
    sources = ", ".join(dict.fromkeys(origin.source for origin in facts.used)) or "none"
    steps = [f"{step.stage}: {step.rows:,} {step.verdict.value}" for step in facts.statistics.funnel]
    return {
        "rai:dataCollection": f"Sentences and questions of public collections ({sources}); no new data was collected.",
        "rai:dataCollectionType": ["Secondary Data analysis"],
        "rai:dataCollectionRawData": "; ".join(dict.fromkeys(origin.citation for origin in facts.used)),
        "rai:dataPreprocessingProtocol": steps,
        "rai:dataUseCases": "Training and testing of models that write from keywords or judge statements.",
        "rai:dataLimitations": list(read_lines("limits.txt")),
        "rai:dataBiases": "The sources are in English and biased towards the English-speaking world.",
        "rai:personalSensitiveInformation": "Statements name public figures as the sources do, and nobody else.",
        "rai:dataReleaseMaintenancePlan": "Rebuilt by situatedgen; manifest.json lists its inputs and settings.",
    }


Reference = dict[str, Any]  # Any: a reference of the Citation File Format
# "Doe, Roe (2020): A title. Venue. arXiv:2001.00001", the citation format of the built-in sources.
_CITATION = re.compile(r"(?P<authors>[^()]+?) \((?P<year>\d{4})\): (?P<title>[^.?!]+(?:[?!]|$)?)(?:\. ?(?P<rest>.*))?")
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
MESSAGE = (
    "If you use this dataset, cite the paper whose method it follows and the sources that its sentences come from."
)
WIDTH = 120


def citation(facts: Facts) -> str:
    """The text of `CITATION.cff`, in the Citation File Format 1.2."""
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
        "abstract": f"{SUMMARY} {facts.pairs:,} pairs. LICENCES.md says which licence applies to which.",
        "keywords": list(TAGS),
        "references": references,
    }
    return yaml.safe_dump(whole, sort_keys=False, allow_unicode=True, width=WIDTH)


def reference(cited: str, kind: str, name: str = "") -> Reference:
    """Parse a citation into a CFF reference; one in another format is kept verbatim with its source's name as title.

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

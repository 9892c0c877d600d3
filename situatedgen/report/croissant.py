"""`croissant.json`: the dataset in Croissant 1.0, the vocabulary that machines read datasets by."""

import hashlib
import json
from typing import Any

import polars as pl

from situatedgen.report.data import Published
from situatedgen.report.facts import NAME, PAPER, SUMMARY, TAGS, Facts
from situatedgen.report.header import inner
from situatedgen.report.licences import hub_licences
from situatedgen.resources import read_lines, read_text
from situatedgen.rules.licences import spdx_address
from situatedgen.variants.configuration import Field
from situatedgen.vocabulary import Split

Node = dict[str, Any]  # Any: JSON-LD
PARQUET = "application/x-parquet"
TYPES = {pl.String(): "sc:Text", pl.Int64(): "sc:Integer", pl.Float64(): "sc:Float", pl.Boolean(): "sc:Boolean"}


def croissant(facts: Facts) -> str:
    """The text of the file: its files with their digests, and a record set for each split of a configuration."""
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
        **_responsible(facts),
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
        "dataType": TYPES[inner(field.dtype)],
        **({"repeated": True} if isinstance(field.dtype, pl.List) else {}),
        "source": {"fileObject": {"@id": file}, "extract": {"column": column}},
    }


def _responsible(facts: Facts) -> Node:
    """What users should know of how the data came about: the fields of Croissant's vocabulary for responsible AI."""
    sources = ", ".join(dict.fromkeys(origin.source for origin in facts.used)) or "none"
    steps = [f"{step.stage}: {step.rows:,} {step.verdict.value}" for step in facts.statistics.funnel]
    return {
        "rai:dataCollection": f"Sentences and questions of public collections ({sources}); nothing was collected anew.",
        "rai:dataCollectionType": ["Secondary Data analysis"],
        "rai:dataCollectionRawData": "; ".join(dict.fromkeys(origin.citation for origin in facts.used)),
        "rai:dataPreprocessingProtocol": steps,
        "rai:dataUseCases": "Training and testing of models that write from keywords or judge statements.",
        "rai:dataLimitations": list(read_lines("limits.txt")),
        "rai:dataBiases": "The sources are in English and lean towards the English-speaking world.",
        "rai:personalSensitiveInformation": "Statements name public figures as the sources do, and nobody else.",
        "rai:dataReleaseMaintenancePlan": "Rebuilt by situatedgen; manifest.json names what it was made of.",
    }

"""A dataset folder in the hands of its users: loaded by the libraries they have, described as hubs expect."""

import json
import re
import socket
from collections import Counter
from itertools import pairwise
from typing import Any

import datasets
import duckdb
import mlcroissant
import polars as pl
import pytest
import yaml

from situatedgen.dataset.facts import Facts, Origin
from situatedgen.dataset.files import CONFIGURATIONS
from situatedgen.dataset.metadata import citation, reference, size, value_bytes
from situatedgen.dataset.statistics import read
from situatedgen.rules.licences import GROUPS, KNOWN, UNSTATED, hub_licence, is_allowed, spdx_address
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.vocabulary import Split


@pytest.fixture
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked anything."""

    def refused(*_: object) -> None:
        raise AssertionError("a connection was tried")

    monkeypatch.setattr(socket.socket, "connect", refused)


def rows_of(out: Any, name: str, split: str) -> list[dict[str, object]]:
    """What the files hold, read by Polars."""
    folder = next(each.folder for each in CONFIGURATIONS if each.name == name)
    return pl.read_parquet(out / folder / f"{split}.parquet").rows(named=True)


@pytest.mark.usefixtures("_offline")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [each.name for each in CONFIGURATIONS])
def test_datasets_loads_every_configuration(tiny: Any, tmp_path: Any, name: str) -> None:
    """Named splits, the features that the header states, the same rows in the same order."""
    loaded = datasets.load_dataset(str(tiny.out), name, cache_dir=str(tmp_path))
    parts = {split.value: rows_of(tiny.out, name, split.value) for split in Split}
    assert {split: part.to_list() for split, part in loaded.items()} == {
        key: rows for key, rows in parts.items() if rows
    }
    fields = next(each.fields for each in CONFIGURATIONS if each.name == name)
    types = {pl.String(): "string", pl.Int64(): "int64", pl.Float64(): "float64", pl.Boolean(): "bool"}
    expected = {
        field: datasets.List(datasets.Value(types[each.dtype.inner()])) if each.dtype == pl.List else
        datasets.Value(types[each.dtype])
        for field, each in fields.items()
    }  # fmt: skip
    assert dict(loaded["train"].features) == expected


@pytest.mark.usefixtures("_offline")
@pytest.mark.filterwarnings("ignore")
def test_datasets_loads_the_examples_unless_told_otherwise(tiny: Any, tmp_path: Any) -> None:
    train = datasets.load_dataset(str(tiny.out), split="train", cache_dir=str(tmp_path))
    lines = (tiny.out / "data" / "train.jsonl").read_text(encoding="utf-8").splitlines()
    assert train.to_list() == [json.loads(line) for line in lines]


def test_duckdb_reads_the_parquet_files(tiny: Any) -> None:
    with duckdb.connect() as database:
        found = database.execute(
            "SELECT context, count(*), list_sort(list_distinct(flatten(list(licences))))"
            f" FROM read_parquet('{tiny.out}/data/*.parquet') GROUP BY context ORDER BY context"
        ).fetchall()
    pairs: Counter[str] = Counter()
    for each in read(tiny.out / "stats.json").contexts:
        pairs[each.context.value] += each.pairs
    assert found == [(context, count, ["cc0-1.0"]) for context, count in sorted(pairs.items()) if count]


@pytest.mark.usefixtures("_offline")
@pytest.mark.filterwarnings("ignore")
def test_mlcroissant_accepts_the_metadata_and_reads_the_records(tiny: Any) -> None:
    """The library checks the digest of every file before it reads one."""
    dataset = mlcroissant.Dataset(jsonld=str(tiny.out / "croissant.json"))
    assert dataset.metadata.issues.errors == set()
    sets = {each.uuid: each for each in dataset.metadata.record_sets}
    filled = {
        f"{each.name}/{split.value}": rows
        for each in CONFIGURATIONS
        for split in Split
        if (rows := rows_of(tiny.out, each.name, split.value))
    }
    assert list(sets) == list(filled)
    for name in ("default/test", "keyword2text/dev", "boolqa/train"):
        records = [
            {key.removeprefix(f"{name}/"): _value(value) for key, value in each.items()}
            for each in dataset.records(name)
        ]
        assert records == filled[name]


def _value(value: Any) -> Any:
    """A value as Parquet has it: in a record texts are bytes, and lists arrays."""
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "tolist"):
        value = value.tolist()
    return [_value(each) for each in value] if isinstance(value, list) else value


def test_the_header_tells_hubs_what_is_there(tiny: Any) -> None:
    text = (tiny.out / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert (head["license"], head["language"], head["size_categories"]) == (["cc0-1.0"], ["en"], ["1K<n<10K"])
    for told, info in zip(head["configs"], head["dataset_info"], strict=True):
        assert told["config_name"] == info["config_name"]
        for file, split in zip(told["data_files"], info["splits"], strict=True):
            table = pl.read_parquet(tiny.out / file["path"])
            assert (file["split"], table.height, value_bytes(table)) == tuple(
                split[name] for name in ("name", "num_examples", "num_bytes")
            )
            assert [field["name"] for field in info["features"]] == table.columns
        assert info["download_size"] == sum((tiny.out / file["path"]).stat().st_size for file in told["data_files"])
        assert info["dataset_size"] == sum(split["num_bytes"] for split in info["splits"])


def test_value_bytes_count_letters_and_numbers() -> None:
    """Four letters of which one takes two bytes, two numbers, one bool."""
    table = pl.DataFrame({"a": ["ab"], "b": [["é"]], "c": [1], "d": [[1.5]], "e": [True]})
    assert value_bytes(table) == 2 + 2 + 8 + 8 + 1


@pytest.mark.parametrize(("rows", "name"), [(0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (10**6, "n>1M")])
def test_sizes_are_named_as_hubs_do(rows: int, name: str) -> None:
    assert size(rows) == name


@pytest.mark.parametrize("page", ["README.md", "DATASHEET.md", "LICENCES.md"])
def test_pages_are_filled_in_and_link_to_what_is_there(tiny: Any, page: str) -> None:
    text = (tiny.out / page).read_text(encoding="utf-8")
    assert "<<" not in text
    links = re.findall(r"\]\((?!https?://)([^)]+)\)", text)
    named = re.findall(r"`((?:[\w-]+/)?[A-Z]+\.(?:md|cff)|[a-z]+\.json|[a-z0-9_]+/)`", text)
    assert [name for name in (*links, *named) if not (tiny.out / name).exists()] == []


def test_citations_are_understood_or_left_as_they_are(tiny: Any) -> None:
    known = Origin("alpha", "MIT", 'Doe, Roe (2020): "Facts": all of them. ACL, 1–9. arXiv:2001.00001', 3)
    odd = Origin("beta", "MIT", "Ask: the authors # of beta", 2)
    unused = Origin("gamma", "MIT", "Poe (1999): Ravens.", 0)
    told = yaml.safe_load(citation(Facts(read(tiny.out / "stats.json"), (known, odd, unused))))
    assert {"cff-version", "message", "title", "authors", "type"} <= set(told)
    assert told["references"][1:] == [
        {
            "type": "data",
            "title": '"Facts": all of them',
            "authors": [{"family-names": "Doe"}, {"family-names": "Roe"}],
            "year": 2020,
            "notes": "ACL, 1–9. arXiv:2001.00001",
            "url": "https://arxiv.org/abs/2001.00001",
        },
        {"type": "data", "title": "beta", "authors": [{"name": "beta"}], "notes": "Ask: the authors # of beta"},
    ]
    assert told["references"][0]["authors"] == [{"family-names": "Zhang"}, {"family-names": "Wan"}]


def test_every_built_in_citation_is_understood() -> None:
    for source in COLLECTIONS.values():
        assert "year" in reference(source.citation, "data", source.name)


def test_groups_grow_and_hold_nothing_that_is_not_stated() -> None:
    sets = list(GROUPS.values())
    assert all(small < large for small, large in pairwise(sets))
    assert sets[-1] == set(KNOWN.values()) - {UNSTATED}


@pytest.mark.parametrize(
    ("licence", "group"),
    [
        ("CC0-1.0", "public-domain"),
        ("MIT", "permissive"),
        ("CC BY-SA 4.0", "share-alike"),
        ("CC BY-NC 4.0", "non-commercial"),
        ("not stated", "any"),
        ("Ask me", "any"),
    ],
)
def test_a_licence_is_first_allowed_by_its_own_group(licence: str, group: str) -> None:
    assert next(name for name in (*GROUPS, "any") if is_allowed(licence, name)) == group
    address = spdx_address(hub_licence(licence))
    assert address.startswith("https://spdx.org/licenses/") if group != "any" else address == ""

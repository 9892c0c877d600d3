"""The form of a build: what it asks, in which order, what it offers, and what it says of each setting."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from flows.build_dataset import build_dataset
from flows.form import Overrides, chosen_options
from situatedgen.models.registry import known_names
from situatedgen.preset_files import names
from situatedgen.presets import load, nest_overrides
from situatedgen.settings import Settings
from situatedgen.sources.builtin import COLLECTIONS
from situatedgen.sources.params import SourceParams

SCHEMA = build_dataset.parameters.model_dump_for_openapi()
DEFAULTS = {name: each["default"] for name, each in SCHEMA["properties"].items()}


def field(*path: str) -> dict[str, Any]:
    """What the form knows of a parameter, or of a part of it."""
    found: dict[str, Any] = {"properties": SCHEMA["properties"]}
    for name in path:
        inner = found["properties"][name]
        found = {**inner, **SCHEMA["definitions"][inner["$ref"].split("/")[-1]]} if "$ref" in inner else inner
    return found


def test_the_form_asks_in_the_order_of_the_flow() -> None:
    asked = sorted(SCHEMA["properties"], key=lambda name: SCHEMA["properties"][name]["position"])
    first = ["sources", "preset", "out", "store", "strict", "stable_with", "fresh_splits", "decisions", "min_validity"]
    assert asked == [*first, "params", "runtime"]
    limits = {"type": "number", "minimum": 0, "maximum": 1, "default": 0.0}
    assert {name: field("min_validity")[name] for name in limits} == limits
    assert "required" not in SCHEMA
    assert all(value["description"] for value in SCHEMA["properties"].values())


def test_the_form_offers_the_shipped_presets_or_a_file() -> None:
    known, own = field("preset")["anyOf"]
    assert known["enum"] == list(names())
    assert re.search(own["pattern"], "mine.toml")
    assert not re.search(own["pattern"], "embeded")
    assert field("preset")["default"] == "embedded"


def test_the_form_knows_every_param_of_every_stage() -> None:
    assert list(field("params")["properties"]) == list(Settings.model_fields)
    for position, (stage, declared) in enumerate(Settings.model_fields.items()):
        params = getattr(declared.annotation, "model_fields", None)
        assert field("params", stage)["position"] == position
        if params:
            assert list(field("params", stage)["properties"]) == list(params)
            assert field("params", stage)["additionalProperties"] is False


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        (("pairs", "min_similarity"), {"type": "number", "exclusiveMinimum": 0, "maximum": 1}),  # limits on both sides
        (("statements", "min_confidence"), {"type": "number", "minimum": 0, "maximum": 1}),  # inclusive ones
        (("masks", "mask"), {"type": "string", "minLength": 1}),  # a text
        (("entities", "tagger", "weights"), {"type": "string"}),  # a part of a part
    ],
)
def test_the_form_knows_limits(path: tuple[str, ...], facts: dict[str, object]) -> None:
    found = field("params", *path)
    assert {name: found[name] for name in facts} == facts
    assert found["title"] == path[-1]
    assert "default" not in found


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (  # limits, and what presets say, those that say the same together
            ("pairs", "min_similarity"),
            "Minimum similarity of a pair. More than 0, at most 1. Presets: 0.6 (embedded, strict), 0.8 (paper, tiny).",
        ),
        (  # a revision is cut short; one preset has none
            ("entities", "tagger", "revision"),
            "The exact revision of the weights; never latest."
            " Presets: 3.8.0 (embedded, strict), c0da81ac0246… (paper).",
        ),
    ],
)
def test_the_form_says_what_a_setting_means(path: tuple[str, ...], words: str) -> None:
    assert field("params", *path)["description"] == words


def test_the_form_offers_the_built_in_sources_or_ones_own() -> None:
    known, own = field("params", "sources")["items"]["anyOf"]
    described = SCHEMA["definitions"][own["$ref"].split("/")[-1]]
    assert known["enum"] == list(COLLECTIONS)
    assert (described["title"], described["required"]) == ("custom", ["name"])
    assert list(described["properties"]) == list(SourceParams.model_fields)
    assert [name for name, each in described["properties"].items() if each.get("title", name) != name] == []


def test_a_folder_that_is_not_filled_in_is_none() -> None:
    folders = {"sources": "data", "stable_with": "old", "decisions": "said"}
    assert [field(name)["type"] for name in folders] == ["string"] * 3
    given, left = (build_dataset.validate_parameters({**DEFAULTS, **each}) for each in (folders, {}))
    assert {name: given[name] for name in folders} == {name: Path(value) for name, value in folders.items()}
    assert {name: left[name] for name in folders} == dict.fromkeys(folders)


@pytest.mark.parametrize(
    ("stage", "role"), [("statements", "converter"), ("communities", "detector"), ("judged", "judge")]
)
def test_the_form_offers_the_models_of_a_role_or_ones_own(stage: str, role: str) -> None:
    known, own = field("params", stage, role, "name")["anyOf"]
    assert known["enum"] == known_names(role)
    assert re.search(own["pattern"], "mymodels:Gazetteer")
    assert not re.search(own["pattern"], "ruels")


def test_the_form_offers_devices() -> None:
    assert field("runtime", "device")["enum"] == ["auto", "cpu", "cuda", "mps"]
    assert field("runtime", "batch_size")["title"] == "batch_size"


OVERRIDES = ["pairs.min_similarity=0.85", "sources=creak,arc", "entities.tagger.name=fake", "masks.mask=[X]"]


def test_params_of_the_form_mean_what_overrides_mean() -> None:
    params = Overrides.model_validate(nest_overrides(OVERRIDES))
    assert chosen_options("embedded", params) == load("embedded", OVERRIDES)
    named = Overrides.model_validate({"sources": ["creak", "arc"]})
    assert chosen_options("embedded", named) == load("embedded", ["sources=creak,arc"])
    assert chosen_options("paper", Overrides()) == load("paper")


def test_only_what_is_set_is_written_down() -> None:
    params = Overrides.model_validate({"pairs": {"min_similarity": 0.85}, "masks": None, "splits": {"seed": None}})
    assert json.loads(params.model_dump_json()) == {"pairs": {"min_similarity": 0.85}, "splits": {}}
    assert SCHEMA["properties"]["params"]["default"] == {}

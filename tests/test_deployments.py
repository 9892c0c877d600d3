"""The deployments: the form of a build, what is refused before a run, and the commands that people run them with."""

import importlib
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from flows.build_dataset import build_dataset
from flows.options import Overrides, chosen
from flows.pool import end_leftovers, ensure_pool
from situatedgen.models.registry import REGISTRY
from situatedgen.overrides import nested
from situatedgen.presets import load, names
from situatedgen.settings import Settings
from storage.artifacts import ArtifactRef
from storage.outcomes import Outcome
from tasks.reporting import TABLES
from tasks.showing import state_of

ROOT = Path(__file__).parent.parent
DEPLOYMENTS: dict[str, dict[str, Any]] = {
    each["name"]: each for each in yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
}
SCHEMA = build_dataset.parameters.model_dump_for_openapi()


def field(*path: str) -> dict[str, Any]:
    """What the form knows of a parameter, or of a part of it."""
    found: dict[str, Any] = {"properties": SCHEMA["properties"]}
    for name in path:
        inner = found["properties"][name]
        found = {**inner, **SCHEMA["definitions"][inner["$ref"].split("/")[-1]]} if "$ref" in inner else inner
    return found


def test_the_form_asks_in_the_order_of_the_flow() -> None:
    positions = {name: value["position"] for name, value in SCHEMA["properties"].items()}
    assert positions == {
        "sources": 0,
        "preset": 1,
        "params": 2,
        "store": 3,
        "out": 4,
        "strict": 5,
        "stable_with": 6,
        "runtime": 7,
    }
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
        (("masks", "min_masks"), {"type": "integer", "minimum": 0}),  # a limit on one side
        (("masks", "mask"), {"type": "string", "minLength": 1}),  # a text
        (("entities", "tagger", "weights"), {"type": "string"}),  # a part of a part
    ],
)
def test_the_form_knows_limits_and_meaning(path: tuple[str, ...], facts: dict[str, object]) -> None:
    stage, *inner = path
    found = field("params", *path)
    declared = Settings.model_fields[stage].annotation
    for name in inner:
        description = declared.model_fields[name].description  # type: ignore[union-attr]
        declared = declared.model_fields[name].annotation  # type: ignore[union-attr]
    assert {name: found[name] for name in facts} == facts
    assert found["description"] == description
    assert "default" not in found


@pytest.mark.parametrize(("stage", "role"), [("statements", "converter"), ("communities", "detector")])
def test_the_form_offers_the_models_of_a_role_or_ones_own(stage: str, role: str) -> None:
    known, own = field("params", stage, role, "name")["anyOf"]
    assert known["enum"] == list(REGISTRY[role])
    assert re.search(own["pattern"], "mymodels:Gazetteer")
    assert not re.search(own["pattern"], "ruels")


def test_the_form_offers_devices() -> None:
    assert field("runtime", "device")["enum"] == ["auto", "cpu", "cuda", "mps"]


OVERRIDES = ["pairs.min_similarity=0.85", "sources=creak,arc", "entities.tagger.name=fake", "masks.mask=[X]"]


def test_params_of_the_form_mean_what_overrides_mean() -> None:
    params = Overrides.model_validate(nested(OVERRIDES))
    assert chosen("embedded", params) == load("embedded", OVERRIDES)
    assert chosen("paper", Overrides()) == load("paper")


def test_only_what_is_set_is_written_down() -> None:
    params = Overrides.model_validate({"pairs": {"min_similarity": 0.85}, "masks": None, "splits": {"seed": None}})
    assert json.loads(params.model_dump_json()) == {"pairs": {"min_similarity": 0.85}, "splits": {}}
    assert SCHEMA["properties"]["params"]["default"] == {}


def test_each_deployment_names_a_flow_and_parameters_that_it_takes() -> None:
    assert {"full", "sample"} <= set(DEPLOYMENTS)
    for deployment in DEPLOYMENTS.values():
        module, name = deployment["entrypoint"].rsplit(".", 1)
        flow = getattr(importlib.import_module(module), name)
        assert flow.validate_parameters({**_defaults(flow), **deployment["parameters"]})
        assert deployment["concurrency_limit"] == {"limit": 1, "collision_strategy": "ENQUEUE"}
        assert deployment["description"]


def _defaults(flow: Any) -> dict[str, Any]:
    return {name: value["default"] for name, value in flow.parameters.properties.items() if "default" in value}


def test_the_weekly_build_is_off_until_someone_turns_it_on() -> None:
    assert [(each["slug"], each["active"]) for each in DEPLOYMENTS["full"]["schedules"]] == [("weekly", False)]


def test_the_page_on_operating_knows_every_deployment_command_and_state() -> None:
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    deployments = {
        f"{each['entrypoint'].rsplit('.', 1)[1].replace('_', '-')}/{name}" for name, each in DEPLOYMENTS.items()
    }
    commands = {f"prefect flow-run {name} ID" for name in ("execute", "watch", "logs", "inspect", "retry")}
    states = {state_of(outcome).name for outcome in OUTCOMES}
    keys = {*TABLES, "plan", "lineage", "dataset"}
    told = {*deployments, *commands, *states, *keys, "prefect deployment run build-dataset/sample"}
    assert sorted(word for word in told if f"`{word}`" not in page) == []


REF = ArtifactRef(stage="pairs", digest="d", rows=3)
OUTCOMES = [
    Outcome(ref=REF, key="k", seconds=1.0, reused=True),
    Outcome(ref=REF, key="k", seconds=1.0, reused=False, computed=1, recalled=2),
    Outcome(ref=REF, key="k", seconds=1.0, reused=False, computed=3),
]


def test_a_task_run_says_what_came_of_it() -> None:
    told = [(state_of(outcome).name, state_of(outcome).message) for outcome in OUTCOMES]
    assert told == [
        ("Cached", "3 rows reused"),
        ("PartiallyCached", "1 of 3 rows computed"),
        ("Completed", "3 rows made in 1.0 s"),
    ]


MODEL = """
from situatedgen.models import fakes


class Tagger(fakes.FakeTagger):
    def tag(self, texts):
        {work}
"""


class Commands:
    """Prefect's command line, in a folder that holds the deployments and a model of one's own."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder = folder
        self.environment = {**environment, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}

    def write_model(self, work: str) -> None:
        (self.folder / "own.py").write_text(MODEL.format(work=work), encoding="utf-8")

    def __call__(self, *arguments: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "prefect", "--no-prompt", *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=False, timeout=300
        )
        return done.returncode, " ".join((done.stdout + done.stderr).split())

    def scheduled(self, parameters: dict[str, object]) -> str:
        """The id of a new run of the sample."""
        code, printed = self("deployment", "run", "build-dataset/sample", "--params", json.dumps(parameters))
        assert code == 0, printed
        found = re.search(r"UUID: (\S+)", printed)
        assert found, printed
        return found[1]


@pytest.fixture(scope="module")
def prefect(prefect_server: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Commands:
    folder = tmp_path_factory.mktemp("project")
    (folder / "prefect.yaml").write_text((ROOT / "prefect.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    commands = Commands(folder, prefect_server)
    for _ in range(2):
        ensure_pool(prefect_server["PREFECT_API_URL"], "situatedgen")
    code, printed = commands("deploy", "--all")
    assert code == 0, printed
    return commands


@pytest.mark.prefect
@pytest.mark.slow
@pytest.mark.parametrize(
    ("parameters", "word"),
    [
        ({"preset": "embeded"}, "'embeded' is not valid"),  # no such preset
        ({"params": {"pairs": {"min_similarity": 3}}}, "3 is greater than the maximum of 1"),  # over the limit
        ({"params": {"pears": {}}}, "'pears' was unexpected"),  # no such stage
        ({"params": {"entities": {"tagger": {"name": "flare"}}}}, "'flare' is not valid"),  # no such model
    ],
)
def test_bad_parameters_are_refused_before_the_run(prefect: Commands, parameters: dict[str, object], word: str) -> None:
    """The form and `prefect deployment run` both ask the server, as is done here."""
    with httpx.Client(base_url=prefect.environment["PREFECT_API_URL"]) as api:
        deployment = api.get("/deployments/name/build-dataset/sample").json()["id"]
        answer = api.post(f"/deployments/{deployment}/create_flow_run", json={"parameters": parameters})
    assert (answer.status_code, word in answer.text) == (409, True), answer.text


@pytest.mark.prefect
@pytest.mark.slow
def test_runs_that_nobody_makes_any_more_do_not_look_alive(prefect: Commands) -> None:
    with httpx.Client(base_url=prefect.environment["PREFECT_API_URL"]) as api:
        deployment = api.get("/deployments/name/build-dataset/full").json()["id"]
        states = ({"type": "RUNNING"}, {"type": "SCHEDULED"}, {"type": "COMPLETED"})
        asked = [{"state": state} for state in states]
        runs = [api.post(f"/deployments/{deployment}/create_flow_run", json=each).json()["id"] for each in asked]
        assert end_leftovers(prefect.environment["PREFECT_API_URL"], "situatedgen") == 1
        assert [api.get(f"/flow_runs/{run}").json()["state_type"] for run in runs] == [
            "CRASHED",
            "SCHEDULED",
            "COMPLETED",
        ]


@pytest.mark.prefect
@pytest.mark.slow
def test_a_run_that_failed_is_tried_again_and_makes_only_what_is_missing(prefect: Commands) -> None:
    """The run happens in the folder where it is executed; what it made before it failed stays cached."""
    own = {"preset": "tiny", "params": {"entities": {"tagger": {"name": "own:Tagger"}}}}
    prefect.write_model("raise RuntimeError('no weights')")
    run = prefect.scheduled(own)
    prefect("flow-run", "execute", run)
    assert "RuntimeError: no weights" in prefect("flow-run", "inspect", run)[1]
    prefect.write_model("return super().tag(texts)")
    assert prefect("flow-run", "retry", run)[0] == 0
    _, printed = prefect("flow-run", "execute", run)
    assert "Task run 'statements/arc' - Finished in state Cached" in printed
    assert "Task run 'entities' - Finished in state Completed" in printed
    assert sorted(path.name for path in (prefect.folder / "sample-dataset" / "data").glob("*.jsonl")) == [
        "dev.jsonl",
        "test.jsonl",
        "train.jsonl",
    ]
    assert "Finished in state Completed" in prefect("flow-run", "logs", run)[1]
    code, watched = prefect("flow-run", "watch", run)
    assert (code, "Completed" in watched) == (0, True), watched

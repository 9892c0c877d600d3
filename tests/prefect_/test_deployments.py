"""The deployments: what is refused before a run, and the commands that people run them with."""

import importlib
import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
import yaml
from prefect.client.orchestration import SyncPrefectClient
from prefect.exceptions import PrefectHTTPStatusError
from prefect.states import Completed, Running, Scheduled
from prefect.utilities.schema_tools import validate

from flows.local_server import prepare_pool
from process_support import run_python
from storage.builds import Outcome
from storage.store import ArtifactRef
from tasks.artifacts import TABLES, state_of

ROOT = Path(__file__).parents[2]
DEPLOYMENTS: dict[str, dict[str, Any]] = {
    each["name"]: each for each in yaml.safe_load((ROOT / "prefect.yaml").read_text(encoding="utf-8"))["deployments"]
}


def load_flow(deployment: dict[str, Any]) -> Any:
    module, name = deployment["entrypoint"].rsplit(".", 1)
    return getattr(importlib.import_module(module), name)


def test_each_deployment_names_a_flow_and_parameters_that_it_takes() -> None:
    assert sorted(DEPLOYMENTS) == ["captions", "choice", "endings", "flan-t5-base", "full", "hourly", "sample"]
    for deployment in DEPLOYMENTS.values():
        flow = load_flow(deployment)
        known = flow.parameters.properties.items()
        defaults = {name: value["default"] for name, value in known if "default" in value}
        assert flow.validate_parameters({**defaults, **deployment["parameters"]})
        assert deployment["concurrency_limit"] == {"limit": 1, "collision_strategy": "ENQUEUE"}
        assert deployment["description"]
    # The weekly build heeds people, and is off until someone turns it on.
    (weekly,) = DEPLOYMENTS["full"]["schedules"]
    assert (weekly["slug"], weekly["active"], weekly["parameters"]) == ("weekly", False, {"decisions": "decisions"})


def test_every_flow_but_that_of_scores_has_a_deployment() -> None:
    """Which predictions are scored is different every time."""
    files = [path for path in (ROOT / "flows").glob("*.py") if "\n@flow(" in path.read_text(encoding="utf-8")]
    deployed = {each["entrypoint"].split(".")[1] for each in DEPLOYMENTS.values()}
    assert {path.stem for path in files} - deployed == {"evaluate_model"}


def test_the_page_on_operating_knows_every_deployment_command_and_state() -> None:
    page = (ROOT / "docs" / "operating.md").read_text(encoding="utf-8")
    deployments = {
        f"{each['entrypoint'].rsplit('.', 1)[1].replace('_', '-')}/{name}" for name, each in DEPLOYMENTS.items()
    }
    commands = {f"prefect flow-run {name} ID" for name in ("execute", "watch", "logs", "inspect", "retry")}
    states = {state_of(outcome).name for outcome in OUTCOMES}
    keys = {*TABLES, "plan", "dataset"}
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


@pytest.mark.parametrize(
    ("name", "parameters", "word"),
    [
        ("sample", {"preset": "embeded"}, "'embeded' is not valid"),  # no such preset
        ("sample", {"params": {"pairs": {"min_similarity": 3}}}, "3 is greater than the maximum of 1"),
        ("sample", {"params": {"pears": {}}}, "'pears' was unexpected"),  # no such stage
        ("sample", {"params": {"entities": {"tagger": {"name": "flare"}}}}, "'flare' is not valid"),  # no such model
        ("captions", {"settings": {"sources": []}}, "[] should be non-empty"),  # no captions
    ],
)
def test_the_schema_refuses_bad_parameters(name: str, parameters: dict[str, object], word: str) -> None:
    """The server checks parameters by this function of Prefect's before it makes a run."""
    deployment = DEPLOYMENTS[name]
    schema = load_flow(deployment).parameters.model_dump_for_openapi()
    assert validate(deployment["parameters"], schema) == []
    (error,) = validate({**deployment["parameters"], **parameters}, schema)
    assert word in error.message


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

    def __call__(self, *arguments: str) -> str:
        done = run_python("-m", "prefect", "--no-prompt", *arguments, cwd=self.folder, env=self.environment)
        return " ".join((done.stdout + done.stderr).split())

    def scheduled(self, parameters: dict[str, object]) -> str:
        """The id of a new run of the sample."""
        printed = self("deployment", "run", "build-dataset/sample", "--params", json.dumps(parameters))
        found = re.search(r"UUID: (\S+)", printed)
        assert found, printed
        return found[1]


@pytest.fixture(scope="module")
def prefect(
    prefect_server: dict[str, str], prefect_client: SyncPrefectClient, tmp_path_factory: pytest.TempPathFactory
) -> Commands:
    folder = tmp_path_factory.mktemp("project")
    (folder / "prefect.yaml").write_text((ROOT / "prefect.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    commands = Commands(folder, prefect_server)
    for _ in range(2):
        prepare_pool(prefect_client)
    commands("deploy", "--all")
    return commands


@pytest.mark.prefect
@pytest.mark.slow
def test_the_server_refuses_bad_parameters_before_the_run(prefect: Commands, prefect_client: SyncPrefectClient) -> None:
    """The form and `prefect deployment run` both ask the server, as is done here."""
    deployment = prefect_client.read_deployment_by_name("build-dataset/sample").id
    with pytest.raises(PrefectHTTPStatusError, match="'embeded' is not valid"):
        prefect_client.create_flow_run_from_deployment(deployment, parameters={"preset": "embeded"})


@pytest.mark.prefect
@pytest.mark.slow
def test_runs_that_nobody_makes_any_more_do_not_look_alive(
    prefect: Commands, prefect_client: SyncPrefectClient
) -> None:
    deployment = prefect_client.read_deployment_by_name("build-dataset/full").id
    runs = [
        prefect_client.create_flow_run_from_deployment(deployment, state=state)
        for state in (Running(), Scheduled(), Completed())
    ]
    assert prepare_pool(prefect_client) == 1
    states = [prefect_client.read_flow_run(run.id).state_type for run in runs]
    assert states == ["CRASHED", "SCHEDULED", "COMPLETED"]


@pytest.mark.prefect
@pytest.mark.slow
def test_a_run_that_failed_is_tried_again_and_makes_only_what_is_missing(
    prefect: Commands, prefect_client: SyncPrefectClient
) -> None:
    """The run happens in the folder where it is executed; what it made before it failed stays cached."""
    own = {"preset": "tiny", "params": {"entities": {"tagger": {"name": "own:Tagger"}}}}
    prefect.write_model("raise RuntimeError('no weights')")
    run = prefect.scheduled(own)
    prefect("flow-run", "execute", run)
    state = prefect_client.read_flow_run(UUID(run)).state
    assert state is not None
    assert "RuntimeError: no weights" in str(state.message)
    prefect.write_model("return super().tag(texts)")
    prefect("flow-run", "retry", run)
    printed = prefect("flow-run", "execute", run)
    assert "Task run 'statements/arc' - Finished in state Cached" in printed
    assert "Task run 'entities' - Finished in state Completed" in printed
    made = (prefect.folder / "sample-dataset" / "data").glob("*.jsonl")
    assert sorted(path.stem for path in made) == ["dev", "test", "train"]
    assert prefect_client.read_flow_run(UUID(run)).state_name == "Completed"

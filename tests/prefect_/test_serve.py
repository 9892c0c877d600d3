"""`make serve`: a server, the deployments and a worker that come together, and go together however they are ended."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from prefect.client.schemas.filters import FlowFilter, FlowRunFilter

from flows.local_server import END_WITH_PARENT, HOST, free_port
from prefect_support import alive, family, serve, serving_in
from process_support import until

SCHEDULED = FlowRunFilter.model_validate({"state": {"type": {"any_": ["SCHEDULED"]}}})
WATCH = FlowFilter.model_validate({"name": {"any_": ["watch-sources"]}})


SLEEPY = {"entities": {"tagger": {"name": "own:Sleepy"}}}
MODEL = """
import time
from pathlib import Path
from situatedgen.models import fakes


class Sleepy(fakes.FakeTagger):
    def tag(self, texts):
        Path("asleep").touch()
        time.sleep(3600)
"""


@pytest.mark.prefect
@pytest.mark.slow
def test_deployments_run_in_the_folder_and_ctrl_c_ends_everything(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(MODEL, encoding="utf-8")
    with serving_in(tmp_path) as serving:
        assert f"running at {serving.site}; press Ctrl-C to stop" in serving.read_output()
        # The pages ask the right port.
        assert httpx.get(f"{serving.site}/ui-settings", timeout=300).json()["api_url"] == f"{serving.site}/api"
        command = [sys.executable, "-m", "flows.local_server"]
        second = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert f"already running at {serving.site} (process {serving.process.pid})" in second.stderr

        until(lambda: serving.client.read_flow_runs(flow_filter=WATCH, flow_run_filter=SCHEDULED))

        built = serving.start("build-dataset/sample", preset="tiny", out="served")
        assert serving.wait_for(built).name == "Completed"
        assert (tmp_path / "served" / "data" / "train.jsonl").is_file()
        until(lambda: "items/arc: 92 rows made in" in serving.read_log(built))

        failed = serving.start("build-dataset/sample", preset="tiny", params={"candidates": {"floor": 0.95}})
        why = "candidates.floor is 0.95; expected at most pairs.min_similarity, which is 0.8"
        state = serving.wait_for(failed)
        assert (state.name, why in str(state.message)) == ("Failed", True), state
        until(lambda: why in serving.read_log(failed))
        assert "Traceback" not in serving.read_log(failed)

        going_on = serving.start("build-dataset/sample", preset="tiny", params=SLEEPY, out="never")
        until((tmp_path / "asleep").exists)
        everyone = family(serving.process.pid)
        assert len(everyone) >= 4
        serving.process.send_signal(signal.SIGINT)
        assert serving.process.wait(timeout=300) == 0
        assert alive(everyone) == set()
        assert serving.read_output().endswith("stopped\n")
    with serving_in(tmp_path) as serving:
        assert serving.client.read_flow_run(going_on).state_name == "Crashed"


@pytest.mark.slow
@pytest.mark.skipif(not END_WITH_PARENT, reason="setpriv is not installed")
def test_a_killed_one_leaves_no_server(tmp_path: Path) -> None:
    (tmp_path / "prefect.yaml").write_text("deployments: []", encoding="utf-8")
    process, log = serve(tmp_path, free_port()), tmp_path / ".prefect" / "server.log"
    until(lambda: log.exists() and log.stat().st_size)
    everyone = family(process.pid)
    assert len(everyone) >= 2
    process.kill()
    process.wait()
    until(lambda: alive(everyone) == set())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("prefect_yaml", "word"),
    [
        (False, "no prefect.yaml in"),  # not in the folder of the project
        (True, "is in use by another program"),  # something else listens there
    ],
)
def test_what_stands_in_the_way_is_said(tmp_path: Path, prefect_yaml: bool, word: str) -> None:
    if prefect_yaml:
        (tmp_path / "prefect.yaml").write_text("", encoding="utf-8")
    with socket.create_server((HOST, 0)) as listening:
        process = serve(tmp_path, listening.getsockname()[1])
        assert process.wait(timeout=300) == 1
    assert word in (tmp_path / "serve.out").read_text(encoding="utf-8")

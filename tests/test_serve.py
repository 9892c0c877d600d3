"""`make serve`: a server, the deployments and a worker that come together, and go together however they are ended."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from flows.server import HOST, free_port
from flows.serving import AlreadyServingError, alone
from flows.testing import Serving, alive, family, serve, serving_in, until

RUN = {"preset": "tiny", "out": "served"}


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    with serving_in(tmp_path_factory.mktemp("project")) as found:
        yield found


@pytest.mark.prefect
@pytest.mark.slow
def test_it_says_where_it_is_and_its_pages_ask_the_right_port(serving: Serving) -> None:
    assert f"serving at http://{HOST}:{serving.port}; Ctrl-C stops it" in serving.said()
    assert serving.get("/ui-settings")["api_url"] == f"http://{HOST}:{serving.port}/api"


@pytest.mark.prefect
@pytest.mark.slow
def test_the_hourly_look_at_the_sources_is_scheduled(serving: Serving) -> None:
    asked = {"flow_runs": {"state": {"type": {"any_": ["SCHEDULED"]}}}, "flows": {"name": {"any_": ["watch-sources"]}}}
    until(lambda: serving.post("/flow_runs/count", asked))
    until(lambda: len(serving.post("/flow_runs/filter", asked)) > 1)


@pytest.mark.prefect
@pytest.mark.slow
def test_a_second_one_says_where_the_first_is(serving: Serving) -> None:
    second = subprocess.run(
        [sys.executable, "-m", "flows.serving"], cwd=serving.folder, capture_output=True, text=True, check=True
    )
    assert f"already serving at http://{HOST}:{serving.port} (process {serving.process.pid})" in second.stderr


@pytest.mark.prefect
@pytest.mark.slow
def test_a_run_of_a_deployment_builds_in_the_folder_and_ctrl_c_ends_everything(serving: Serving) -> None:
    deployment = serving.get("/api/deployments/name/build-dataset/sample")["id"]
    run = serving.post(f"/deployments/{deployment}/create_flow_run", {"parameters": RUN})["id"]
    assert serving.ended(run)["state_name"] == "Completed"
    assert (serving.folder / "served" / "data" / "train.jsonl").is_file()
    everyone = family(serving.process.pid)
    assert len(everyone) >= 3
    serving.process.send_signal(signal.SIGINT)
    assert serving.process.wait(timeout=60) == 0
    assert alive(everyone) == set()
    assert serving.said().endswith("stopped\n")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux only")
def test_a_killed_one_leaves_no_process(tmp_path: Path) -> None:
    (tmp_path / "prefect.yaml").write_text("deployments: []", encoding="utf-8")
    process = serve(tmp_path, free_port())
    until(lambda: len(family(process.pid)) > 1)
    # The server asks the kernel to be ended with its parent before it loads anything.
    time.sleep(1)
    everyone = family(process.pid)
    process.kill()
    process.wait()
    until(lambda: alive(everyone) == set(), seconds=30)


CHAIN = """
import signal, sys, time
from pathlib import Path
from flows.server_process import attached
attached("{next}", log=Path("log"), environment={{}}, end=signal.SIGKILL)
time.sleep(600)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel ends orphans on Linux only")
def test_a_worker_takes_its_runs_along(tmp_path: Path) -> None:
    """Whoever serves is killed; the worker goes, and with it the run that the worker started."""
    (tmp_path / "worker.py").write_text(CHAIN.format(next="run"), encoding="utf-8")
    (tmp_path / "run.py").write_text("import time\ntime.sleep(600)\n", encoding="utf-8")
    (tmp_path / "serve.py").write_text(CHAIN.format(next="worker"), encoding="utf-8")
    given = {**os.environ, "PYTHONPATH": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "serve.py"], cwd=tmp_path, env=given)
    until(lambda: len(family(process.pid)) == 3, seconds=60)
    time.sleep(1)
    everyone = family(process.pid)
    process.kill()
    process.wait()
    until(lambda: alive(everyone) == set(), seconds=30)


def test_only_one_serves_from_a_home(tmp_path: Path) -> None:
    first, second = (alone(tmp_path / "home", f"http://127.0.0.1:{port}") for port in (1, 2))
    told = r"already serving at http://127\.0\.0\.1:1 \(process \d+\)"
    with first, pytest.raises(AlreadyServingError, match=told), second:
        pass
    with alone(tmp_path / "home", "http://127.0.0.1:3"):
        assert "http://127.0.0.1:3" in (tmp_path / "home" / "serving.lock").read_text(encoding="utf-8")


@contextmanager
def socket_at() -> Iterator[int]:
    with socket.create_server((HOST, 0)) as listening:
        yield listening.getsockname()[1]


@pytest.mark.parametrize(
    ("prefect_yaml", "port_taken", "word"),
    [
        (False, False, "no prefect.yaml in"),  # not in the folder of the project
        (True, True, "is taken by another program"),  # something else listens there
    ],
)
@pytest.mark.slow
def test_what_stands_in_the_way_is_said(tmp_path: Path, prefect_yaml: bool, port_taken: bool, word: str) -> None:
    if prefect_yaml:
        (tmp_path / "prefect.yaml").write_text("", encoding="utf-8")
    with socket_at() as taken:
        process = serve(tmp_path, taken if port_taken else free_port())
        assert process.wait(timeout=60) == 1
    assert word in (tmp_path / "serve.out").read_text(encoding="utf-8")

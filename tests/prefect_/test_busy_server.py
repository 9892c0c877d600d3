"""A Prefect server that is busy, as its SQLite is on a loaded machine, is asked again."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
from prefect.exceptions import FailedRun
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows import local_server
from flows.local_server import connect
from process_support import run_python
from situatedgen.errors import SituatedGenError
from tasks.runners import reach_prefect


@contextmanager
def answering(codes: list[int]) -> Iterator[str]:
    """A server on loopback that answers with these codes, one after the other."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(codes.pop(0))
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(b"true")

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/api"
        finally:
            server.shutdown()
            thread.join()


def test_a_busy_server_is_asked_again() -> None:
    codes = [503, 503, 200]
    with answering(codes) as address, connect(address) as client:
        assert client.api_healthcheck() is None
    assert codes == []


@pytest.mark.parametrize(
    ("codes", "said"),
    [
        ([503, 503, 200], ""),
        ([404], "cannot reach the Prefect server (Client error '404"),
    ],
)
def test_a_dask_worker_says_whether_it_reaches_the_server(codes: list[int], said: str) -> None:
    with answering(codes) as address, temporary_settings({PREFECT_API_URL: address}):
        found = reach_prefect()
    assert (found == "") == (said == "")
    assert found.startswith(said)


BUILD = "from flows.local_server import api\nwith api(): print('ready')"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("codes", "code", "printed", "error"),
    [
        ([503, 503, 200], 0, "ready\n", ""),  # busy, then it answers
        ([404], 1, "", "but no Prefect server responds there; start it, unset the variable"),  # something else is there
    ],
)
def test_a_build_uses_the_server_that_is_configured(codes: list[int], code: int, printed: str, error: str) -> None:
    with answering(codes) as address:
        done = run_python("-c", BUILD, code=code, env={**os.environ, "PREFECT_API_URL": address})
    assert done.stdout == printed
    assert error in done.stderr


def test_a_failure_whose_exception_is_lost_keeps_its_message(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_server, "_configured_or_temporary", nullcontext)
    with pytest.raises(SituatedGenError, match="line 2: expected JSON"), local_server.api():
        raise FailedRun("line 2: expected JSON")

"""Asking a Prefect server: again while it is busy, not when it refuses."""

import json
import urllib.error
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from flows import pool


@contextmanager
def answering(codes: list[int]) -> Iterator[str]:
    """A server on loopback that answers with these codes, one after the other."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            content = self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(codes.pop(0))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "PAUSE", 0.0)


def test_a_busy_server_is_asked_again() -> None:
    codes = [503, 503, 200]
    with answering(codes) as address:
        assert pool.post(address, {"a": 1}) == {"a": 1}
    assert codes == []


@pytest.mark.parametrize(("codes", "left"), [([404, 200], [200]), ([503] * (pool.ATTEMPTS + 1), [503])])
def test_a_refusal_is_an_answer_and_patience_ends(codes: list[int], left: list[int]) -> None:
    with answering(codes) as address, pytest.raises(urllib.error.HTTPError) as raised:
        pool.post(address, json.loads("{}"))
    raised.value.close()
    assert codes == left

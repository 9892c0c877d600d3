"""What tests of the review page share: a server in this process, and visitors who came in by their links."""

import secrets
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from flows.local_server import HOST
from flows.review.app import Round, review_app
from flows.review.keyring import Holder
from flows.review.rounds import Request, round_of
from flows.testing import until
from storage.store import Store


class Visitor(httpx.Client):
    """A browser that keeps the cookie, and sends what a page of ours would send."""

    def decide(self, pair: str, answers: Mapping[str, str], **more: Any) -> httpx.Response:  # Any: whatever is tried
        """What the server says to an answer."""
        content = {"pair": pair, "answers": dict(answers), "token": secrets.token_hex(16), **more}
        return self.post("/decisions", json=content)


@contextmanager
def visiting(site: str, served: Round, holder: Holder) -> Iterator[Visitor]:
    """The browser of somebody who came in by their link."""
    with Visitor(base_url=site, headers={"Origin": site, "Sec-Fetch-Site": "same-origin"}, timeout=30) as visitor:
        visitor.post("/session", json={"link": served.keys.link(holder)}).raise_for_status()
        visitor.headers["X-Form-Token"] = served.keys.form_token(visitor.cookies[served.cookie])
        yield visitor


@contextmanager
def serving(served: Round) -> Iterator[str]:
    """The address of a round that is served from this process."""
    config = uvicorn.Config(
        review_app(served),
        host=HOST,
        port=0,
        log_level="critical",
        lifespan="off",
        ws="none",
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        until(lambda: server.started)
        yield f"http://{HOST}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


def round_in(folder: Path, **asked: Any) -> Round:  # Any: the fields of a request
    """A round over the dataset in a folder, with its decisions beside it."""
    return round_of(Request(folder / "dataset", folder / "decisions", Store(folder / "store"), **asked))

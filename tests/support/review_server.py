"""What tests of the review page share: a server in this process, and visitors who signed in by their links."""

import re
import secrets
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import uvicorn

from flows.review.app import Review, review_app
from flows.review.security import User
from flows.review.server import ReviewRequest, open_review
from storage.store import Store


class Visitor(httpx.Client):
    """A browser that keeps the cookie, and sends what a page of ours would send."""

    def decide(self, pair: str, answers: Mapping[str, str], **more: Any) -> httpx.Response:  # Any: whatever is tried
        """What the server says to an answer."""
        content = {"pair": pair, "answers": dict(answers), "token": secrets.token_hex(16), **more}
        return self.post("/decisions", json=content)

    def undo(self, token: str = "", **more: Any) -> httpx.Response:  # Any: what httpx takes
        """What the server says when the last answer is taken back."""
        return self.post("/undo", json={"token": token or secrets.token_hex(16)}, **more)


@contextmanager
def visiting(site: str, review: Review, user: User) -> Iterator[Visitor]:
    """The browser of somebody who signed in by their link."""
    with Visitor(base_url=site, headers={"Origin": site, "Sec-Fetch-Site": "same-origin"}, timeout=300) as visitor:
        visitor.post("/session", json={"link": review.links.link(user)}).raise_for_status()
        token = re.search(r'name="form-token" content="([^"]+)"', visitor.get("/").text)
        visitor.headers["X-Form-Token"] = token.group(1) if token else ""
        yield visitor


@contextmanager
def serving(review: Review) -> Iterator[str]:
    """The address of a review that is served from this process."""
    # Connections wait in the listener's queue until the server accepts them, so that nobody has to wait for its start.
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(review_app(review), log_level="critical", lifespan="off", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()


def review_in(folder: Path, dataset: str = "dataset", **asked: Any) -> Review:  # Any: the fields of a request
    """A review of the dataset in a folder, with its decisions beside it."""
    return open_review(ReviewRequest(folder / dataset, folder / "decisions", Store(folder / "store"), **asked))


def read_lines(review: Review) -> list[str]:
    """Every line of the log as it is on disk."""
    return [line for path in review.service.log.files() for line in path.read_text("utf-8").splitlines()]

"""What several test files share: one tiny build of the shipped sample, small sources, models that count."""

import importlib
import json
import logging
import os
import sys
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from obstore.store import LocalStore, MemoryStore

from flows.local_server import HOST, QUIET, connect, free_port, run_server
from process_support import run_python
from storage import keys
from storage.builds import Build
from storage.filesystem import BucketPath, StorePath, locate
from storage.store import Store
from store_support import build

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from prefect.client.orchestration import SyncPrefectClient

# How long an example takes is the machine's affair, and no test fails over it.
settings.register_profile("untimed", deadline=None)
settings.register_profile("fast", deadline=None, max_examples=15)
settings.load_profile("untimed")


@dataclass(frozen=True)
class Built:
    """A finished build with its store and dataset folder."""

    build: Build
    store: Store
    out: Path


@pytest.fixture(scope="session")
def draw_once() -> Iterator[None]:
    """Draw the figures of equal statistics once: they are half of what publishing a small dataset takes."""
    from situatedgen.dataset import figures  # noqa: PLC0415

    drawn: dict[str, dict[str, figures.Drawing]] = {}
    own = figures.draw_figures

    def draw(*numbers: Any) -> dict[str, figures.Drawing]:
        key = repr(numbers)
        if key not in drawn:
            drawn[key] = own(*numbers)
        return dict(drawn[key])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "draw_figures", draw)
        yield


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory, draw_once: None) -> Built:
    """The shipped sample, built with weightless models."""
    folder = tmp_path_factory.mktemp("tiny")
    store, out = Store(folder / "store"), folder / "dataset"
    return Built(build(store, out=out), store, out)


PLACES = ("Japan", "Brazil", "Norway", "Kenya", "Peru", "Italy", "Nepal", "Chile")
CLAIMS = ("{} has many tall mountains.", "Farmers in {} sell fresh fruit.", "The {} team plays football.")
QUESTIONS = ("Does the harvest in {} begin early?", "Is breakfast served late in {}?")


@pytest.fixture(scope="session")
def few(tmp_path_factory: pytest.TempPathFactory, draw_once: None) -> Path:
    """Two small sources: claims, and yes/no questions, of a few patterns each."""
    root = tmp_path_factory.mktemp("few")
    claims = [pattern.format(place) for pattern in CLAIMS for place in PLACES]
    questions = [(pattern.format(place), place < "K") for pattern in QUESTIONS for place in PLACES]
    rows = [json.dumps({"sentence": text, "label": "true"}) + "\n" for text in claims]
    asked = [{"question": text, "answer": answer} for text, answer in questions]
    files = {
        "creak/train.json": "".join(rows[:-4]),
        "creak/dev.json": "".join(rows[-4:]),
        "strategyqa/strategyqa_train.json": json.dumps(asked),
        "strategyqa/strategyqa_train_filtered.json": json.dumps(asked[:2]),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


METHODS = {"Converter": "convert", "Tagger": "tag", "Nouns": "find", "Parser": "parse", "Encoder": "encode"}
"""The method of each weightless model that a module of one's own counts."""
COUNTED = """
import json
import os
import time

from situatedgen.models import fakes


def note(role, texts):
    texts = [each if isinstance(each, str) else f"{each.text} {each.answer}" for each in texts]
    with open(os.environ["ASKED"], "a", encoding="utf-8") as stream:
        stream.writelines(json.dumps([role, text]) + "\\n" for text in texts)
    time.sleep(float(os.environ.get("SLOWLY", "0")))
""" + "".join(
    f"""

class {name}(fakes.Fake{name}):
    def {method}(self, texts):
        note("{name.lower()}", texts)
        return super().{method}(texts)
"""
    for name, method in METHODS.items()
)


@dataclass(frozen=True)
class Counted:
    """A module `counted` of one's own models, which are the weightless ones and write down what they are asked."""

    folder: Path

    OVERRIDES = (
        "statements.converter.name=counted:Converter",
        "entities.tagger.name=counted:Tagger",
        "keywords.nouns.name=counted:Nouns",
        "embeddings.encoder.name=counted:Encoder",
        "parses.parser.name=counted:Parser",
    )

    def write(self, text: str = COUNTED) -> None:
        """Make this the text of the module, as if it had been edited between two builds."""
        (self.folder / "counted.py").write_text(text, encoding="utf-8")
        forget("counted")

    def asked(self) -> list[tuple[str, str]]:
        """Role and text of all that was asked since this was last called."""
        log = self.folder / "asked.jsonl"
        lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
        log.unlink(missing_ok=True)
        return [(role, text) for role, text in map(json.loads, lines)]


def forget(module: str) -> None:
    """Make the next import of a module, and the next look at its code, see what its file says now."""
    sys.modules.pop(module, None)
    importlib.invalidate_caches()
    for each in vars(keys).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


@pytest.fixture
def counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counted]:
    """Models of one's own that count."""
    folder = tmp_path / "own"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("ASKED", str(folder / "asked.jsonl"))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    models = Counted(folder)
    models.write()
    yield models
    forget("counted")


@pytest.fixture
def with_server(prefect_server: dict[str, str]) -> dict[str, str]:
    """The environment of a command that finds the shared server, whatever else a test has set in its own."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    return {**prefect_server, **own}


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """The environment of whoever talks to the Prefect server, with all its services, that tests share."""
    home, port = tmp_path_factory.mktemp("prefect"), free_port()
    given = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT")}
    address = f"http://{HOST}:{port}/api"
    with run_server(port, home):
        told = {"PREFECT_LOGGING_LEVEL": "INFO", "PREFECT_HOME": str(home), "PREFECT_API_URL": address}
        yield {**given, **QUIET, **told}


@pytest.fixture(scope="session")
def prefect_client(prefect_server: dict[str, str]) -> Iterator["SyncPrefectClient"]:
    """Prefect's own client of the shared server, which asks again where the server is busy."""
    with connect(prefect_server["PREFECT_API_URL"]) as client:
        yield client


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    """A real browser; for one file, because no other event loop can run in its thread."""
    from review_browser import browsing  # noqa: PLC0415

    with browsing() as found:
        yield found


@pytest.fixture
def run_flow(prefect_server: dict[str, str]) -> Callable[..., None]:
    """Run a script with the shared server, in a process that finds what this one finds."""

    def run(script: str, *words: object) -> None:
        run_python("-c", script, *words, env=prefect_server)

    return run


@pytest.fixture
def read_artifacts(prefect_client: "SyncPrefectClient") -> Callable[..., dict[str, Any]]:
    """What the artifacts of some keys hold on the shared server, by key."""
    from prefect.client.schemas.filters import ArtifactFilter  # noqa: PLC0415

    def read(*keys: str) -> dict[str, Any]:
        chosen = ArtifactFilter.model_validate({"key": {"any_": list(keys)}})
        return {str(each.key): each.data for each in prefect_client.read_artifacts(artifact_filter=chosen)}

    return read


class Service:
    """An S3 service that counts its requests, serves one at a time, and fails when told to."""

    def __init__(self, serve: Any) -> None:
        self._serve, self._lock = serve, Lock()
        self.requests: Counter[str] = Counter()
        self.faults: list[Fault] = []

    def __call__(self, environment: dict[str, Any], start: Any) -> Any:
        with self._lock:
            self.requests[environment["REQUEST_METHOD"]] += 1
            serve = partial(self._serve, environment)
            return self.faults.pop(0)(environment, serve, start) if self.faults else serve(start)


Fault = Callable[[dict[str, Any], Callable[..., Any], Any], Any]
"""What is done about a request instead: its environment, what would serve it, and how the answer begins."""


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """An S3 service on this machine with a bucket `shared`; this process, and all that it starts, are sent there."""
    import boto3  # noqa: PLC0415
    from moto.moto_server import werkzeug_app as moto  # noqa: PLC0415
    from werkzeug.serving import make_server  # noqa: PLC0415

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    served = Service(moto.DomainDispatcherApplication(moto.create_backend_app))
    server = make_server(HOST, 0, served, threaded=True, request_handler=moto.MotoRequestHandler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    nothing = str(tmp_path_factory.mktemp("aws") / "none")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("AWS_CA_BUNDLE", raising=False)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{HOST}:{server.server_port}")
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            patch.setenv(name, "testing")
        for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
            patch.setenv(name, nothing)
        client = boto3.client("s3", region_name="us-east-1")
        client.create_bucket(Bucket="shared")
        client.close()
        yield served
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture
def bucket(service: Service) -> BucketPath:
    """A prefix of one's own in a bucket."""
    found = locate(f"s3://shared/teams/{uuid.uuid4().hex}")
    assert isinstance(found, BucketPath)
    return found


@pytest.fixture(params=["disk", "bucket", "memory", "local"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> StorePath:
    """Where a store may be, an S3 service and obstore's own two among them: the contract is the same everywhere."""
    if request.param == "disk":
        return tmp_path / "store"
    if request.param == "memory":
        return BucketPath("memory://test", "store", MemoryStore())
    if request.param == "local":
        return BucketPath("file://test", "store", LocalStore(tmp_path))
    found: BucketPath = request.getfixturevalue("bucket")
    return found


SECONDS = {"prefect": 15.0, "slow": 3.0}
"""What a test with a mark takes, roughly; one with neither takes next to nothing."""
SHARED = {"draw_once", "service", "place"}
"""Fixtures that build or serve: whoever takes one is marked."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that build, and puts the files that take long first, so that workers end together."""
    seconds: Counter[Path] = Counter()
    for item in items:
        if SHARED & set(getattr(item, "fixturenames", ())):
            item.add_marker("build")
        marks = (SECONDS[mark.name] for mark in item.iter_markers() if mark.name in SECONDS)
        seconds[item.path] += max(marks, default=0.1)
    items.sort(key=lambda item: -seconds[item.path])


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--record`, which rewrites the golden files."""
    parser.addoption("--record", action="store_true", help="rewrite the golden files")

"""What several test files share: one tiny build of the shipped sample."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.outcomes import Build
from storage.plain import build_dataset
from storage.planning import Order
from storage.store import Store


@dataclass(frozen=True)
class Built:
    """A finished build with its store and dataset folder."""

    build: Build
    store: Store
    out: Path


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The shipped sample, built with weightless models."""
    folder = tmp_path_factory.mktemp("tiny")
    store, out = Store(folder / "store"), folder / "dataset"
    order = Order(load("tiny", ()), sample_folder())
    return Built(build_dataset(order, store=store, out=out, runtime=Runtime()), store, out)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds `--record`, which rewrites the golden files."""
    parser.addoption("--record", action="store_true", help="rewrite the golden files")

"""Builds without Prefect: the same stages, the same store, the same keys."""

from functools import partial
from pathlib import Path

from situatedgen.runtime import Runtime
from storage.clusters import spread_by
from storage.outcomes import Build
from storage.planning import Order
from storage.publication import publish
from storage.runner import build, run_all
from storage.store import Store


def build_dataset(order: Order, *, store: Store, out: Path, runtime: Runtime) -> Build:
    """The finished build of an order, published into a folder."""
    with spread_by(runtime):
        finished = build(order, store, partial(run_all, store=store, runtime=runtime))
        publish(finished, store=store, out=out)
    return finished

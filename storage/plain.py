"""Builds without Prefect: the same stages, the same store, the same keys."""

from functools import partial
from pathlib import Path

from situatedgen.runtime import Runtime
from storage.clusters import spread_by
from storage.outcomes import Build
from storage.planning import Order
from storage.publication import publish, ready_to_draw
from storage.runner import build, run_all
from storage.store import Store


def build_dataset(order: Order, *, store: Store, out: Path, runtime: Runtime) -> Build:
    """The finished build of an order, published into a folder."""
    with spread_by(runtime), ready_to_draw(partial(run_all, store=store, runtime=runtime)) as execute:
        finished = build(order, store, execute)
        publish(finished, store=store, out=out)
    return finished

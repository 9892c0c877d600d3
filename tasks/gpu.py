"""A slot of the GPU, held while a model that runs there is asked: a concurrency limit of the Prefect server."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache

from prefect.concurrency.asyncio import ConcurrencySlotAcquisitionError
from prefect.concurrency.sync import concurrency

from situatedgen.errors import SituatedGenError
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

log = logging.getLogger(__name__)
LIMIT = "gpu"
LEASE_SECONDS = 60
"""How long a slot stays taken after its holder was killed; whoever lives renews it."""


@contextmanager
def gpu_slot(role: str, params: ModelParams, runtime: Runtime) -> Iterator[None]:
    """Hold a slot where the model runs on a GPU; where the server has no such limit, say so and go on."""
    with ExitStack() as stack:
        if uses_gpu(role, params, runtime):
            _take(stack)
        yield


def uses_gpu(role: str, params: ModelParams, runtime: Runtime) -> bool:
    """Whether a model of this process runs on a GPU; one of the user's own may, where the device is one."""
    found = registry.entry(role, params.name)
    if found.one_core or found.remote or runtime.device == "cpu":
        return False
    return runtime.device != "auto" or _is_there()


@cache
def _is_there() -> bool:
    from situatedgen.models.weights import choose  # noqa: PLC0415 (torch)

    return choose("auto").type != "cpu"


def _take(stack: ExitStack) -> None:
    slot = concurrency(LIMIT, occupy=1, lease_duration=LEASE_SECONDS, strict=True, raise_on_lease_renewal_failure=False)
    try:
        stack.enter_context(slot)
    except ConcurrencySlotAcquisitionError as error:
        if error.__cause__ is not None:
            raise SituatedGenError(f"no slot of the GPU could be had from the Prefect server: {error}") from error
        _say_missing()


@cache
def _say_missing() -> None:
    """Say once a process that nobody limits who uses the GPU."""
    log.warning(
        "the Prefect server has no concurrency limit %r, so that nothing limits how many use the GPU at once;"
        " `prefect gcl create %s --limit 1` sets it to one",
        LIMIT,
        LIMIT,
    )

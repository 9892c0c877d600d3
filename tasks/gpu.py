"""GPU slots: a Prefect concurrency limit held while a model runs on the GPU."""

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
"""How long a slot stays occupied after its holder was killed; a live holder renews its lease."""


@contextmanager
def gpu_slot(role: str, params: ModelParams, runtime: Runtime) -> Iterator[None]:
    """Hold a slot if the model runs on a GPU; if the server has no such limit, log a warning and continue."""
    with ExitStack() as stack:
        if uses_gpu(role, params, runtime):
            _acquire_slot(stack)
        yield


def uses_gpu(role: str, params: ModelParams, runtime: Runtime) -> bool:
    """Whether a model runs on a GPU in this process; assumed of custom models if the device is a GPU."""
    found = registry.entry(role, params.name)
    if found.one_core or found.remote or runtime.device == "cpu":
        return False
    return runtime.device != "auto" or _has_gpu()


@cache
def _has_gpu() -> bool:
    from situatedgen.models.weights import choose  # noqa: PLC0415 (torch)

    return choose("auto").type != "cpu"


def _acquire_slot(stack: ExitStack) -> None:
    slot = concurrency(LIMIT, occupy=1, lease_duration=LEASE_SECONDS, strict=True, raise_on_lease_renewal_failure=False)
    try:
        stack.enter_context(slot)
    except ConcurrencySlotAcquisitionError as error:
        if error.__cause__ is not None:
            raise SituatedGenError(f"cannot acquire a GPU slot from the Prefect server: {error}") from error
        _warn_unlimited()


@cache
def _warn_unlimited() -> None:
    """Warn, once per process, that the use of the GPU is not limited."""
    log.warning(
        "the Prefect server has no concurrency limit %r, so any number of tasks may use the GPU at once;"
        " to allow one at a time, run `prefect gcl create %s --limit 1`",
        LIMIT,
        LIMIT,
    )

"""Where neural models run."""

import torch

from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime


def prepare(runtime: Runtime) -> torch.device:
    """The device that the runtime asks for, after its limit on threads is set.

    Raises:
        SettingsError: the device is not there.
    """
    if runtime.threads:
        torch.set_num_threads(runtime.threads)
    return choose(runtime.device)


def choose(name: str) -> torch.device:
    """The device of that name; `auto` is the first of cuda, mps and cpu that is there.

    Raises:
        SettingsError: the device is not there.
    """
    available = _available()
    if name == "auto":
        return torch.device(available[0])
    if name not in available:
        raise SettingsError(f"device {name!r} is not available here; available: auto, {', '.join(available)}")
    return torch.device(name)


def _available() -> list[str]:
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    return [name for name, is_there in there.items() if is_there]

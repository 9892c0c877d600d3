"""Work that another process does only where it has the same code: else a key would promise what was not done."""

import socket
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Generic

from situatedgen.errors import SettingsError
from situatedgen.spreading import Made
from storage.fingerprint import fingerprint

OURS = ("situatedgen", "storage")


@dataclass(frozen=True)
class Alike(Generic[Made]):
    """A function, where it is defined, and the fingerprint of the code that it reaches."""

    function: Callable[..., Made]
    target: str
    code: str

    def __call__(self, *unit: object) -> Made:
        """What the function makes of a unit.

        Raises:
            SettingsError: the code of this process is another.
        """
        if fingerprint(self.target) != self.code:
            raise other_code(self.target)
        return self.function(*unit)


def alike(function: Callable[..., Made]) -> Callable[..., Made]:
    """A function that refuses to work where its code is another; one that is not of ours as it is."""
    target = _target(function)
    return Alike(function, target, fingerprint(target)) if target.partition(".")[0] in OURS else function


def other_code(what: str) -> SettingsError:
    """The error for a process that has not the code of the one that sent it work."""
    return SettingsError(
        f"the worker on {socket.gethostname()} has other code for {what} than where the build was started;"
        " install the same version of situatedgen there, and start the worker again"
    )


def _target(function: Callable[..., object]) -> str:
    inner = function.func if isinstance(function, partial) else function
    owner = getattr(inner, "__self__", None)
    named = inner if owner is None else type(owner)
    return f"{named.__module__}:{named.__qualname__}"

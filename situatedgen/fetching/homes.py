"""Where the built-in sources live, and what their files are known by."""

import tomllib
from collections.abc import Sequence
from functools import cache

from pydantic import Field

from situatedgen.errors import SettingsError, unknown
from situatedgen.params import Params
from situatedgen.resources import read_text
from situatedgen.sources.names import BUILT_IN


class Wanted(Params):
    """A file that is read: where it belongs below the sources folder, and the sha256 it is known by."""

    file: str
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    member: str = Field("", description="The end of its path in an archive; empty where it is the download itself.")


class Home(Params):
    """An address, and the files that come from there."""

    source: str
    address: str
    files: tuple[Wanted, ...]

    @property
    def place(self) -> str:
        """Its name below a mirror, and in the folder of downloads: the source, then the last part of the address."""
        return f"{self.source}/{self.address.rpartition('/')[2]}"

    def at(self, mirror: str) -> "Home":
        """The same files, from a mirror."""
        return self.model_copy(update={"address": f"{mirror.rstrip('/')}/{self.place}"})


def homes(names: Sequence[str] = (), mirror: str | None = None) -> tuple[Home, ...]:
    """The homes of sources, in their order; of all five when none is named.

    Raises:
        SettingsError: a source is not known, or the mirror is not an address.
    """
    for name in names:
        if name not in BUILT_IN:
            raise unknown("source", name, BUILT_IN)
    chosen = [home for name in dict.fromkeys(names or BUILT_IN) for home in table()[name]]
    return tuple(home.at(_checked(mirror)) for home in chosen) if mirror else tuple(chosen)


@cache
def table() -> dict[str, tuple[Home, ...]]:
    """All homes, by source."""
    found = tomllib.loads(read_text("homes.toml"))
    return {
        name: tuple(Home.model_validate({"source": name, **home}) for home in entries)
        for name, entries in found.items()
    }


def _checked(mirror: str) -> str:
    if not mirror.startswith(("http://", "https://")):
        raise SettingsError(f"--mirror is {mirror!r}; expected an address that begins with http:// or https://")
    return mirror

"""A sources folder brought up to date with the homes of the built-in sources, which are asked only for what changed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Literal

from situatedgen.fetching.download import PAUSES, Version
from situatedgen.fetching.fetch import Fetched, Home, Options, beside, fetch, homes
from situatedgen.sources.names import BUILT_IN
from situatedgen.sources.params import SourceParams
from situatedgen.sources.registry import COLLECTIONS
from storage.filesystem import StorePath
from storage.store import Store
from storage.watching import place

Upstream = Literal["ignore", "report", "accept"]
"""What is done about the homes: nothing; changes are kept aside and reported; changes are taken."""


def refresh(
    names: Sequence[str],
    folder: Path,
    store: Store,
    *,
    upstream: Upstream,
    mirror: str | None = None,
    pauses: Sequence[float] = PAUSES,
) -> list[Fetched]:
    """What came of each home that was asked, and none when they are to be ignored.

    The versions that came are written down, so that only another one is downloaded the next time.

    Raises:
        SettingsError: a source has no home, or the mirror is not an address.
        StoreError: the store cannot be written.
    """
    if upstream == "ignore" or not names:
        return []
    asked, known, accept = homes(names, mirror), versions(store, folder), upstream == "accept"
    taken = {home.address for home in asked if accept and waiting(home, folder)}
    fresh = {address: version for address, version in known.items() if address not in taken}
    found = fetch(asked, folder, Options(refresh=True, accept_changed=accept, pauses=pauses), known=fresh)
    _record(store, folder, {**known, **{each.home.address: each.version for each in found if each.version}})
    return found


def with_homes(sources: Sequence[SourceParams], folder: Path) -> list[str]:
    """The sources that are asked for: the built-in ones that are named, else those in the folder, else all."""
    if sources:
        return [source.name for source in sources if source.built_in]
    there = [name for name in BUILT_IN if any((folder / part.file).is_file() for part in COLLECTIONS[name].files)]
    return there or list(BUILT_IN)


def waiting(home: Home, folder: Path) -> list[Path]:
    """The files of a home that changed, and wait beside their places for a person."""
    aside = [beside(folder / wanted.file, "new") for wanted in home.files]
    return [path for path in aside if path.exists()]


def failures(found: Sequence[Fetched]) -> list[str]:
    """The homes that could not be asked, each with the reason."""
    return list(dict.fromkeys(each.problem for each in found if each.problem))


def news(found: Sequence[Fetched], folder: Path) -> list[str]:
    """The files that changed where they live and wait for a person, since now or since an earlier look."""
    return [
        f"{path} waits: the file has changed where it lives, and differs from the one that is read;"
        " look at it, then accept changes or delete it"
        for each in found
        for path in waiting(each.home, folder)
    ]


def versions(store: Store, folder: Path) -> dict[str, Version]:
    """The versions that a folder was last brought up to, by address."""
    found = store.read_json(_path(store, folder)) or {}
    kept = found.get("versions")
    if not isinstance(kept, dict):
        return {}
    return {address: Version(str(value["etag"]), str(value["modified"])) for address, value in kept.items()}


def _record(store: Store, folder: Path, found: Mapping[str, Version]) -> None:
    store.write_json(_path(store, folder), {"versions": {name: asdict(each) for name, each in found.items()}})


def _path(store: Store, folder: Path) -> StorePath:
    return store.root / "seen" / f"{place(folder)}.json"

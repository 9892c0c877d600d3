"""The builds of a store, the newest first, each read when it is first looked at."""

from collections.abc import Iterator, Mapping
from itertools import islice

from pydantic import ValidationError

from storage.outcomes import Build, Outcome
from storage.store import Store

RECENT = 10
"""How many builds are looked through for one with the same settings."""


class History:
    """The builds of a store that can be read, the newest first."""

    def __init__(self, store: Store) -> None:
        self._read: list[Build] = []
        self._rest = _newest_first(store)

    def __iter__(self) -> Iterator[Build]:
        """Every build; one that was read before is not read again."""
        yield from self._read
        for build in self._rest:
            self._read.append(build)
            yield build

    def outcomes(self, artifact: str) -> Iterator[tuple[Build, Outcome]]:
        """What came of an artifact in every build that had it, the newest first."""
        for build in self:
            yield from ((build, outcome) for outcome in build.outcomes if outcome.ref.name == artifact)

    def last(self, artifact: str, settings: Mapping[str, object] | None = None) -> Outcome | None:
        """What came of an artifact in the newest build that had it, and where there is a recent one, these settings.

        Two presets may take turns in one store; each is then compared with itself.
        """
        recent = (outcome for build in islice(self, RECENT) if build.settings == settings for outcome in build.outcomes)
        alike = (outcome for outcome in recent if outcome.ref.name == artifact)
        return next(alike, None) or next((outcome for _, outcome in self.outcomes(artifact)), None)


def _newest_first(store: Store) -> Iterator[Build]:
    for path in reversed(store.json_files("builds")):
        value = store.read_json(path)
        try:
            if value is not None:
                yield Build.model_validate(value)
        except ValidationError:
            continue

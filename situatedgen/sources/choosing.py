"""What of its sources a build uses: those that are not excluded, and of them what its licences allow."""

from collections.abc import Sequence
from pathlib import Path

from situatedgen.commongen.params import ConceptSettings
from situatedgen.errors import SourceError, unknown
from situatedgen.rules.licensing import ANY, is_allowed
from situatedgen.settings import Settings
from situatedgen.sources.names import KNOWN
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.sources.registry import choose, find


def wanted(settings: Settings | ConceptSettings, root: Path) -> tuple[ItemParams, ...]:
    """How each source that a build uses is read, sorted by name.

    A source whose licence is allowed is read as if no licences were asked for, so that its artifacts are the same.

    Raises:
        SourceError: a source cannot be found, all are excluded, or none is under a licence that is allowed.
        SettingsError: a source that is excluded is not known.
    """
    _check_known(settings)
    found = choose(settings.sources, root, _supplements(settings))
    left = [source for source in found if source.name not in settings.exclude_sources]
    if not left:
        raise SourceError(f"every source of {root} is excluded: {', '.join(source.name for source in found)}")
    if not any(_may_be_allowed(source, settings.licences) for source in left):
        raise _none_allowed(left, settings.licences)
    return tuple(_restricted(source, settings.licences) for source in left)


def _check_known(settings: Settings | ConceptSettings) -> None:
    known = {*KNOWN, *(source.name for source in settings.sources)}
    for name in settings.exclude_sources:
        if name not in known:
            raise unknown("source to exclude", name, known)


def _may_be_allowed(source: SourceParams, licences: str) -> bool:
    """Whether a group holds the licence of a source; of one whose records have their own, only reading tells."""
    return bool(source.record_licence) or is_allowed(find(source).licence, licences)


def _restricted(source: SourceParams, licences: str) -> ItemParams:
    is_free = licences == ANY or (not source.record_licence and is_allowed(find(source).licence, licences))
    return ItemParams(source=source) if is_free else ItemParams(source=source, licences=licences)


def _none_allowed(left: Sequence[SourceParams], licences: str) -> SourceError:
    named = ", ".join(f"{source.name} ({find(source).licence})" for source in left)
    return SourceError(f"nothing is left: no source is under a licence of the group {licences!r}: {named}")


def _supplements(settings: Settings | ConceptSettings) -> tuple[str, ...]:
    return settings.supplements if isinstance(settings, Settings) else ()

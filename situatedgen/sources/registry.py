"""The registry of sources, and the choice of those that a build reads, by name and licence."""

import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pydantic import Field, ValidationError

from situatedgen.errors import SourceError, unknown
from situatedgen.params import Params
from situatedgen.rules.licences import ANY, Group, is_allowed
from situatedgen.sources.builtin import COLLECTIONS, READABLE
from situatedgen.sources.custom import OwnSource, reader_digest
from situatedgen.sources.params import ItemParams, SourceParams
from situatedgen.sources.source import Source, file_digests

FILE = "licence.toml"


class FolderLicence(Params):
    """The content of `licence.toml`, which applies to every row below its folder."""

    licence: str = Field(min_length=1)
    citation: str = Field(min_length=1)


def folder_licence(root: Path) -> FolderLicence | None:
    """The licence and citation that a folder declares for all of its sources; None if it has no such file.

    Raises:
        SourceError: the file exists, but does not hold a licence and a citation.
    """
    path = root / FILE
    if not path.is_file():
        return None
    try:
        return FolderLicence.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SourceError(f"{path}: expected `licence` and `citation` as texts, found {error}") from error


LICENCE_FIELDS = ("licence", "citation")


def find(params: SourceParams) -> Source:
    """The source that the params describe; a built-in one keeps its licence unless the params override it."""
    if not params.built_in:
        return OwnSource(params)
    given = {name: getattr(params, name) for name in LICENCE_FIELDS if name in params.model_fields_set}
    return replace(READABLE[params.name], **given)


def choose(sources: Sequence[SourceParams], root: Path, supplements: Sequence[str] = ()) -> tuple[SourceParams, ...]:
    """The sources that a build reads from a folder, sorted by name.

    These are the named ones; if none is named, the built-in ones and supplements of which the folder has a file.

    Raises:
        SourceError: there is no such folder, it contains none of the sources, or a file of one is missing.
    """
    if not root.is_dir():
        raise SourceError(f"expected a folder of sources at {root}, found none")
    looked_for = (*COLLECTIONS, *supplements)
    chosen = tuple(sources) or tuple(SourceParams(name=name) for name in looked_for if _present(name, root))
    if not chosen:
        raise SourceError(f"expected at least one source in {root}, found none; looked for: {_expected_files()}")
    for params in chosen:
        check_files(params, root)
    return tuple(sorted((_add_folder_licence(params, root) for params in chosen), key=lambda params: params.name))


def check_files(params: SourceParams, root: Path) -> None:
    """Raise if a file of a source is missing.

    Raises:
        SourceError: a file is missing.
    """
    for part in find(params).parts(root):
        if not (root / part.file).is_file():
            raise SourceError(f"source {params.name!r}: expected the file {root / part.file}, found none")


def source_digests(params: SourceParams, root: Path) -> dict[str, str]:
    """The sha256 of everything that a source is read from: its files by name, and its custom reader.

    Raises:
        SourceError: a file is missing or cannot be read.
        SettingsError: the reader cannot be found.
    """
    digests = file_digests(find(params), root)
    return {**digests, params.reader: reader_digest(params.reader)} if params.reader else digests


def _add_folder_licence(params: SourceParams, root: Path) -> SourceParams:
    """Apply the licence of the folder to a built-in source, unless the params override its licence."""
    folder = folder_licence(root)
    if folder is None or not params.built_in or params.model_fields_set.intersection(LICENCE_FIELDS):
        return params
    return params.model_copy(update=folder.model_dump())


def _present(name: str, root: Path) -> bool:
    return any((root / part.file).is_file() for part in READABLE[name].files)


def _expected_files() -> str:
    return ", ".join(part.file for source in COLLECTIONS.values() for part in source.files)


class SourceSettings(Protocol):
    """The settings about sources: user-defined ones, excluded ones, supplements, and the allowed licences."""

    @property
    def sources(self) -> tuple[SourceParams, ...]: ...  # noqa: D102

    @property
    def exclude_sources(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def supplements(self) -> tuple[str, ...]: ...  # noqa: D102

    @property
    def licences(self) -> Group: ...  # noqa: D102


def choose_sources(settings: SourceSettings, root: Path) -> tuple[ItemParams, ...]:
    """The item params of each source that a build uses, sorted by name.

    A source whose licence is allowed is read as if no licences were requested, so that its cached artifacts are reused.

    Raises:
        SourceError: a source cannot be found, all are excluded, or none has an allowed licence.
        SettingsError: an excluded source is unknown.
    """
    _check_known(settings)
    found = choose(settings.sources, root, settings.supplements)
    left = [source for source in found if source.name not in settings.exclude_sources]
    if not left:
        raise SourceError(f"every source of {root} is excluded: {', '.join(source.name for source in found)}")
    if not any(_may_be_allowed(source, settings.licences) for source in left):
        raise _nothing_allowed_error(left, settings.licences)
    return tuple(_restrict_licences(source, settings.licences) for source in left)


def _check_known(settings: SourceSettings) -> None:
    known = {*READABLE, *(source.name for source in settings.sources)}
    for name in settings.exclude_sources:
        if name not in known:
            raise unknown("source to exclude", name, known)


def _may_be_allowed(source: SourceParams, licences: str) -> bool:
    """Whether the group allows a source's licence; always true if each record has its own licence."""
    return bool(source.record_licence) or is_allowed(find(source).licence, licences)


def _restrict_licences(source: SourceParams, licences: str) -> ItemParams:
    is_free = licences == ANY or (not source.record_licence and is_allowed(find(source).licence, licences))
    return ItemParams(source=source) if is_free else ItemParams(source=source, licences=licences)


def _nothing_allowed_error(left: Sequence[SourceParams], licences: str) -> SourceError:
    named = ", ".join(f"{source.name} ({find(source).licence})" for source in left)
    return SourceError(f"no source has a licence in the group {licences!r}: {named}")

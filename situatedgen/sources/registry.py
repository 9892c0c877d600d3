"""Which sources there are, and which of them a build reads."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from situatedgen.errors import SourceError
from situatedgen.sources.arc import ARC
from situatedgen.sources.collection import Collection
from situatedgen.sources.commonsenseqa import COMMONSENSEQA
from situatedgen.sources.creak import CREAK, CREAK_EXPLANATIONS
from situatedgen.sources.licences import folder_licence
from situatedgen.sources.openbookqa import OPENBOOKQA
from situatedgen.sources.own import OwnSource
from situatedgen.sources.params import SourceParams
from situatedgen.sources.readers import reader_digest
from situatedgen.sources.source import Source, file_digests
from situatedgen.sources.strategyqa import STRATEGYQA, STRATEGYQA_FACTS

LICENCE_FIELDS = ("licence", "citation")
COLLECTIONS: dict[str, Collection] = {
    source.name: source for source in (ARC, COMMONSENSEQA, CREAK, OPENBOOKQA, STRATEGYQA)
}
SUPPLEMENTS: dict[str, Collection] = {source.name: source for source in (CREAK_EXPLANATIONS, STRATEGYQA_FACTS)}
READABLE = COLLECTIONS | SUPPLEMENTS


def find(params: SourceParams) -> Source:
    """The source that params describe; a built-in one keeps its licence unless the params give another."""
    if not params.built_in:
        return OwnSource(params)
    given = {name: getattr(params, name) for name in LICENCE_FIELDS if name in params.model_fields_set}
    return replace(READABLE[params.name], **given)


def choose(sources: Sequence[SourceParams], root: Path, supplements: Sequence[str] = ()) -> tuple[SourceParams, ...]:
    """The sources that a build reads from a folder, sorted by name.

    Those that are named; when none is named, those built-in ones and supplements of which the folder holds a file.

    Raises:
        SourceError: there is no such folder, none of the sources is in it, or a file of one is missing.
    """
    if not root.is_dir():
        raise SourceError(f"expected a folder of sources at {root}, found none")
    looked_for = (*COLLECTIONS, *supplements)
    chosen = tuple(sources) or tuple(SourceParams(name=name) for name in looked_for if _present(name, root))
    if not chosen:
        raise SourceError(f"expected at least one source in {root}, found none; looked for: {_looked_for()}")
    for params in chosen:
        check_files(params, root)
    return tuple(sorted((_licensed(params, root) for params in chosen), key=lambda params: params.name))


def check_files(params: SourceParams, root: Path) -> None:
    """Nothing, when every file of a source is there.

    Raises:
        SourceError: a file is missing.
    """
    for part in find(params).parts(root):
        if not (root / part.file).is_file():
            raise SourceError(f"source {params.name!r}: expected the file {root / part.file}, found none")


def source_digests(params: SourceParams, root: Path) -> dict[str, str]:
    """The sha256 of everything that a source is read from: its files by name, and a reader of your own.

    Raises:
        SourceError: a file is missing or cannot be read.
        SettingsError: the reader cannot be found.
    """
    digests = file_digests(find(params), root)
    return {**digests, params.reader: reader_digest(params.reader)} if params.reader else digests


def _licensed(params: SourceParams, root: Path) -> SourceParams:
    """A source with the licence of its folder, unless it has one of its own."""
    folder = folder_licence(root)
    if folder is None or not params.built_in or params.model_fields_set.intersection(LICENCE_FIELDS):
        return params
    return params.model_copy(update=folder.model_dump())


def _present(name: str, root: Path) -> bool:
    return any((root / part.file).is_file() for part in READABLE[name].files)


def _looked_for() -> str:
    return ", ".join(part.file for source in COLLECTIONS.values() for part in source.files)

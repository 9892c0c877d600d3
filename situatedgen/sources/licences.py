"""The licence of a whole folder of sources, where it is not that of the collections it is laid out like."""

import tomllib
from pathlib import Path

from pydantic import Field, ValidationError

from situatedgen.errors import SourceError
from situatedgen.params import Params

FILE = "licence.toml"


class FolderLicence(Params):
    """What `licence.toml` says of every row below its folder."""

    licence: str = Field(min_length=1)
    citation: str = Field(min_length=1)


def folder_licence(root: Path) -> FolderLicence | None:
    """The licence and citation that a folder gives for all of its sources; nothing when it gives none.

    Raises:
        SourceError: the file is there, but does not hold a licence and a citation.
    """
    path = root / FILE
    if not path.is_file():
        return None
    try:
        return FolderLicence.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, ValidationError) as error:
        raise SourceError(f"{path}: expected `licence` and `citation` as texts, found {error}") from error

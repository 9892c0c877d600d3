"""Everything that situatedgen raises on purpose.

SituatedGenError
├── SettingsError          a preset, param, stage or model name that is not known, or a bad value
├── SourceError            a source file that is missing, unreadable, empty, or inconsistent
│   └── RecordError        one record of a source file that is malformed (strict builds stop here)
├── SchemaError            a table whose columns, types, order or key are not as declared
├── ModelError             weights that are missing or are not the pinned ones, a model that answers wrongly
├── PredictionError        a file of predictions that does not answer the examples, line by line
├── DecisionError          a decision about a pair that cannot be taken, or a line of the log that is none
├── LeakError              a statement, text or template that would stand in two splits
├── ValidityError          a dataset of which fewer pairs are valid than was asked for
└── StoreError             a store that cannot be read or written
"""

from collections.abc import Iterable
from difflib import get_close_matches


class SituatedGenError(Exception):
    """Any error that situatedgen raises on purpose; its message is meant for a person."""


class SettingsError(SituatedGenError):
    """A setting that cannot be used."""


class SourceError(SituatedGenError):
    """A source that cannot be read as what it claims to be."""


class RecordError(SourceError):
    """One malformed record of a source file."""


class SchemaError(SituatedGenError):
    """A table that is not as its schema says."""


class ModelError(SituatedGenError):
    """A model that cannot be loaded, or whose answer cannot be used."""


class PredictionError(SituatedGenError):
    """A file of predictions that cannot be scored."""


class DecisionError(SituatedGenError):
    """A decision of a person that cannot be taken."""


class LeakError(SituatedGenError):
    """Something that would stand in two splits of one dataset."""


class ValidityError(SituatedGenError):
    """A dataset of which too few pairs are valid."""


class StoreError(SituatedGenError):
    """A store that cannot be read or written."""


def unknown(what: str, name: str, known: Iterable[str]) -> SettingsError:
    """The error for a name that is not known, with the known ones and the nearest."""
    names = sorted(known)
    nearest = get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return SettingsError(f"unknown {what} {name!r}; known: {', '.join(names)}{hint}")

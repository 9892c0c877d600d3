"""Exception hierarchy: every error that situatedgen raises on purpose.

SituatedGenError
├── SettingsError          an unknown preset, param, stage or model name, or an invalid value
├── SourceError            a missing, unreadable, empty or inconsistent source file
│   └── RecordError        a malformed record in a source file (strict builds stop here)
├── SchemaError            a table whose columns, types, sort order or key do not match its schema
├── ModelError             weights that are missing or not the pinned ones, or a model with invalid output
├── PredictionError        a predictions file that does not match the examples
├── DecisionError          an invalid decision about a pair, or an invalid line in the decision log
├── LeakError              a statement, text or template that would occur in two splits
├── ValidityError          a dataset with a lower share of valid pairs than required
└── StoreError             a store that cannot be read or written
"""

from collections.abc import Iterable
from difflib import get_close_matches


class SituatedGenError(Exception):
    """Base class of all errors that situatedgen raises on purpose; the message is written for the user."""


class SettingsError(SituatedGenError):
    """An unknown or invalid setting."""


class SourceError(SituatedGenError):
    """A source that cannot be read in its declared format."""


class RecordError(SourceError):
    """A malformed record in a source file."""


class SchemaError(SituatedGenError):
    """A table that does not match its schema."""


class ModelError(SituatedGenError):
    """A model that cannot be loaded, or whose output is invalid."""


class PredictionError(SituatedGenError):
    """A predictions file that cannot be scored."""


class DecisionError(SituatedGenError):
    """An invalid decision by an annotator."""


class LeakError(SituatedGenError):
    """Content that would occur in two splits of one dataset."""


class ValidityError(SituatedGenError):
    """A dataset with too low a share of valid pairs."""


class StoreError(SituatedGenError):
    """A store that cannot be read or written."""


def unknown(what: str, name: str, known: Iterable[str]) -> SettingsError:
    """Build the error for an unknown name; its message lists the known names and suggests the closest match."""
    names = sorted(known)
    nearest = get_close_matches(name, names, n=1)
    hint = f"; did you mean {nearest[0]!r}?" if nearest else ""
    return SettingsError(f"unknown {what} {name!r}; known: {', '.join(names)}{hint}")

"""The vocabularies that decide which words are concepts: all words, or the single words of ConceptNet."""

from collections.abc import Sequence
from pathlib import Path

from situatedgen.errors import SettingsError
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime


class AnyWord:
    """Accepts every word as a concept."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Need neither params nor runtime."""

    def known(self, words: Sequence[str]) -> list[bool]:
        """True for each word."""
        return [True] * len(words)


class ConceptNetWords:
    """Accepts the single words in a file with lines `relation TAB head TAB tail`, or with one word per line.

    The file is given as the model's `weights`, so that its checksum is part of the cache key.
    """

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        self._words = single_words(Path(params.weights))

    def known(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is in the file."""
        return [word in self._words for word in words]


def single_words(path: Path) -> frozenset[str]:
    """The single words in a ConceptNet file, in lower case.

    Raises:
        SettingsError: there is no such file.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"cannot read the vocabulary {path}: {error}; give a ConceptNet file") from error
    fields = (line.split("\t") for line in lines)
    named = (name.strip().lower() for found in fields for name in (found[1:3] if len(found) > 1 else found))
    return frozenset(name for name in named if name and " " not in name)

"""Which words are concepts: any, or the single words of ConceptNet."""

from collections.abc import Sequence
from pathlib import Path

from situatedgen.errors import SettingsError
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime


class AnyWord:
    """Takes every word for a concept."""

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:
        """Nothing is needed."""

    def known(self, words: Sequence[str]) -> list[bool]:
        """Yes, of each word."""
        return [True] * len(words)


class ConceptNetWords:
    """Takes the single words among the heads and tails of a file `relation TAB head TAB tail`, or a word a line.

    The file is the model's `weights`, so that its content is part of the key of what is made with it.
    """

    def __init__(self, params: ModelParams, runtime: Runtime) -> None:  # noqa: ARG002
        self._words = single_words(Path(params.weights))

    def known(self, words: Sequence[str]) -> list[bool]:
        """Whether each word is one of them."""
        return [word in self._words for word in words]


def single_words(path: Path) -> frozenset[str]:
    """The single words of a file of ConceptNet, in lower case.

    Raises:
        SettingsError: there is no such file.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SettingsError(f"expected a vocabulary at {path}: {error}; give the file of ConceptNet") from error
    fields = (line.split("\t") for line in lines)
    named = (name.strip().lower() for found in fields for name in (found[1:3] if len(found) > 1 else found))
    return frozenset(name for name in named if name and " " not in name)

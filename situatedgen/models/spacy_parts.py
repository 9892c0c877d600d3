"""Parts of speech as spaCy's attribute ruler gives them, remembered by what the ruler looks at."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from spacy.pipeline import AttributeRuler
from spacy.tokens import Doc

_SET = frozenset({"POS", "TAG", "DEP"})
_SEEN: list[int | str] = ["TAG", "LOWER", "DEP", "IS_SPACE"]

Key: TypeAlias = tuple[int, int, int, int]
"""Tag, word where a pattern names it, dependency, and the one before where a pattern of two words opens with it."""


class PartsOfSpeech:
    """Gives each token of an analysis the part of speech that the attribute ruler would.

    The ruler tries each of its patterns on each token, a third of the time of a parse. But what it says of a
    token depends on little, so that it is asked only about the texts in which something is new.
    """

    def __init__(self, ruler: AttributeRuler) -> None:
        self._ruler = ruler
        self._known: dict[Key, int] = {}
        strings, patterns = ruler.vocab.strings, _patterns(ruler)
        self._words = frozenset(
            strings[word] for pattern in patterns for one in pattern for word in _named(one, "LOWER")
        )
        self._openers = frozenset(strings[name] for first, *rest in patterns if rest for name in _named(first, "DEP"))

    def __call__(self, doc: Doc) -> Doc:
        """The analysis, its tokens with their parts of speech."""
        rows = doc.to_array(_SEEN).tolist()
        if any(is_space for *_, is_space in rows):
            return self._ruler(doc)
        keys = list(self._keys(rows))
        if not self._known.keys() >= set(keys):
            return self._learned(doc, keys)
        return _filled(doc, [self._known[key] for key in keys])

    def _keys(self, rows: list[list[int]]) -> Iterator[Key]:
        before = 0
        for tag, lower, dep, _ in rows:
            yield tag, lower if lower in self._words else 0, dep, before
            before = dep if dep in self._openers else 0

    def _learned(self, doc: Doc, keys: list[Key]) -> Doc:
        ruled = self._ruler(doc)
        self._known |= {key: token.pos for key, token in zip(keys, ruled, strict=True)}
        return ruled


def _filled(doc: Doc, parts: Sequence[int]) -> Doc:
    for token, part in zip(doc, parts, strict=True):
        token.pos = part
    return doc


def _patterns(ruler: AttributeRuler) -> list[list[dict[str, Any]]]:  # Any: a value, or a table of conditions
    """The patterns, token by token, that say something of what is read here; lemmas and the like are not."""
    entries: list[Mapping[str, Any]] = [*ruler.patterns]
    return [pattern for entry in entries if _SET & entry["attrs"].keys() for pattern in entry["patterns"]]


def _named(token: Mapping[str, Any], attribute: str) -> list[str]:
    """The values that the pattern of a token names for an attribute."""
    match token.get(attribute):
        case str(value):
            return [value]
        case {"IN": [*values]}:
            return [str(value) for value in values]
    return []

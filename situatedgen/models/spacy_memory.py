"""The analyses of short texts kept in mind: answers, and the frames around them, come again and again."""

from collections.abc import Callable, Iterable, Sequence

from spacy.tokens import Doc

LONGEST = 28
"""The letters of the longest text that is kept; longer ones hardly ever come again."""
MOST = 10_000


class RememberingParser:
    """A parser that gives a short text the analysis it gave it before; the least lately used are forgotten."""

    def __init__(self, parse: Callable[[Sequence[str]], Iterable[Doc]], *, most: int = MOST) -> None:
        self._parse = parse
        self._most = most
        self._kept: dict[str, Doc] = {}

    def __call__(self, texts: Sequence[str]) -> list[Doc]:
        """The analysis of each text, in order."""
        known = {text: self._kept.pop(text) for text in dict.fromkeys(texts) if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        found = known | dict(zip(new, self._parse(new), strict=True))
        self._keep({text: doc for text, doc in found.items() if len(text) <= LONGEST})
        return [found[text] for text in texts]

    def _keep(self, docs: dict[str, Doc]) -> None:
        self._kept |= docs
        for text in list(self._kept)[: -self._most]:
            del self._kept[text]

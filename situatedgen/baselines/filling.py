"""Other keywords in the places of a training example's own."""

import re
from collections.abc import Mapping, Sequence

from situatedgen.baselines.cases import Lesson
from situatedgen.baselines.copying import capitalised


def filled(lesson: Lesson, replacements: Sequence[str | None]) -> tuple[str, str]:
    """The two statements of a lesson with a replacement in the place of each keyword; None leaves it.

    Example:
        >>> lesson = Lesson("1", ("snow", "Norway", "Peru"), (0, 0, 1), ("Norway has snow.", "Peru has none."))
        >>> filled(lesson, ["sun", "Mali", None])
        ('Mali has sun.', 'Peru has none.')
    """
    first, second = (_replaced(lesson.statements[side], _of_side(lesson, replacements, side)) for side in (0, 1))
    return first, second


def _of_side(lesson: Lesson, replacements: Sequence[str | None], side: int) -> dict[str, str]:
    triples = zip(lesson.keywords, lesson.positions, replacements, strict=True)
    return {old: new if new is not None else old for old, position, new in triples if position == side}


def _replaced(statement: str, words: Mapping[str, str]) -> str:
    """A statement with words replaced at once, the longest first, so that none is replaced within another."""
    if not words:
        return statement
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    return pattern.sub(lambda match: _placed(words[match.group()], match), statement)


def _placed(word: str, match: re.Match[str]) -> str:
    """A word as it stands in the place of a match: a sentence begins with a capital where it did before."""
    begins = match.start() == 0 and match.group()[:1].isupper()
    return capitalised(word) if begins else word

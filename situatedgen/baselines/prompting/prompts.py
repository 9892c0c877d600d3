"""The words of a prompt, and the sentences in an answer."""

import re
from collections.abc import Sequence

from situatedgen.baselines.cases import Case, Lesson
from situatedgen.dataset.configuration import KEYWORD_SEPARATOR
from situatedgen.errors import SettingsError
from situatedgen.seeds import generator

INSTRUCTION = "Generate a pair of contrastive sentences with the given set of keywords."
KEYWORDS, SENTENCES = "Keywords:", "Sentences:"
NEXT_CASE = re.compile(rf"^\s*{KEYWORDS}", re.MULTILINE)
LABEL = re.compile(rf"^\s*{SENTENCES}")


def prompt(case: Case, demonstrations: Sequence[Lesson]) -> str:
    """The instruction, the demonstrations with their answers, and the case without one (Table 8).

    Example:
        >>> shown = Lesson("1", ("sun", "day", "night"), (0, 0, 1), ("The sun shines by day.", "It is dark at night."))
        >>> print(prompt(Case("2", ("snow", "winter")), [shown]))
        Generate a pair of contrastive sentences with the given set of keywords.
        <BLANKLINE>
        Keywords: sun, day, night
        Sentences: The sun shines by day. It is dark at night.
        <BLANKLINE>
        Keywords: snow, winter
        Sentences:
    """
    shown = [f"{_asked(lesson.keywords)} {lesson.text}" for lesson in demonstrations]
    return "\n\n".join([INSTRUCTION, *shown, _asked(case.keywords)])


def demonstrations(case: Case, lessons: Sequence[Lesson], *, shots: int, seed: int) -> list[Lesson]:
    """So many training examples, drawn anew for each case; the draw does not depend on the other cases.

    Raises:
        SettingsError: there are fewer training examples than that.
    """
    if shots > len(lessons):
        raise SettingsError(f"--shots is {shots}, but the dataset has {len(lessons)} training examples")
    return generator(seed, "demonstrations", case.example_id).sample(list(lessons), shots)


def sentences(answer: str) -> str:
    r"""The sentences of an answer in one line, without the label before and without cases that the model went on to.

    Example:
        >>> sentences("Sentences: It is hot.\nIt is cold.\n\nKeywords: sun, moon")
        'It is hot. It is cold.'
    """
    without_more = NEXT_CASE.split(answer, maxsplit=1)[0]
    return " ".join(LABEL.sub("", without_more).split())


def _asked(keywords: Sequence[str]) -> str:
    return f"{KEYWORDS} {KEYWORD_SEPARATOR.join(keywords)}\n{SENTENCES}"

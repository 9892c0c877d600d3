"""The colours of the review page can be told apart, by day and by night (WCAG 2, level AA)."""

import re

import pytest

from flows.review.app import read_static

ENOUGH = 4.5
TEXTS = [
    ("ink", "ground"),
    ("ink", "sheet"),
    ("soft", "ground"),
    ("soft", "sheet"),
    ("place-ink", "place"),
    ("time-ink", "time"),
    ("main-ink", "main"),
    ("main", "ground"),
    ("good", "good-ground"),
    ("bad", "bad-ground"),
    ("ink", "bad-ground"),
    ("bad", "sheet"),
    ("sheet", "bad"),
    ("alert-ink", "alert"),
]


def colours(style: str) -> dict[str, str]:
    """The colours that a stretch of the style sheet declares."""
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", style))


def palettes() -> dict[str, dict[str, str]]:
    style = read_static("review.css").decode("utf-8")
    day, _, rest = style.partition("@media (prefers-color-scheme: dark)")
    return {"day": colours(day), "night": colours(rest)}


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Between 1 (the same) and 21 (black on white).

    Example:
        >>> contrast("#000000", "#ffffff")
        21.0
    """
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("time", ["day", "night"])
@pytest.mark.parametrize(("text", "ground"), TEXTS)
def test_text_stands_out(time: str, text: str, ground: str) -> None:
    palette = palettes()[time]
    assert contrast(palette[text], palette[ground]) >= ENOUGH


def test_day_and_night_have_the_same_colours() -> None:
    both = palettes()
    assert both["day"].keys() == both["night"].keys()

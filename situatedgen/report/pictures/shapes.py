"""What pictures are made of: boxes, lines, discs and words, in pixels from the upper left corner."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from situatedgen.vocabulary import Context, Split

BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
"""Four of the colours of Okabe and Ito, told apart by people with any kind of colour vision."""
ON_COLOUR = "#14181c"
"""Words on one of the lighter colours, in a page of any brightness."""
INK, FAINT, RULE, OUT, PAPER = "#22282e", "#5f6b76", "#e3e7eb", "#c3cbd3", "#ffffff"
SPLIT_COLOURS = {Split.TRAIN: BLUE, Split.DEV: ORANGE, Split.TEST: GREEN}
CONTEXT_COLOURS = {Context.GEO: BLUE, Context.TEMP: ORANGE, Context.BOTH: PURPLE}
Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True, slots=True)
class Box:
    """A filled rectangle; a hint is what it says when pointed at."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line, dashed or not."""

    x: float
    y: float
    to_x: float
    to_y: float
    colour: str
    width: float = 1
    dashed: bool = False
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Disc:
    """A filled circle with a thin white edge, so that neighbours stay apart."""

    x: float
    y: float
    radius: float
    colour: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text whose baseline starts, is centred or ends at a point."""

    x: float
    y: float
    text: str
    size: float = 12
    colour: str = INK
    bold: bool = False
    anchor: Anchor = "start"


Shape: TypeAlias = Box | Line | Disc | Words


@dataclass(frozen=True, slots=True)
class Picture:
    """Shapes on a white sheet, in the order in which they are drawn; words say what is to be seen."""

    width: int
    height: int
    title: str
    description: str
    shapes: tuple[Shape, ...]

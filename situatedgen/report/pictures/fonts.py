"""The font of the pictures, which comes with matplotlib, and how wide words are in it."""

from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import ImageFont

from situatedgen.errors import ModelError

if TYPE_CHECKING:
    from PIL.ImageFont import FreeTypeFont

FAMILY = "DejaVu Sans"
MEASURED_AT = 1000
ELLIPSIS = "…"


@cache
def font(size: float, *, bold: bool = False) -> "FreeTypeFont":
    """The font in a size; the same everywhere, whatever fonts the system has."""
    file = _folder() / ("DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf")
    return ImageFont.truetype(str(file), size, layout_engine=ImageFont.Layout.BASIC)


def width(text: str, size: float, *, bold: bool = False) -> float:
    """How wide a text is."""
    return font(MEASURED_AT, bold=bold).getlength(text) * size / MEASURED_AT


def fitted(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """A text that is no wider than the room there is, cut with an ellipsis where it has to be."""
    if width(text, size, bold=bold) <= room:
        return text
    cut = next((text[:end] for end in range(len(text) - 1, 0, -1) if _fits(text[:end], size, room, bold=bold)), "")
    return cut.rstrip() + ELLIPSIS


def _fits(text: str, size: float, room: float, *, bold: bool) -> bool:
    return width(text + ELLIPSIS, size, bold=bold) <= room


@cache
def _folder() -> Path:
    """Where matplotlib keeps its fonts; found without loading it."""
    found = find_spec("matplotlib")
    if found is None or found.origin is None:
        raise ModelError(
            "the font of the pictures comes with matplotlib, which is not installed; install situatedgen again"
        )
    return Path(found.origin).parent / "mpl-data" / "fonts" / "ttf"

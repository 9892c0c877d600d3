"""A picture as PNG, whose bytes depend on its content alone."""

from io import BytesIO

from PIL import Image, ImageDraw

from situatedgen.report.pictures.fonts import font
from situatedgen.report.pictures.shapes import PAPER, Box, Disc, Line, Picture, Shape, Words

SCALE = 1.5
SMOOTH = 3
"""Slanted and round shapes are drawn so many times larger and then made small again."""
ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}
DASH, GAP = 5, 4


def png(picture: Picture) -> bytes:
    """The bytes of a PNG file at one and a half times the size."""
    is_slanted = any(map(_is_slanted, picture.shapes))
    image = _drawn(picture, SCALE * (SMOOTH if is_slanted else 1))
    if is_slanted:
        image = image.reduce(SMOOTH)
    pen = ImageDraw.Draw(image)
    for shape in picture.shapes:
        if isinstance(shape, Words):
            _write(pen, shape)
    file = BytesIO()
    image.save(file, format="PNG", compress_level=2)
    return file.getvalue()


def _drawn(picture: Picture, scale: float) -> Image.Image:
    """Everything but the words."""
    image = Image.new("RGB", (round(picture.width * scale), round(picture.height * scale)), PAPER)
    pen = ImageDraw.Draw(image)
    for shape in picture.shapes:
        _draw(pen, shape, scale)
    return image


def _draw(pen: ImageDraw.ImageDraw, shape: Shape, scale: float) -> None:
    match shape:
        case Box():
            _fill(pen, shape.x, shape.y, shape.x + shape.width, shape.y + shape.height, shape.colour, scale)
        case Line(dashed=True):
            for part in _dashes(shape):
                _draw(pen, part, scale)
        case Line():
            ends = [(shape.x * scale, shape.y * scale), (shape.to_x * scale, shape.to_y * scale)]
            pen.line(ends, fill=shape.colour, width=max(round(shape.width * scale), 1))
        case Disc():
            pen.circle((shape.x * scale, shape.y * scale), (shape.radius + 0.5) * scale, fill=PAPER)
            pen.circle((shape.x * scale, shape.y * scale), (shape.radius - 0.5) * scale, fill=shape.colour)


def _fill(pen: ImageDraw.ImageDraw, x: float, y: float, to_x: float, to_y: float, colour: str, scale: float) -> None:
    """Fill a rectangle to whole pixels; one that is there at all is seen."""
    left, top, right, bottom = (round(value * scale) for value in (x, y, to_x, to_y))
    if to_x > x and to_y > y:
        pen.rectangle((left, top, max(right - 1, left), max(bottom - 1, top)), fill=colour)


def _dashes(line: Line) -> list[Line]:
    """The strokes of a dashed line that goes straight down or across."""
    across, down = line.to_x - line.x, line.to_y - line.y
    length = abs(across) + abs(down)
    starts = range(0, int(length), DASH + GAP)
    steps = [(start / length, min(start + DASH, length) / length) for start in starts]
    return [
        Line(
            line.x + across * begin,
            line.y + down * begin,
            line.x + across * end,
            line.y + down * end,
            line.colour,
            line.width,
        )
        for begin, end in steps
    ]


def _write(pen: ImageDraw.ImageDraw, words: Words) -> None:
    place = words.x * SCALE, words.y * SCALE
    face = font(words.size * SCALE, bold=words.bold)
    pen.text(place, words.text, fill=words.colour, font=face, anchor=ANCHORS[words.anchor])


def _is_slanted(shape: Shape) -> bool:
    return isinstance(shape, Disc) or (isinstance(shape, Line) and shape.x != shape.to_x and shape.y != shape.to_y)

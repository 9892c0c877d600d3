"""A picture as SVG: text stays text, and colours of ink and paper can be set anew by the page that holds it."""

from html import escape

from situatedgen.report.pictures.fonts import FAMILY
from situatedgen.report.pictures.shapes import FAINT, INK, OUT, PAPER, RULE, Box, Disc, Line, Picture, Shape, Words

CLASSES = {INK: "ink", FAINT: "faint", RULE: "rule", OUT: "out", PAPER: "paper"}
HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' font-family="{family}, Verdana, sans-serif" role="img">'
)


def svg(picture: Picture) -> str:
    """The text of an SVG file; the same picture gives the same text."""
    head = HEAD.format(width=picture.width, height=picture.height, family=FAMILY)
    told = f"<title>{escape(picture.title)}</title>\n<desc>{escape(picture.description)}</desc>"
    paper = f'<rect width="100%" height="100%" {_paint(PAPER)}/>'
    return "\n".join([head, told, paper, *map(_element, picture.shapes), "</svg>\n"])


def _element(shape: Shape) -> str:
    match shape:
        case Box():
            place = _numbers(x=shape.x, y=shape.y, width=shape.width, height=shape.height)
            return _hinted("rect", f"{place} {_paint(shape.colour)}", shape.hint)
        case Line():
            return _hinted("line", _line(shape), shape.hint)
        case Disc():
            place = _numbers(cx=shape.x, cy=shape.y, r=shape.radius)
            return _hinted("circle", f'{place} {_paint(shape.colour)} stroke="{PAPER}" stroke-width="1"', shape.hint)
        case Words():
            return f"<text {_words(shape)}>{escape(shape.text)}</text>"


def _line(line: Line) -> str:
    place = _numbers(x1=line.x, y1=line.y, x2=line.to_x, y2=line.to_y)
    dashes = ' stroke-dasharray="5 4"' if line.dashed else ""
    width = _numbers(**{"stroke-width": line.width})
    return f"{place} {_paint(line.colour, 'stroke')} {width}{dashes}"


def _words(words: Words) -> str:
    place = _numbers(x=words.x, y=words.y, **{"font-size": words.size})
    bold = ' font-weight="bold"' if words.bold else ""
    anchor = f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    return f"{place} {_paint(words.colour)}{bold}{anchor}"


def _paint(colour: str, what: str = "fill") -> str:
    known = f' class="{CLASSES[colour]}"' if colour in CLASSES else ""
    return f'{what}="{colour}"{known}'


def _hinted(tag: str, attributes: str, hint: str) -> str:
    return f"<{tag} {attributes}><title>{escape(hint)}</title></{tag}>" if hint else f"<{tag} {attributes}/>"


def _numbers(**values: float) -> str:
    return " ".join(f'{name}="{round(value, 2):g}"' for name, value in values.items())

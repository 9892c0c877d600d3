"""The pages from their templates; whatever the data says, it is text."""

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

STATIC = {
    "review.css": "text/css; charset=utf-8",
    "ranking.js": "text/javascript; charset=utf-8",
    "review.js": "text/javascript; charset=utf-8",
    "enter.js": "text/javascript; charset=utf-8",
    "agreement.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}


@cache
def templates() -> Environment:
    """The templates, in which everything is escaped."""
    return Environment(
        loader=PackageLoader("flows.review"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(template: str, **told: Any) -> str:  # Any: what the template asks for
    """A page, or a part of one."""
    return templates().get_template(template).render(**told)


@cache
def static(name: str) -> bytes:
    """The content of one of the files in `STATIC`."""
    return files("flows.review").joinpath("static", name).read_bytes()

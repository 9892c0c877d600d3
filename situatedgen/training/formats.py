"""What a model reads: the keywords in the words that its family was taught with."""

from collections.abc import Mapping, Sequence

from situatedgen.dataset.configuration import KEYWORD_SEPARATOR

SLOT = "{keywords}"
AUTO = "auto"
DESCRIBED = "t5"
PLAIN = "bart"


def template(chosen: str, formats: Mapping[str, str], *, model_type: str) -> str:
    """The template that a setting names; `auto` describes the task to models of the T5 family alone (section 6).

    Example:
        >>> template("auto", {"bart": "{keywords}", "t5": "write: {keywords}"}, model_type="mt5")
        'write: {keywords}'
    """
    if chosen == AUTO:
        return formats[DESCRIBED if DESCRIBED in model_type else PLAIN]
    return formats.get(chosen, chosen)


def reading(template: str, keywords: Sequence[str]) -> str:
    """What a model reads of keywords, which may hold braces of their own.

    Example:
        >>> reading("generate two sentences with: {keywords}", ["July", "China"])
        'generate two sentences with: July, China'
    """
    return template.replace(SLOT, KEYWORD_SEPARATOR.join(keywords))

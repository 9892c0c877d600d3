"""Whether what a statement says of how long something lasts adds up."""

import re

SECONDS = {
    "second": 1.0,
    "minute": 60.0,
    "hour": 3600.0,
    "day": 86400.0,
    "week": 7 * 86400.0,
    "month": 365.25 / 12 * 86400,
    "year": 365.25 * 86400,
    "decade": 3652.5 * 86400,
    "century": 36525 * 86400.0,
}
ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
NUMBERS = {word: float(number) for number, word in enumerate(f"{ONES} eighteen nineteen".split())} | {
    word: 10.0 * number
    for number, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), 2)
}
ONE = frozenset({"a", "an", "each", "every"})
OFF = 0.1
"""How far a sum may be off: "twelve weeks is three months"."""
_AMOUNT = (
    r"(?P<{0}>[\d.,]*\d|[a-z]+(?:[ -][a-z]+)?) (?P<{0}_unit>second|minute|hour|day|week|month|year|decade|century)s?"
)
_SUM = re.compile(
    rf"^(?:there (?:is|are) (?:about |approximately |only )?{_AMOUNT.format('less')} in {_AMOUNT.format('more')}"
    rf"|(?:about |approximately )?{_AMOUNT.format('one')} (?:is|are|equals?) (?:about |approximately )?"
    rf"{_AMOUNT.format('other')})\.?$",
    re.IGNORECASE,
)
_BOUND = re.compile(r"\b(?:over|more than|at least) (?=\d)", re.IGNORECASE)


def is_wrong_sum(text: str) -> bool:
    """Whether a statement says that a span is as long as another that is longer or shorter.

    Example:
        >>> is_wrong_sum("There are 24 hours in a day."), is_wrong_sum("There are over 200,000 minutes in a month.")
        (False, True)
    """
    found = _SUM.match(_BOUND.sub("", text))
    if not found:
        return False
    said = [_seconds(found[name], found[f"{name}_unit"]) for name in ("less", "more", "one", "other") if found[name]]
    if None in said:
        return False
    shorter, longer = sorted(filter(None, said))
    return longer > (1 + OFF) * shorter


def _seconds(count: str, unit: str) -> float | None:
    """How long an amount is, where its number is understood: "twenty four hours"."""
    number = _number(count.lower())
    return None if not number else number * SECONDS[unit.lower()]


def _number(count: str) -> float | None:
    if count[-1].isdigit():
        return float(count.replace(",", ""))
    parts = [1.0 if word in ONE else NUMBERS.get(word) for word in re.split("[ -]", count)]
    known = [part for part in parts if part is not None]
    return sum(known) if len(known) == len(parts) else None

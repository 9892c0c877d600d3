"""Numbers as a report tells them."""

DECIMALS = 6


def told(value: float) -> float:
    """A number to six decimals."""
    return round(float(value), DECIMALS)


def ratio(part: float, whole: float) -> float:
    """A part of a whole; 0 of nothing."""
    return told(part / whole) if whole else 0.0

"""Counts in words."""


def format_count(count: int, thing: str) -> str:
    """A number of things, with the plural where there is not just one.

    Example:
        >>> counted(1, "line"), counted(1200, "line")
        ('1 line', '1,200 lines')
    """
    return f"{count:,} {thing}{'' if count == 1 else 's'}"

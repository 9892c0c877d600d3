"""Checks for optional dependencies (extras), with a message that says what to install."""

from importlib.util import find_spec

from situatedgen.errors import SettingsError


def absence(module: str, *, extra: str, purpose: str) -> str:
    """Message that names the missing package and the extra to install; empty if the package is available.

    Example:
        >>> absence("unheard_of", extra="scores", purpose="BERTScore")
        "BERTScore needs unheard-of: pip install 'situatedgen[scores]'"
    """
    if find_spec(module) is not None:
        return ""
    return f"{purpose} needs {module.replace('_', '-')}: pip install 'situatedgen[{extra}]'"


def require(module: str, *, extra: str, purpose: str) -> None:
    """Raise an error if an optional package is missing; call this before importing the package.

    Raises:
        SettingsError: the package is missing.
    """
    if reason := absence(module, extra=extra, purpose=purpose):
        raise SettingsError(reason)

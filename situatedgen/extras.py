"""Packages that only some jobs need, and what to say where they are missing."""

from importlib.util import find_spec

from situatedgen.errors import SettingsError


def absence(module: str, *, extra: str, purpose: str) -> str:
    """Why a purpose cannot be served here: the package that it needs, and the extra to install; empty where it can.

    Example:
        >>> absence("unheard_of", extra="scores", purpose="BERTScore")
        "BERTScore needs unheard-of: pip install 'situatedgen[scores]'"
    """
    if find_spec(module) is not None:
        return ""
    return f"{purpose} needs {module.replace('_', '-')}: pip install 'situatedgen[{extra}]'"


def require(module: str, *, extra: str, purpose: str) -> None:
    """Refuse to go on where a package of an extra is missing; call it before the package is imported.

    Raises:
        SettingsError: it is missing.
    """
    if reason := absence(module, extra=extra, purpose=purpose):
        raise SettingsError(reason)

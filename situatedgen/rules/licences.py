"""Licences by the names that dataset hubs use, and the licence groups that a build can be limited to."""

from typing import Literal

Group = Literal["any", "public-domain", "permissive", "share-alike", "non-commercial"]

UNSTATED = "unknown"
OTHER = "other"
# Spellings of the sources, in lower case and without hyphens; anything else is `other`.
KNOWN = {
    "public domain": "cc0-1.0",
    "cc0": "cc0-1.0",
    "cc0 1.0": "cc0-1.0",
    "unlicense": "unlicense",
    "pddl": "pddl",
    "mit": "mit",
    "apache 2.0": "apache-2.0",
    "bsd 2 clause": "bsd-2-clause",
    "bsd 3 clause": "bsd-3-clause",
    "cc by 2.0": "cc-by-2.0",
    "cc by 3.0": "cc-by-3.0",
    "cc by 4.0": "cc-by-4.0",
    "odc by": "odc-by",
    "odc by 1.0": "odc-by",
    "cdla permissive 2.0": "cdla-permissive-2.0",
    "cc by sa 3.0": "cc-by-sa-3.0",
    "cc by sa 4.0": "cc-by-sa-4.0",
    "odbl": "odbl",
    "cc by nc 3.0": "cc-by-nc-3.0",
    "cc by nc 4.0": "cc-by-nc-4.0",
    "cc by nc sa 3.0": "cc-by-nc-sa-3.0",
    "cc by nc sa 4.0": "cc-by-nc-sa-4.0",
    "not stated": UNSTATED,
    "unknown": UNSTATED,
}
# SPDX identifiers that are not just the hub's name in capitals.
SPDX = {
    "apache-2.0": "Apache-2.0",
    "bsd-2-clause": "BSD-2-Clause",
    "bsd-3-clause": "BSD-3-Clause",
    "cdla-permissive-2.0": "CDLA-Permissive-2.0",
    "odbl": "ODbL-1.0",
    "odc-by": "ODC-By-1.0",
    "pddl": "PDDL-1.0",
    "unlicense": "Unlicense",
}
_PUBLIC = frozenset({"cc0-1.0", "pddl", "unlicense"})
_PERMISSIVE = _PUBLIC | {
    "apache-2.0", "bsd-2-clause", "bsd-3-clause", "cc-by-2.0", "cc-by-3.0", "cc-by-4.0", "cdla-permissive-2.0", "mit",
    "odc-by",
}  # fmt: skip
_SHARE_ALIKE = _PERMISSIVE | {"cc-by-sa-3.0", "cc-by-sa-4.0", "odbl"}
_NON_COMMERCIAL = _SHARE_ALIKE | {"cc-by-nc-3.0", "cc-by-nc-4.0", "cc-by-nc-sa-3.0", "cc-by-nc-sa-4.0"}
# Each group contains the previous one. Unstated and unknown licences are in none of them.
GROUPS: dict[str, frozenset[str]] = {
    "public-domain": _PUBLIC,
    "permissive": _PERMISSIVE,
    "share-alike": _SHARE_ALIKE,
    "non-commercial": _NON_COMMERCIAL,
}
ANY = "any"


def hub_licence(licence: str) -> str:
    """The name of a licence on dataset hubs.

    Example:
        >>> hub_licence("CC BY-SA 4.0")
        'cc-by-sa-4.0'
    """
    return KNOWN.get(licence.lower().replace("-", " ").strip(), OTHER)


def is_allowed(licence: str, group: str) -> bool:
    """Whether a group contains a licence, as its source writes it; `any` contains all, stated or not.

    Example:
        >>> is_allowed("MIT", "permissive"), is_allowed("not stated", "permissive")
        (True, False)
    """
    return group == ANY or hub_licence(licence) in GROUPS[group]


def spdx(licence: str) -> str:
    """The SPDX identifier of a licence, given its hub name; empty if there is none.

    Example:
        >>> spdx("cc-by-sa-4.0"), spdx("unknown")
        ('CC-BY-SA-4.0', '')
    """
    return "" if licence in (UNSTATED, OTHER) else SPDX.get(licence, licence.upper())


def spdx_address(licence: str) -> str:
    """The URL of a licence's text, given its hub name; empty if unknown."""
    return f"https://spdx.org/licenses/{spdx(licence)}.html" if spdx(licence) else ""

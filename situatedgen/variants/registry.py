"""Every configuration of a dataset, declared once: files, card and metadata all follow this table."""

from situatedgen.errors import unknown
from situatedgen.variants.boolqa import BOOLQA
from situatedgen.variants.configuration import Configuration
from situatedgen.variants.keyword2text import KEYWORD2TEXT
from situatedgen.variants.pairs import PAIRS

CONFIGURATIONS: tuple[Configuration, ...] = (PAIRS, KEYWORD2TEXT, BOOLQA)


def configuration(name: str) -> Configuration:
    """The configuration of a name.

    Raises:
        SettingsError: there is no such configuration.
    """
    known = {each.name: each for each in CONFIGURATIONS}
    if name not in known:
        raise unknown("configuration", name, known)
    return known[name]

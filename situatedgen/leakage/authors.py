"""What was measured once of the authors' released train split, shipped so that every card can show it beside ours."""

import tomllib
from dataclasses import dataclass
from functools import cache

from pydantic import TypeAdapter

from situatedgen.leakage.certificate import Certificate, SplitLeakage
from situatedgen.resources import read_text


@dataclass(frozen=True, slots=True)
class Authors:
    """The authors' train split, of which alone the file is at hand.

    `against_others`: each of its sentences against the other sentences. `random_cut`: the mean of random cuts of its
    pairs into 60, 15 and 25 %, blind to communities: what splits without care would leak.
    """

    against_others: SplitLeakage
    random_cut: Certificate


_AUTHORS = TypeAdapter(Authors)


@cache
def authors() -> Authors:
    """The measures of the authors' train split."""
    return _AUTHORS.validate_python(tomllib.loads(read_text("authors_leakage.toml")))

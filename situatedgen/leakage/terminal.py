"""The leakage table for a terminal of 80 columns: short names, and what they mean below."""

from collections.abc import Iterator
from dataclasses import dataclass

from situatedgen.leakage.authors import Authors
from situatedgen.leakage.certificate import Certificate, Comparison, SplitLeakage
from situatedgen.leakage.rows import NEARNESS, WHOLE, WORDS, overlap_words, unseen_words
from situatedgen.report.rows import Rows

RANDOM = "random"
OTHERS = "others"
CUT = "cut"
PACKED = "random packings of the same communities, in the mean"
ITS_OTHERS = "each sentence of {} against its others"
CUT_AT_RANDOM = "{} cut at random into train, dev and test"
AUTHORS = "the authors' train split"
ITSELF = "the file"


@dataclass(frozen=True, slots=True)
class Dealing:
    """Splits that are shown side by side, under one short name, and what that name means."""

    name: str
    meaning: str
    splits: tuple[SplitLeakage, ...]
    whole: Certificate | None = None

    def headings(self) -> tuple[str, ...]:
        """The headings of its columns: `dev`, `random dev`, or `others`."""
        if self.whole is None:
            return (self.name,) * len(self.splits)
        return tuple(f"{self.name} {split.split.value}".strip() for split in self.splits)


def dealings_of(found: Comparison | Certificate | Authors, authors: Authors | None = None) -> tuple[Dealing, ...]:
    """What is told of a dataset folder (beside the authors' release), of files with splits, or of one file alone."""
    if isinstance(found, Authors):
        return tuple(_released(found, ITSELF))
    built = found.built if isinstance(found, Comparison) else found
    dealings = [Dealing("", "", tuple(split for split in built.splits if split.pairs.count), built)]
    if isinstance(found, Comparison) and found.random:
        dealings.append(Dealing(RANDOM, PACKED, found.random.splits, found.random))
    return (*dealings, *(_released(authors, AUTHORS) if authors else ()))


def near_rows(dealings: tuple[Dealing, ...]) -> Rows:
    """A row a measure of how far splits are from train; a row of no numbers opens each group of measures."""
    splits = [split for dealing in dealings for split in dealing.splits]
    empty = ("",) * len(splits)
    rows = (
        ("examples", *(f"{split.pairs.count:,.0f}" for split in splits)),
        ("nearest to a sentence", *empty),
        *((f"  {name}", *(show(split.sentences) for split in splits)) for name, show in NEARNESS),
        ("nearest to an example", *empty),
        *((f"  {name}", *(show(split.pairs) for split in splits)) for name, show in NEARNESS),
        ("unseen in train", *empty),
        *((f"  {words}", *(unseen_words(split, size) for split in splits)) for size, words in WORDS.items()),
        ("keywords shared", *(overlap_words(split) for split in splits)),
    )
    headings = (heading for dealing in dealings for heading in dealing.headings())
    return Rows("How near dev and test are to train", ("", *headings), rows)


def whole_rows(dealings: tuple[Dealing, ...]) -> Rows:
    """A row a measure of all splits together, a column a dealing."""
    dealt = [(dealing.name or "here", dealing.whole) for dealing in dealings if dealing.whole]
    rows = tuple((name, *(show(whole) for _, whole in dealt)) for name, show in WHOLE)
    return Rows("All splits together", ("", *(name for name, _ in dealt)), rows)


def legend(dealings: tuple[Dealing, ...]) -> tuple[str, ...]:
    """What the names mean, a line each."""
    return tuple(f"{dealing.name}: {dealing.meaning}" for dealing in dealings if dealing.name)


def _released(found: Authors, what: str) -> Iterator[Dealing]:
    yield Dealing(OTHERS, ITS_OTHERS.format(what), (found.against_others,))
    yield Dealing(CUT, CUT_AT_RANDOM.format(what), found.random_cut.splits, found.random_cut)

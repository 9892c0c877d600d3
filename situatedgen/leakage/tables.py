"""Leakage as text tables, for the card and for an 80-column terminal."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from situatedgen.formatting import Rows
from situatedgen.leakage.certificate import CLOSE, NEAR, Certificate, Comparison, Nearness, SplitLeakage
from situatedgen.leakage.released import Authors

Column = tuple[str, SplitLeakage, Certificate | None]
NONE = "–"
WORDS = {1: "keywords", 2: "keyword pairs", 3: "keyword triples"}
NEARNESS: tuple[tuple[str, Callable[[Nearness], str]], ...] = (
    ("median", lambda near: f"{near.median:.3f}"),
    ("90th percentile", lambda near: f"{near.p90:.3f}"),
    ("99th percentile", lambda near: f"{near.p99:.3f}"),
    ("maximum", lambda near: f"{near.maximum:.3f}"),
    (f"at least {NEAR:g}", lambda near: _percent(near.near_share)),
    (f"at least {CLOSE:g}", lambda near: _percent(near.close_share)),
)
WHOLE: tuple[tuple[str, Callable[[Certificate], str]], ...] = (
    ("masked templates in two splits", lambda whole: f"{whole.shared_templates:,.0f}"),
    ("slots filled by the top tenth of statements", lambda whole: _percent(whole.hubs.top_share)),
    ("examples with the most frequent statement", lambda whole: _percent(whole.hubs.busiest_share)),
    ("deviation from the split shares", lambda whole: _percent(whole.balance.size)),
    ("deviation in the mix of sources", lambda whole: _percent(whole.balance.source)),
    ("deviation in the mix of contexts", lambda whole: _percent(whole.balance.context)),
)


def leakage_rows(found: Comparison, authors: Authors | None = None) -> Rows:
    """Leakage table of a dataset: one row per measure, one column per split of each assignment."""
    columns = [*_columns("", found.built), *_columns("random packing, ", found.random)]
    return _rows([*columns, *(_release_columns("authors' train, ", authors) if authors else [])])


def release_rows(found: Authors) -> Rows:
    """The same table for released examples whose splits are unknown."""
    return _rows(_release_columns("", found))


def _rows(columns: list[Column]) -> Rows:
    splits = [split for _, split, _ in columns]
    rows = [
        ("examples", *(f"{split.pairs.count:,.0f}" for split in splits)),
        *(
            (f"cosine to train, per sentence, {name}", *(show(split.sentences) for split in splits))
            for name, show in NEARNESS
        ),
        *(
            (f"cosine to train, per example, {name}", *(show(split.pairs) for split in splits))
            for name, show in NEARNESS
        ),
        *(
            (f"{words} unseen in train", *(unseen_words(split, size) for split in splits))
            for size, words in WORDS.items()
        ),
        ("keywords shared with train (Jaccard)", *(overlap_words(split) for split in splits)),
        *((name, *(show(whole) if whole else NONE for _, _, whole in columns)) for name, show in WHOLE),
    ]
    return Rows("Leakage", ("", *(name for name, _, _ in columns)), tuple(rows))


def _release_columns(prefix: str, found: Authors) -> list[Column]:
    alone = (f"{prefix}against itself", found.against_others, None)
    return [alone, *_columns(f"{prefix}split at random, ", found.random_cut)]


def _columns(prefix: str, found: Certificate | None) -> list[Column]:
    return [(f"{prefix}{split.split.value}", split, found) for split in found.splits] if found else []


def unseen_words(split: SplitLeakage, size: int) -> str:
    """Share of the combinations of `size` keywords that do not occur in train."""
    found = [each for each in split.novelty if each.size == size]
    return _percent(found[0].unseen_share) if found else NONE


def overlap_words(split: SplitLeakage) -> str:
    """Share of the keywords of the split and train that occur in both."""
    found = [each for each in split.novelty if each.size == 1]
    return _percent(found[0].overlap) if found else NONE


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


RANDOM = "random"
OTHERS = "others"
CUT = "cut"
PACKED = "mean of random packings of the same communities"
ITS_OTHERS = "each sentence of {} against its other sentences"
CUT_AT_RANDOM = "{} divided at random into train, dev and test"
AUTHORS = "the authors' train split"
ITSELF = "the file"


@dataclass(frozen=True, slots=True)
class Variant:
    """An assignment to splits that are shown side by side, with a short name and its meaning."""

    name: str
    meaning: str
    splits: tuple[SplitLeakage, ...]
    whole: Certificate | None = None

    def headings(self) -> tuple[str, ...]:
        """Column headings: `dev`, `random dev`, or `others`."""
        if self.whole is None:
            return (self.name,) * len(self.splits)
        return tuple(f"{self.name} {split.split.value}".strip() for split in self.splits)


def variants_of(found: Comparison | Certificate | Authors, authors: Authors | None = None) -> tuple[Variant, ...]:
    """Assignments to show for a dataset folder (with the authors' release), for files with splits, or for one file."""
    if isinstance(found, Authors):
        return tuple(_release_variants(found, ITSELF))
    built = found.built if isinstance(found, Comparison) else found
    variants = [Variant("", "", tuple(split for split in built.splits if split.pairs.count), built)]
    if isinstance(found, Comparison) and found.random:
        variants.append(Variant(RANDOM, PACKED, found.random.splits, found.random))
    return (*variants, *(_release_variants(authors, AUTHORS) if authors else ()))


def near_rows(variants: tuple[Variant, ...]) -> Rows:
    """One row per measure of the distance to train; each group of measures starts with a row without numbers."""
    splits = [split for variant in variants for split in variant.splits]
    empty = ("",) * len(splits)
    rows = (
        ("examples", *(f"{split.pairs.count:,.0f}" for split in splits)),
        ("cosine per sentence", *empty),
        *((f"  {name}", *(show(split.sentences) for split in splits)) for name, show in NEARNESS),
        ("cosine per example", *empty),
        *((f"  {name}", *(show(split.pairs) for split in splits)) for name, show in NEARNESS),
        ("unseen in train", *empty),
        *((f"  {words}", *(unseen_words(split, size) for split in splits)) for size, words in WORDS.items()),
        ("keywords shared", *(overlap_words(split) for split in splits)),
    )
    headings = (heading for variant in variants for heading in variant.headings())
    return Rows("How close dev and test are to train", ("", *headings), rows)


def whole_rows(variants: tuple[Variant, ...]) -> Rows:
    """One row per measure of all splits together, one column per assignment."""
    wholes = [(variant.name or "built", variant.whole) for variant in variants if variant.whole]
    rows = tuple((name, *(show(whole) for _, whole in wholes)) for name, show in WHOLE)
    return Rows("All splits together", ("", *(name for name, _ in wholes)), rows)


def legend(variants: tuple[Variant, ...]) -> tuple[str, ...]:
    """Explanation of each name, one line per name."""
    return tuple(f"{variant.name}: {variant.meaning}" for variant in variants if variant.name)


def _release_variants(found: Authors, what: str) -> Iterator[Variant]:
    yield Variant(OTHERS, ITS_OTHERS.format(what), (found.against_others,))
    yield Variant(CUT, CUT_AT_RANDOM.format(what), found.random_cut.splits, found.random_cut)

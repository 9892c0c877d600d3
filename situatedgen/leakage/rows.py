"""The leakage table as words: ours beside random packing and the authors' release."""

from collections.abc import Callable

from situatedgen.leakage.authors import Authors
from situatedgen.leakage.certificate import CLOSE, NEAR, Certificate, Comparison, Nearness, SplitLeakage
from situatedgen.report.rows import Rows

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
    ("examples with the busiest statement", lambda whole: _percent(whole.hubs.busiest_share)),
    ("shares of the splits, off by", lambda whole: _percent(whole.balance.size)),
    ("mix of sources, off by", lambda whole: _percent(whole.balance.source)),
    ("mix of contexts, off by", lambda whole: _percent(whole.balance.context)),
)


def leakage_rows(found: Comparison, authors: Authors | None = None) -> Rows:
    """The table of a dataset: a row a measure, a column a split of each dealing."""
    columns = [*_columns("", found.built), *_columns("random packing, ", found.random)]
    return _rows([*columns, *(_released("authors' train, ", authors) if authors else [])])


def release_rows(found: Authors) -> Rows:
    """The same table of released examples of which no split is known."""
    return _rows(_released("", found))


def _rows(columns: list[Column]) -> Rows:
    splits = [split for _, split, _ in columns]
    rows = [
        ("examples", *(f"{split.pairs.count:,.0f}" for split in splits)),
        *((f"nearest to a sentence, {name}", *(show(split.sentences) for split in splits)) for name, show in NEARNESS),
        *((f"nearest to an example, {name}", *(show(split.pairs) for split in splits)) for name, show in NEARNESS),
        *(
            (f"{words} unseen in train", *(unseen_words(split, size) for split in splits))
            for size, words in WORDS.items()
        ),
        ("keywords shared with train (Jaccard)", *(overlap_words(split) for split in splits)),
        *((name, *(show(whole) if whole else NONE for _, _, whole in columns)) for name, show in WHOLE),
    ]
    return Rows("Leakage", ("", *(name for name, _, _ in columns)), tuple(rows))


def _released(prefix: str, found: Authors) -> list[Column]:
    alone = (f"{prefix}against its others", found.against_others, None)
    return [alone, *_columns(f"{prefix}cut at random, ", found.random_cut)]


def _columns(prefix: str, found: Certificate | None) -> list[Column]:
    return [(f"{prefix}{split.split.value}", split, found) for split in found.splits] if found else []


def unseen_words(split: SplitLeakage, size: int) -> str:
    """The share of the combinations of so many keywords that train does not have."""
    found = [each for each in split.novelty if each.size == size]
    return _percent(found[0].unseen_share) if found else NONE


def overlap_words(split: SplitLeakage) -> str:
    """The share of the keywords of a split and of train that are in both."""
    found = [each for each in split.novelty if each.size == 1]
    return _percent(found[0].overlap) if found else NONE


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"

"""Which words of a dataset are asked about in a graph: concept sets, or the keywords of examples."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from situatedgen.commongen.reading import read_folder
from situatedgen.dataset.folder import read_examples, read_manifest
from situatedgen.vocabulary import Split

ARTICLES = ("the ", "a ", "an ")

Words = frozenset[str]


def word_sets(folder: Path) -> dict[str, list[Words]]:
    """The words of every set of each split: concepts without part of speech, or keywords without article.

    Raises:
        SourceError: the folder holds neither concept sets nor a dataset of ours.
    """
    if not read_manifest(folder):
        return {split: [frozenset(each.words) for each in examples] for split, examples in read_folder(folder).items()}
    found: dict[str, list[Words]] = {split.value: [] for split in Split}
    for split, keywords in read_examples(folder).select("split", "keywords").iter_rows():
        found[split].append(frozenset(map(plain, keywords)))
    return found


def plain(keyword: str) -> str:
    """A keyword as a graph would name it: in lower case and without article.

    Example:
        >>> plain("The Sahara")
        'sahara'
    """
    lowered = keyword.lower().strip()
    article = next((each for each in ARTICLES if lowered.startswith(each)), "")
    return lowered.removeprefix(article)


def of_splits(sets: Mapping[str, Sequence[Words]], splits: Sequence[str], size: int = 0) -> list[Words]:
    """The sets of some splits; of one size alone where that is given."""
    chosen = (each for split in splits for each in sets[split])
    return [each for each in chosen if size in (0, len(each))]

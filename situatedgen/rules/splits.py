"""Rules of the splits: what may not stand in two of them, shared templates, and changes since an earlier dataset."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import polars as pl

from situatedgen.vocabulary import Split, Verdict

NOT_A_WORD = re.compile(r"[\W_]+")
_OTHER_ASCII = {code: None for code in range(128) if not chr(code).isalnum()}
AN = re.compile(r"\ban\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Placement:
    """A statement, its masked template, and the split it stands in."""

    statement_id: str
    text: str
    template: str
    split: str


# The same texts come back when statements are housed, checked, certified and counted.
@lru_cache(maxsize=1 << 16)
def fold_case(text: str) -> str:
    """The text as the leak laws compare it: without case, punctuation and spaces.

    A text of nothing but punctuation stands for itself.

    Example:
        >>> folded("In the U.S., it's summer.") == folded("in the US it’s summer")
        True
    """
    if text.isascii():  # most texts, and quickly done
        return text.lower().translate(_OTHER_ASCII) or text
    plain = unicodedata.normalize("NFKC", text).casefold()
    return NOT_A_WORD.sub("", plain) or text


@lru_cache(maxsize=1 << 16)
def template(masked: str) -> str:
    """A masked text as the leak laws compare it: folded, and "an" as "a", which hangs on the word behind the mask.

    Example:
        >>> template("[UNK] is an [UNK].") == template("[UNK] is a [UNK].")
        True
    """
    return fold_case(AN.sub("a", masked))


def leaks(placements: Sequence[Placement]) -> dict[str, tuple[str, ...]]:
    """The ids, texts and templates that stand in two splits, by what they are (§4.4); all empty is right."""
    return {
        "statement id": straddlers((place.statement_id, place.split) for place in placements),
        "statement text": straddlers((fold_case(place.text), place.split) for place in placements),
        "masked template": straddlers((template(place.template), place.split) for place in placements),
    }


def straddlers(placed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The things that stand in more than one place, sorted, of (thing, place).

    Example:
        >>> straddlers([("a", "train"), ("b", "train"), ("a", "dev"), ("b", "train")])
        ('a',)
    """
    first: dict[str, str] = {}
    return tuple(sorted({thing for thing, place in placed if first.setdefault(thing, place) != place}))


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement, its masked template, and the community it lies in."""

    statement_id: str
    text: str
    template: str
    community: int


def group_templates(statements: Sequence[PlacedStatement]) -> dict[str, int]:
    """The home community of each statement.

    Statements with the same text or template, directly or through others, share one home: the community in
    which most of them lie, or the larger (lower numbered) one of a tie. All others stay.
    """
    groups = same_template(statements)
    return {statement.statement_id: home for group in groups for home in [_home(group)] for statement in group}


def cut_verdict() -> pl.Expr:
    """Why a pair is cut, or that it is kept: its two statements must have one home and one split (§4.4).

    Reads the columns `home`, `split` and `community` of both sides, each with `left_` or `right_` before its name.
    """
    return (
        pl.when(_same("home") & _same("split"))
        .then(pl.lit(Verdict.KEPT.value))
        .when(_same("home"))
        .then(pl.lit(Verdict.CROSSES_SPLITS.value))
        .when(_same("community"))
        .then(pl.lit(Verdict.TEMPLATE_MOVED.value))
        .otherwise(pl.lit(Verdict.CROSSES_COMMUNITIES.value))
    )


def _same(what: str) -> pl.Expr:
    return pl.col(f"left_{what}").eq_missing(pl.col(f"right_{what}"))


def same_template(statements: Sequence[PlacedStatement]) -> list[list[PlacedStatement]]:
    """The statements in groups: two are together when a chain of shared texts and templates joins them."""
    parents: dict[tuple[str, str], tuple[str, str]] = {}
    keys = [keys_of(statement) for statement in statements]
    for text, masked in keys:
        parents[_root(parents, masked)] = _root(parents, text)
    groups: dict[tuple[str, str], list[PlacedStatement]] = {}
    for statement, (text, _) in zip(statements, keys, strict=True):
        groups.setdefault(_root(parents, text), []).append(statement)
    return list(groups.values())


def _home(group: Sequence[PlacedStatement]) -> int:
    if len(group) == 1:
        return group[0].community
    counts = Counter(statement.community for statement in group)
    return min(counts, key=lambda label: (-counts[label], label))


def keys_of(statement: PlacedStatement) -> tuple[tuple[str, str], tuple[str, str]]:
    """What a statement may share only with those in its split: its text and its template, as compared."""
    return ("text", fold_case(statement.text)), ("template", template(statement.template))


def _root(parents: dict[tuple[str, str], tuple[str, str]], key: tuple[str, str]) -> tuple[str, str]:
    while (parent := parents.setdefault(key, key)) != key:
        parents[key] = parents[parent]
        key = parent
    return key


def canonical_labels(labels: Sequence[int]) -> list[int]:
    """The same communities numbered from 0, the largest first, ties by their first node.

    Example:
        >>> canonical_labels([7, 3, 3, 9])
        [1, 0, 0, 2]
    """
    members: dict[int, list[int]] = {}
    for node, label in enumerate(labels):
        members.setdefault(label, []).append(node)
    ranked = sorted(members, key=lambda label: (-len(members[label]), members[label][0]))
    ranks = {label: rank for rank, label in enumerate(ranked)}
    return [ranks[label] for label in labels]


# Of equals, what was tested on must not become training data.
HELD_BACK_FIRST = (Split.TEST, Split.DEV, Split.TRAIN)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A statement of an earlier dataset; its text is empty where that dataset does not tell it."""

    statement_id: str
    text: str
    split: Split


def recognise(earlier: Sequence[Earlier], texts: Mapping[str, str]) -> dict[str, Split]:
    """The earlier split of each statement that an earlier dataset had; `texts` holds the statements of now, by id.

    Ids count lines, so one line more in a source renumbers all that follow. A statement is therefore the earlier one
    with its id only where that has the same text, or none is told; else it is one with its text, whatever the id. An
    earlier statement whose text is gone was edited: it is the one that has its id now.

    Example:
        >>> recognise([Earlier("s::0", "Rome is old.", Split.TEST)], {"s::0": "Oslo is cold.", "s::1": "Rome is old."})
        {'s::1': <Split.TEST: 'test'>}
    """
    found = {each.statement_id: each.split for each in earlier if _is_same(each, texts.get(each.statement_id))}
    others = [each for each in earlier if each.statement_id not in found]
    by_text: dict[str, list[str]] = {}
    for statement_id in sorted(texts.keys() - found.keys(), reverse=True) if others else ():
        by_text.setdefault(fold_case(texts[statement_id]), []).append(statement_id)
    edited = []
    for each in others:
        if successors := by_text.get(fold_case(each.text)):
            found[successors.pop()] = each.split
        else:
            edited.append(each)
    return {each.statement_id: each.split for each in edited if each.statement_id in texts} | found


def _is_same(earlier: Earlier, text: str | None) -> bool:
    return text is not None and (not earlier.text or fold_case(earlier.text) == fold_case(text))


def settle_splits(
    statements: Sequence[PlacedStatement], precedent: Mapping[str, Split], home: Mapping[str, int]
) -> dict[str, Split]:
    """The split of each statement for which an earlier dataset, `precedent`, decides.

    Statements that share a text or a template go together where most of them were. Statements unlike any of
    the earlier dataset go where most of those are that have the same home. Only a home to which nothing of the
    earlier dataset belongs stays open.
    """
    found = _of_groups(same_template(statements), precedent) if precedent else {}
    residents: dict[int, list[Split]] = {}
    for statement_id in sorted(found.keys() & precedent.keys()):
        residents.setdefault(home[statement_id], []).append(found[statement_id])
    usual = {label: most_common(splits) for label, splits in residents.items()}
    for statement in statements:
        label = home[statement.statement_id]
        if label in usual:
            found.setdefault(statement.statement_id, usual[label])
    return found


def _of_groups(groups: Iterable[Sequence[PlacedStatement]], precedent: Mapping[str, Split]) -> dict[str, Split]:
    """The split of each statement of the groups that have one from earlier."""
    found: dict[str, Split] = {}
    for group in groups:
        ids = [statement.statement_id for statement in group]
        known = [precedent[statement_id] for statement_id in ids if statement_id in precedent]
        if known:
            found.update(dict.fromkeys(ids, most_common(known)))
    return found


def most_common(splits: Iterable[Split]) -> Split:
    """The split that stands most often; of equals test, then dev.

    Example:
        >>> commonest([Split.TRAIN, Split.DEV, Split.TEST, Split.TRAIN, Split.DEV]).value
        'dev'
    """
    counts = Counter(splits)
    return max(HELD_BACK_FIRST, key=lambda split: counts[split])


Key = tuple[str, str]


class Reason(StrEnum):
    """What a statement shares with one that it may not be parted from."""

    TEXT = "shared text"
    TEMPLATE = "shared template"


@dataclass(frozen=True, slots=True)
class SplitChange:
    """A statement that left its split, and a statement that it had to follow."""

    statement_id: str
    old_split: Split
    new_split: Split
    reason: Reason
    with_id: str


def split_changes(
    statements: Sequence[PlacedStatement], precedent: Mapping[str, Split], splits: Mapping[str, Split]
) -> tuple[SplitChange, ...]:
    """Every statement of an earlier dataset, `precedent`, whose split is another one now, by id.

    A statement follows one that was in its new split before, or where none shares anything with it directly,
    the next one on the shortest chain to such a statement.
    """
    found = []
    for split in Split:
        moved = {name for name in splits.keys() & precedent.keys() if splits[name] is split is not precedent[name]}
        stayed = {statement.statement_id for statement in statements if precedent.get(statement.statement_id) is split}
        leads = count_followed(statements, stayed) if moved else {}
        found += [SplitChange(name, precedent[name], split, *leads[name]) for name in moved]
    return tuple(sorted(found, key=lambda move: move.statement_id))


def count_followed(statements: Sequence[PlacedStatement], stayed: Collection[str]) -> dict[str, tuple[Reason, str]]:
    """What each statement shares, and with whom, that a shortest chain joins to one of those that stayed."""
    keys = {statement.statement_id: keys_of(statement) for statement in statements}
    sharing = _sharing(keys)
    leads: dict[str, tuple[Reason, str]] = {}
    reached, front = set(stayed), sorted(stayed)
    while front:
        steps = list(_steps(front, keys, sharing))
        front = []
        for statement_id, reason, leader in steps:
            if statement_id not in reached:
                reached.add(statement_id)
                leads[statement_id] = (reason, leader)
                front.append(statement_id)
        front.sort()
    return leads


def _sharing(keys: Mapping[str, tuple[Key, Key]]) -> dict[Key, list[str]]:
    """The statements of each text and each template."""
    sharing: dict[Key, list[str]] = {}
    for statement_id in sorted(keys):
        for key in keys[statement_id]:
            sharing.setdefault(key, []).append(statement_id)
    return sharing


def _steps(
    front: Sequence[str], keys: Mapping[str, tuple[Key, Key]], sharing: dict[Key, list[str]]
) -> Iterator[tuple[str, Reason, str]]:
    """Who is next to a front of statements, those with the same text first; each key is looked at once."""
    for reason, which in ((Reason.TEXT, 0), (Reason.TEMPLATE, 1)):
        for leader in front:
            for statement_id in sharing.pop(keys[leader][which], ()):
                yield statement_id, reason, leader

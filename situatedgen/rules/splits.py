"""Rules of the splits: leaks between them, shared templates, and stability against an earlier dataset."""

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
    """A statement, its masked template, and its split."""

    statement_id: str
    text: str
    template: str
    split: str


# Cached, because several steps fold the same texts.
@lru_cache(maxsize=1 << 16)
def fold_case(text: str) -> str:
    """The text without case, punctuation and spaces, as leak checks compare it.

    A text that consists of punctuation only is returned as it is.

    Example:
        >>> fold_case("In the U.S., it's summer.") == fold_case("in the US it’s summer")
        True
    """
    if text.isascii():  # fast path for most texts
        return text.lower().translate(_OTHER_ASCII) or text
    plain = unicodedata.normalize("NFKC", text).casefold()
    return NOT_A_WORD.sub("", plain) or text


@lru_cache(maxsize=1 << 16)
def template(masked: str) -> str:
    """A masked text as leak checks compare it: folded, and with "a" for "an", which depends on the masked word.

    Example:
        >>> template("[UNK] is an [UNK].") == template("[UNK] is a [UNK].")
        True
    """
    return fold_case(AN.sub("a", masked))


def leaks(placements: Sequence[Placement]) -> dict[str, tuple[str, ...]]:
    """The ids, texts and templates that occur in two splits, by type (§4.4); all must be empty."""
    return {
        "statement id": straddlers((place.statement_id, place.split) for place in placements),
        "statement text": straddlers((fold_case(place.text), place.split) for place in placements),
        "masked template": straddlers((template(place.template), place.split) for place in placements),
    }


def straddlers(placed: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """The things that occur in more than one place, sorted, from pairs (thing, place).

    Example:
        >>> straddlers([("a", "train"), ("b", "train"), ("a", "dev"), ("b", "train")])
        ('a',)
    """
    first: dict[str, str] = {}
    return tuple(sorted({thing for thing, place in placed if first.setdefault(thing, place) != place}))


@dataclass(frozen=True, slots=True)
class PlacedStatement:
    """A statement, its masked template, and its community."""

    statement_id: str
    text: str
    template: str
    community: int


def group_templates(statements: Sequence[PlacedStatement]) -> dict[str, int]:
    """The home community of each statement.

    Statements with the same text or template, directly or through others, share one home: the community that contains
    most of them, or the larger (lower numbered) one in a tie. All others stay in their own.
    """
    groups = same_template(statements)
    return {statement.statement_id: home for group in groups for home in [_home(group)] for statement in group}


def cut_verdict() -> pl.Expr:
    """The verdict on a pair: kept only if its two statements have one home and one split (§4.4).

    Reads the columns `home`, `split` and `community` of both sides, with the prefixes `left_` and `right_`.
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
    """The connected components of statements that share a text or a template."""
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
    """What a statement may share only within its split: its text and its template, as leak checks compare them."""
    return ("text", fold_case(statement.text)), ("template", template(statement.template))


def _root(parents: dict[tuple[str, str], tuple[str, str]], key: tuple[str, str]) -> tuple[str, str]:
    while (parent := parents.setdefault(key, key)) != key:
        parents[key] = parents[parent]
        key = parent
    return key


def canonical_labels(labels: Sequence[int]) -> list[int]:
    """The same communities numbered from 0, largest first, ties by their first node.

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


# Order in a tie: test data must not become training data.
HELD_BACK_FIRST = (Split.TEST, Split.DEV, Split.TRAIN)


@dataclass(frozen=True, slots=True)
class Earlier:
    """A statement of an earlier dataset; its text is empty if that dataset does not publish it."""

    statement_id: str
    text: str
    split: Split


def recognise(earlier: Sequence[Earlier], texts: Mapping[str, str]) -> dict[str, Split]:
    """The earlier split of each statement that an earlier dataset had; `texts` are the current statements by id.

    Ids count lines, so one added line in a source renumbers all that follow. A statement is therefore matched by id
    only if the text is the same, or unknown; otherwise by its text, whatever its id. An earlier statement whose text no
    longer exists was edited: it is matched with the statement that now has its id.

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
    """The split of each statement that an earlier dataset, `precedent`, decides.

    Statements that share a text or a template go together where most of them were. Statements unlike any of the earlier
    dataset go where most statements with the same home are. A home stays undecided only if no statement of the earlier
    dataset belongs to it.
    """
    found = _group_splits(same_template(statements), precedent) if precedent else {}
    residents: dict[int, list[Split]] = {}
    for statement_id in sorted(found.keys() & precedent.keys()):
        residents.setdefault(home[statement_id], []).append(found[statement_id])
    usual = {label: most_common(splits) for label, splits in residents.items()}
    for statement in statements:
        label = home[statement.statement_id]
        if label in usual:
            found.setdefault(statement.statement_id, usual[label])
    return found


def _group_splits(groups: Iterable[Sequence[PlacedStatement]], precedent: Mapping[str, Split]) -> dict[str, Split]:
    """The split of each statement in a group that has an earlier split."""
    found: dict[str, Split] = {}
    for group in groups:
        ids = [statement.statement_id for statement in group]
        known = [precedent[statement_id] for statement_id in ids if statement_id in precedent]
        if known:
            found.update(dict.fromkeys(ids, most_common(known)))
    return found


def most_common(splits: Iterable[Split]) -> Split:
    """The most common split; ties go to test, then dev.

    Example:
        >>> most_common([Split.TRAIN, Split.DEV, Split.TEST, Split.TRAIN, Split.DEV]).value
        'dev'
    """
    counts = Counter(splits)
    return max(HELD_BACK_FIRST, key=lambda split: counts[split])


Key = tuple[str, str]


class Reason(StrEnum):
    """What a statement shares with another that must be in the same split."""

    TEXT = "shared text"
    TEMPLATE = "shared template"


@dataclass(frozen=True, slots=True)
class SplitChange:
    """A statement that changed its split, and a statement that it had to follow."""

    statement_id: str
    old_split: Split
    new_split: Split
    reason: Reason
    with_id: str


def split_changes(
    statements: Sequence[PlacedStatement], precedent: Mapping[str, Split], splits: Mapping[str, Split]
) -> tuple[SplitChange, ...]:
    """Every statement of an earlier dataset, `precedent`, whose split has changed, by id.

    A statement follows one that was in its new split before; if it shares nothing directly with such a statement, it
    follows the next one on the shortest chain to one.
    """
    found = []
    for split in Split:
        moved = {name for name in splits.keys() & precedent.keys() if splits[name] is split is not precedent[name]}
        stayed = {statement.statement_id for statement in statements if precedent.get(statement.statement_id) is split}
        leads = find_followed(statements, stayed) if moved else {}
        found += [SplitChange(name, precedent[name], split, *leads[name]) for name in moved]
    return tuple(sorted(found, key=lambda move: move.statement_id))


def find_followed(statements: Sequence[PlacedStatement], stayed: Collection[str]) -> dict[str, tuple[Reason, str]]:
    """What each statement shares, and with whom, on a shortest chain to one of those that stayed."""
    keys = {statement.statement_id: keys_of(statement) for statement in statements}
    sharing = _group_by_key(keys)
    leads: dict[str, tuple[Reason, str]] = {}
    reached, front = set(stayed), sorted(stayed)
    while front:
        steps = list(_next_steps(front, keys, sharing))
        front = []
        for statement_id, reason, leader in steps:
            if statement_id not in reached:
                reached.add(statement_id)
                leads[statement_id] = (reason, leader)
                front.append(statement_id)
        front.sort()
    return leads


def _group_by_key(keys: Mapping[str, tuple[Key, Key]]) -> dict[Key, list[str]]:
    """The statement ids of each text and each template."""
    sharing: dict[Key, list[str]] = {}
    for statement_id in sorted(keys):
        for key in keys[statement_id]:
            sharing.setdefault(key, []).append(statement_id)
    return sharing


def _next_steps(
    front: Sequence[str], keys: Mapping[str, tuple[Key, Key]], sharing: dict[Key, list[str]]
) -> Iterator[tuple[str, Reason, str]]:
    """The neighbours of a front of statements, those with the same text first; each key is visited once."""
    for reason, which in ((Reason.TEXT, 0), (Reason.TEMPLATE, 1)):
        for leader in front:
            for statement_id in sharing.pop(keys[leader][which], ()):
                yield statement_id, reason, leader

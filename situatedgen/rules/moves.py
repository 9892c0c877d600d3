"""Which statements left the split they had in an earlier dataset, and for the sake of which others."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from situatedgen.rules.homes import Placed, keys_of
from situatedgen.vocabulary import Split

Key = tuple[str, str]


class Reason(StrEnum):
    """What a statement shares with one that it may not be parted from."""

    TEXT = "shared text"
    TEMPLATE = "shared template"


@dataclass(frozen=True, slots=True)
class Move:
    """A statement that left its split, and a statement that it had to follow."""

    statement_id: str
    old_split: Split
    new_split: Split
    reason: Reason
    with_id: str


def moves(
    statements: Sequence[Placed], precedent: Mapping[str, Split], splits: Mapping[str, Split]
) -> tuple[Move, ...]:
    """Every statement of an earlier dataset, `precedent`, whose split is another one now, by id.

    A statement follows one that was in its new split before, or where none shares anything with it directly,
    the next one on the shortest chain to such a statement.
    """
    found = []
    for split in Split:
        moved = {name for name in splits.keys() & precedent.keys() if splits[name] is split is not precedent[name]}
        stayed = {statement.statement_id for statement in statements if precedent.get(statement.statement_id) is split}
        leads = followed(statements, stayed) if moved else {}
        found += [Move(name, precedent[name], split, *leads[name]) for name in moved]
    return tuple(sorted(found, key=lambda move: move.statement_id))


def followed(statements: Sequence[Placed], stayed: Collection[str]) -> dict[str, tuple[Reason, str]]:
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

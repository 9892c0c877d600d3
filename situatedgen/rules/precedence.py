"""Which split an earlier dataset means for a statement."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from situatedgen.rules.homes import Placed, alike
from situatedgen.rules.leaks import folded
from situatedgen.vocabulary import Split

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
        by_text.setdefault(folded(texts[statement_id]), []).append(statement_id)
    edited = []
    for each in others:
        if successors := by_text.get(folded(each.text)):
            found[successors.pop()] = each.split
        else:
            edited.append(each)
    return {each.statement_id: each.split for each in edited if each.statement_id in texts} | found


def _is_same(earlier: Earlier, text: str | None) -> bool:
    return text is not None and (not earlier.text or folded(earlier.text) == folded(text))


def settled(statements: Sequence[Placed], precedent: Mapping[str, Split], home: Mapping[str, int]) -> dict[str, Split]:
    """The split of each statement for which an earlier dataset, `precedent`, decides.

    Statements that share a text or a template go together where most of them were. Statements unlike any of
    the earlier dataset go where most of those are that have the same home. Only a home to which nothing of the
    earlier dataset belongs stays open.
    """
    found = _of_groups(alike(statements), precedent) if precedent else {}
    residents: dict[int, list[Split]] = {}
    for statement_id in sorted(found.keys() & precedent.keys()):
        residents.setdefault(home[statement_id], []).append(found[statement_id])
    usual = {label: commonest(splits) for label, splits in residents.items()}
    for statement in statements:
        label = home[statement.statement_id]
        if label in usual:
            found.setdefault(statement.statement_id, usual[label])
    return found


def _of_groups(groups: Iterable[Sequence[Placed]], precedent: Mapping[str, Split]) -> dict[str, Split]:
    """The split of each statement of the groups that have one from earlier."""
    found: dict[str, Split] = {}
    for group in groups:
        ids = [statement.statement_id for statement in group]
        known = [precedent[statement_id] for statement_id in ids if statement_id in precedent]
        if known:
            found.update(dict.fromkeys(ids, commonest(known)))
    return found


def commonest(splits: Iterable[Split]) -> Split:
    """The split that stands most often; of equals test, then dev.

    Example:
        >>> commonest([Split.TRAIN, Split.DEV, Split.TEST, Split.TRAIN, Split.DEV]).value
        'dev'
    """
    counts = Counter(splits)
    return max(HELD_BACK_FIRST, key=lambda split: counts[split])

"""Which split an earlier dataset means for a statement."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from situatedgen.rules.homes import Placed, alike
from situatedgen.vocabulary import Split

# Of equals, what was tested on must not become training data.
HELD_BACK_FIRST = (Split.TEST, Split.DEV, Split.TRAIN)


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

"""How communities are numbered."""

from collections.abc import Sequence


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

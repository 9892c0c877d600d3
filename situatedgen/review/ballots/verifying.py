"""Questions that people verified, and how they judged right and wrong texts (Table 2 of Zellers et al. 2018)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from situatedgen.review.ballots.ballots import Ballot
from situatedgen.review.ballots.gold import Fate, GoldRules, Outcome, outcome
from situatedgen.review.ballots.items import Item
from situatedgen.review.ballots.rankings import Ranking, ranking
from situatedgen.review.ballots.tasks import Likelihood, Place, Task
from situatedgen.seeds import order
from situatedgen.vocabulary import Split

GENERATED = "generated"
FOUND = "found"


@dataclass(frozen=True, slots=True)
class Verified:
    """An item, what people made of it, and how many they were."""

    item: Item
    outcome: Outcome
    people: int


@dataclass(frozen=True, slots=True)
class Row:
    """A verified question: its texts in the order in which they are published, and the place of the right one.

    `gold` says whether the right one was right by the data, or preferred to that by people.
    """

    item_id: str
    gold: str
    texts: tuple[str, ...]
    label: int


def verified(items: Sequence[Item], ballots: Iterable[Ballot], rules: GoldRules) -> list[Verified]:
    """What becomes of each item; one whose right text is not known cannot be verified and is none of them."""
    given: dict[str, list[Ranking]] = {}
    for ballot in ballots:
        if ballot.task is Task.RANK:
            given.setdefault(ballot.pair, []).append(ranking(ballot.answers))
    return [
        Verified(item, _outcome(given.get(item.key, []), item.right, item.split, rules), len(given.get(item.key, [])))
        for item in items
        if item.right is not None
    ]


def _outcome(rankings: Sequence[Ranking], right: int, split: str, rules: GoldRules) -> Outcome:
    return outcome(rankings, right, is_training=split == Split.TRAIN, rules=rules)


def rows(found: Verified, rules: GoldRules, *, seed: int) -> list[Row]:
    """The questions that an item gives, each with as many wrong texts as asked for, drawn by its id."""
    made = []
    for question in found.outcome.questions:
        is_found = question.gold == found.item.right
        name = found.item.item_id if is_found else f"{found.item.item_id} {GENERATED}"
        drawn = [question.wrong[place] for place in order(seed, f"wrong\x1f{name}", len(question.wrong))]
        chosen = [question.gold, *drawn[: rules.wrong]]
        places = order(seed, f"answers\x1f{name}", len(chosen))
        texts = tuple(found.item.content.texts[chosen[place]] for place in places)
        made.append(Row(name, FOUND if is_found else GENERATED, texts, places.index(0)))
    return made


def fates(found: Iterable[Verified]) -> dict[str, dict[str, int]]:
    """How many items met each fate, by split."""
    counts = Counter((each.item.split, each.outcome.fate) for each in found)
    splits = [split.value for split in Split if any(counts[split.value, fate] for fate in Fate)]
    return {split: {fate.value: counts[split, fate] for fate in Fate if counts[split, fate]} for split in splits}


def distribution(items: Sequence[Item], ballots: Iterable[Ballot]) -> dict[str, dict[str, float]]:
    """The share of each place and likelihood among right texts (`found`) and wrong ones (`generated`)."""
    right: Mapping[str, int | None] = {item.key: item.right for item in items}
    told: dict[str, Counter[str]] = {FOUND: Counter(), GENERATED: Counter()}
    for ballot in ballots:
        if ballot.task is Task.RANK and right.get(ballot.pair) is not None:
            given = ranking(ballot.answers)
            for text, likelihood in enumerate(given.likelihoods):
                told[FOUND if text == right[ballot.pair] else GENERATED].update([given.place(text), likelihood])
    return {
        kind: {name.value: counts[name] * 2 / counts.total() for name in (*Place, *Likelihood)}
        for kind, counts in told.items()
        if counts
    }

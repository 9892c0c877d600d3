"""Turn mined pairs into multiple-choice questions with four answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import polars as pl

from situatedgen.dataset.configuration import CHOICE_FIELDS, TEXTS
from situatedgen.filtering.choice.regroup import Slot, is_negated, is_possible, regroup, regroupings, slots_of
from situatedgen.filtering.pool import POOLS, Pool, Rows, questions, texts
from situatedgen.filtering.settings import ChoiceParams
from situatedgen.rules.keywords import Keyword
from situatedgen.seeds import order
from situatedgen.vocabulary import KeywordKind, Label

Sides: TypeAlias = tuple[str, str]
Slotted: TypeAlias = tuple[str, tuple[Slot, ...]]
MOST = 5_000
"""Maximum number of regroupings generated per pair before a population is drawn from them."""
KEPT, NEGATED, POSSIBLE = "kept", "negated", "only possible"
TOO_FEW, USED = "too few regroupings", "statement used too often"
REASONS = (KEPT, NEGATED, POSSIBLE, TOO_FEW, USED)


@dataclass(frozen=True)
class Chosen:
    """The candidates of all questions, and the number of pairs kept or dropped, by reason."""

    pools: pl.DataFrame
    counts: Mapping[str, int]


def choose_questions(
    examples: pl.DataFrame, keywords: pl.DataFrame, splits: pl.DataFrame, *, params: ChoiceParams
) -> Chosen:
    """Turn every pair that can be regrouped into a question with wrong candidates; each community is a group."""
    groups = dict(splits.select("pair_id", "community").iter_rows())
    slotted = _find_slots(examples, keywords)
    known = frozenset(plain(text) for text, _ in slotted.values())
    counts: Counter[str] = Counter()
    rows: list[tuple[object, ...]] = []
    uses: Counter[str] = Counter()
    for example_id, ids in _shuffle_pairs(examples, params.seed):
        left, right = (slotted[one] for one in ids)
        reason, wrong = USED, list[Sides]()
        if _may_use(uses, ids, params):
            reason, wrong = _draw_wrong(example_id, left, right, known, params)
        counts[reason] += 1
        if reason == KEPT:
            uses.update(ids)
            sides = [(left[0], right[0]), *wrong]
            rows += [(example_id, str(groups[example_id]), number, *both) for number, both in enumerate(sides)]
    return Chosen(POOLS.frame(rows), {reason: counts[reason] for reason in REASONS})


def _may_use(uses: Counter[str], ids: Sequence[str], params: ChoiceParams) -> bool:
    return all(uses[one] < params.uses for one in ids)


def _shuffle_pairs(examples: pl.DataFrame, seed: int) -> Iterator[tuple[str, list[str]]]:
    rows = examples.select("example_id", "ids").sort("example_id").rows()
    return (rows[place] for place in order(seed, "choice", len(rows)))


def _find_slots(examples: pl.DataFrame, keywords: pl.DataFrame) -> dict[str, Slotted]:
    """Text and slots of every statement in the examples."""
    found: dict[str, list[Keyword]] = {}
    for one, start, end, kind, label in keywords.select("statement_id", "start", "end", "kind", "label").iter_rows():
        found.setdefault(one, []).append(Keyword(start, end, KeywordKind(kind), Label(label) if label else None))
    texts = examples.select("ids", "statements").explode("ids", "statements").unique("ids").iter_rows()
    return {one: (text, slots_of(text, found.get(one, ()))) for one, text in texts}


def _draw_wrong(
    example_id: str, left: Slotted, right: Slotted, known: frozenset[str], params: ChoiceParams
) -> tuple[str, list[Sides]]:
    """Decide whether a pair becomes a question, and draw its wrong candidates in random order."""
    if is_negated(left[0]) or is_negated(right[0]):
        return NEGATED, []
    if is_possible(left[0]) and is_possible(right[0]):
        return POSSIBLE, []
    made = [regroup(left, right, one) for one in islice(regroupings(left[1], right[1]), MOST)]
    wrong = [both for sentences, both in _deduplicate(made).items() if not sentences <= known]
    if len(wrong) < params.min_population:
        return TOO_FEW, []
    drawn = order(params.seed, f"population\x1f{example_id}", len(wrong))
    return KEPT, [wrong[place] for place in drawn[: params.population]]


def _deduplicate(made: Iterable[Sides]) -> dict[frozenset[str], Sides]:
    """Deduplicate candidates by their sentences, ignoring order; the first is kept."""
    found: dict[frozenset[str], Sides] = {}
    for both in made:
        found.setdefault(frozenset(map(plain, both)), both)
    return found


def plain(text: str) -> str:
    """Normalise a statement for comparison: lowercase words only.

    Example:
        >>> plain("The Sun is a star.") == plain("the Sun is a  star")
        True
    """
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def answers(pool: Pool, assignment: Rows, examples: pl.DataFrame, *, seed: int) -> pl.DataFrame:
    """One row per question with its split: the right pair among wrong ones, in an order drawn by its id."""
    rows = [
        (item_id, *_shuffle_answers(texts(pool, own), order(seed, f"answers\x1f{item_id}", len(own))))
        for item_id, own in zip(pool.item_ids, questions(pool, assignment).tolist(), strict=True)
    ]
    asked = pl.DataFrame(rows, schema={"example_id": pl.String, "choices": TEXTS, "label": pl.Int64}, orient="row")
    about = examples.select("example_id", "split", "keywords", "context", "ids", "licences")
    whole = asked.join(about, on="example_id", how="left").sort("example_id")
    typed = [pl.col(name).cast(field.dtype) for name, field in CHOICE_FIELDS.items()]
    return whole.select(*typed, pl.col("split").cast(pl.String))


def _shuffle_answers(found: list[str], places: list[int]) -> tuple[list[str], int]:
    return [found[place] for place in places], places.index(0)

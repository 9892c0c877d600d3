"""How well multiple-choice conversion agrees with a reference: `python -m benchmarks.conversion DATA`."""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from situatedgen.conversion.choice import state
from situatedgen.conversion.confidence import lost_words
from situatedgen.conversion.inversion import split_sentences
from situatedgen.conversion.parsing import drive
from situatedgen.models.spacy_models import parse
from situatedgen.records import Conversion
from situatedgen.vocabulary import Verdict

SURE = 0.5
ARTICLES = frozenset({"a", "an", "the"})
_WORD = re.compile(r"[a-z0-9°%]+")


@dataclass(frozen=True, slots=True)
class Row:
    """A question of the reference with its answer and the reference's statement."""

    row_id: str
    question: str
    answer: str
    statement: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the converter made of a row."""

    row: Row
    conversion: Conversion


def words(text: str) -> list[str]:
    """The words of a text in small letters, without marks."""
    return _WORD.findall(text.lower().replace("'", "").replace("’", ""))


def equal(ours: str, theirs: str) -> bool:
    """The same words but for articles, case and marks."""
    left, right = ([word for word in words(text) if word not in ARTICLES] for text in (ours, theirs))
    return left == right


def token_f1(ours: str, theirs: str) -> float:
    """The harmonic mean of precision and recall over words."""
    left, right = words(ours), words(theirs)
    shared = sum((Counter(left) & Counter(right)).values())
    return 2 * shared / (len(left) + len(right)) if shared else 0.0


def read_rows(data: Path) -> list[Row]:
    """The multiple-choice rows of the reference in a data folder."""
    path = data / "reference" / "statements.jsonl"
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [
        Row(record["id"], record["question"], record["answer"], record["statement"])
        for record in records
        if record["id"].startswith(("commonsenseqa::", "arc::"))
    ]


def is_single(row: Row) -> bool:
    """The stem is one sentence."""
    return len(split_sentences(row.question)) == 1


def half(row: Row) -> int:
    """The half of the reference a row belongs to: 0 was looked at while the rules were made, 1 was not."""
    return int(sha256(row.row_id.encode()).hexdigest(), 16) % 2


def convert(rows: Sequence[Row]) -> list[Outcome]:
    """What the rules make of each row."""
    works = [state(row.question, row.answer) for row in rows]
    made = drive(works, lambda texts: list(parse(texts, disable=("ner",))))
    return [Outcome(row, conversion) for row, conversion in zip(rows, made, strict=True)]


def share(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> float:
    """The share of outcomes for which something holds."""
    return sum(holds(outcome) for outcome in outcomes) / max(len(outcomes), 1)


def measures(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """Agreement with the reference over single-sentence stems, and how sure the converter is."""
    made = [outcome for outcome in outcomes if outcome.conversion.text]
    f1 = [token_f1(outcome.conversion.text, outcome.row.statement) for outcome in outcomes]
    return {
        "rows": len(outcomes),
        "equal": share(outcomes, lambda one: equal(one.conversion.text, one.row.statement)),
        "token_f1": sum(f1) / max(len(f1), 1),
        "answer_words_kept": share(made, lambda one: not lost_words(one.row.answer, one.conversion.text)),
        "sure": share(outcomes, lambda one: one.conversion.confidence >= SURE),
        "kept": share(outcomes, lambda one: one.conversion.verdict is Verdict.KEPT),
    }


def report(outcomes: Sequence[Outcome], seconds: float) -> None:
    """Print the measures, the verdicts and the shapes."""
    for name, part in (("looked at", 0), ("not looked at", 1)):
        single = [one for one in outcomes if is_single(one.row) and half(one.row) == part]
        figures = {key: round(value, 3) for key, value in measures(single).items()}
        print(f"single-sentence stems, half {name}: {figures}")
    print("verdicts:", dict(Counter(one.conversion.verdict.value for one in outcomes).most_common()))
    print("shapes:", dict(Counter(one.conversion.shape for one in outcomes).most_common()))
    print(f"milliseconds an item: {1000 * seconds / max(len(outcomes), 1):.1f}")


def main() -> None:
    """Measure over the data folder named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder that holds reference/statements.jsonl")
    data = parser.parse_args().data
    if not (data / "reference" / "statements.jsonl").is_file():
        print(f"skipped: {data} holds no reference/statements.jsonl")
        return
    rows = read_rows(data)
    convert(rows[:1])
    started = time.perf_counter()
    outcomes = convert(rows)
    report(outcomes, time.perf_counter() - started)


if __name__ == "__main__":
    main()

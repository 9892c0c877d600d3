"""The card of filtered questions: what they are, how many, and what a committee of models of style makes of them."""

from collections.abc import Iterator

import polars as pl

from situatedgen.dataset.configuration import CHOICE, CHOICE_FIELDS
from situatedgen.filtering.baselines import table
from situatedgen.filtering.making import Made
from situatedgen.filtering.settings import FilterSettings
from situatedgen.vocabulary import Split

CONFIGURATION = CHOICE.folder
METHODS = {"af": "adversarial filtering (Zellers et al. 2018)", "aflite": "AFLite (Le Bras et al. 2020)"}
BASELINES = (
    "What simple models answer when they see the end of the second sentence, all of it, or both sentences; in"
    " brackets the 95 % interval."
)
HEADER = """\
---
pretty_name: SituatedGen, situated choice
language:
- en
task_categories:
- multiple-choice
configs:
- config_name: {name}
  data_files:
{files}
---

# Situated choice

Each question has {answers} pairs of sentences that are made of the same keywords. One pair is true; in the others
places, times or other keywords stand in the wrong sentence. Filtered by {method}.
"""


def card(found: Made, settings: FilterSettings) -> str:
    """The text of the README beside the questions."""
    files = "\n".join(f"  - split: {split}\n    path: {CONFIGURATION}/{split}.parquet" for split in Split)
    header = HEADER.format(
        name=CONFIGURATION, files=files, answers=settings.choice.wrong + 1, method=METHODS[settings.method]
    )
    sections = {
        "": _table(
            ("split", "questions"),
            [(split, found.questions.filter(pl.col("split") == split).height) for split in Split],
        ),
        "## Pairs": _table(("pairs of the dataset", "count"), list(found.counts.items())),
        "## Accuracy": "On held-out communities, by models that were trained anew.\n\n"
        + _table(("model", "before", "after"), list(_accuracies(found))),
        **_baselines(found, settings),
        "## Fields": _table(
            ("field", "meaning"), [(f"`{name}`", field.meaning) for name, field in CHOICE_FIELDS.items()]
        ),
    }
    return "\n".join([header, *(f"{title}\n\n{text}\n".lstrip() for title, text in sections.items())])


def _baselines(found: Made, settings: FilterSettings) -> dict[str, str]:
    """The section on baselines; none where nobody was asked."""
    if not found.baselines["before"]:
        return {}
    said = f"{BASELINES} Chance is {100 / (1 + settings.choice.wrong):.0f} %.\n\n"
    return {"## Baselines": said + _table(table.header(found.baselines), list(table.rows(found.baselines)))}


def _accuracies(found: Made) -> Iterator[tuple[object, ...]]:
    for name, before in found.before.items():
        yield name, f"{before:.1%}", f"{found.after[name]:.1%}"


def _table(head: tuple[str, ...], rows: list[tuple[object, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)

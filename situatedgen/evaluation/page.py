"""The results of an evaluation as a self-contained HTML page."""

from collections.abc import Iterable
from html import escape
from pathlib import Path
from string import Template

from situatedgen.atomic import write
from situatedgen.evaluation import results
from situatedgen.evaluation.preferences import PICTURE, picture, preference_rows
from situatedgen.evaluation.results import Case, CaseText, Evaluation
from situatedgen.formatting import Rows
from situatedgen.resources import read_text

FILE = "scores.html"


def write_page(evaluation: Evaluation, folder: Path) -> Path:
    """Write the page, and the picture of preferences if there are any, into a folder; return the path of the page."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE
    write(path, page(evaluation).encode("utf-8"))
    if evaluation.preferences:
        write(folder / PICTURE, picture(evaluation.preferences).encode("utf-8"))
    return path


def page(evaluation: Evaluation) -> str:
    """Render the page: scores, significance tests, preferences, cases, groups and signatures."""
    systems = ", ".join(system.system for system in evaluation.systems)
    dataset = evaluation.dataset
    return Template(read_text("scores.html")).substitute(
        title=escape(f"Scores of {systems}"),
        dataset=escape(
            f"{dataset.examples:,} examples: the {dataset.split} split of {dataset.folder} {dataset.content[:12]}"
        ),
        absent="".join(f"<p><strong>{_absence(*each)}</strong></p>" for each in results.absences(evaluation).items()),
        scores=table(results.score_rows(evaluation)),
        tests=table(results.difference_rows(evaluation)) if evaluation.tests else "",
        preferences=_preferences(evaluation),
        cases="\n".join(map(_case, evaluation.cases)),
        groups="\n".join(_groups(evaluation)),
        signatures="\n".join(f"<li><code>{escape(each)}</code></li>" for each in results.signatures(evaluation)),
        resamples=f"{evaluation.resamples:,}",
        seed=evaluation.seed,
    )


def table(rows: Rows) -> str:
    """Render a text table as HTML; quoted rows are marked."""
    head = _cells("th", rows.header, rows.words)
    body = "\n".join(
        f"<tr{' class=quoted' if results.QUOTED in row else ''}>{_cells('td', row, rows.words)}</tr>"
        for row in rows.rows
    )
    return f"<table>\n<caption>{escape(rows.title)}</caption>\n<tr>{head}</tr>\n{body}\n</table>"


def _cells(tag: str, words: Iterable[str], left: frozenset[int]) -> str:
    return "".join(
        f"<{tag}{' class=word' if number in left else ''}>{_shrink_interval(escape(word))}</{tag}>"
        for number, word in enumerate(words)
    )


def _shrink_interval(text: str) -> str:
    """Put the interval after a score in small print."""
    value, bracket, rest = text.partition(" [")
    return f"{value} <small>[{rest}</small>" if bracket and rest.endswith("]") else text


def _preferences(evaluation: Evaluation) -> str:
    found = evaluation.preferences
    return f"<h2>Preferences</h2>\n{table(preference_rows(found))}\n<p>{picture(found)}</p>" if found else ""


def _absence(metric: str, reason: str) -> str:
    return escape(f"{metric} was not computed: {reason}.")


def _case(case: Case) -> str:
    rows = "\n".join(
        f"<tr><td class=word>{escape(each.system)}</td><td class=word>{_mark_keywords(each)}</td></tr>"
        for each in case.texts
    )
    keywords = escape(", ".join(case.keywords))
    head = f"<tr><th class=word>keywords</th><th class=word>{keywords}</th></tr>"
    return f"<table>\n<caption>{escape(case.example_id)}</caption>\n{head}\n{rows}\n</table>"


def _mark_keywords(text: CaseText) -> str:
    return "".join(f"<u>{escape(part.text)}</u>" if part.is_keyword else escape(part.text) for part in text.parts)


def _groups(evaluation: Evaluation) -> Iterable[str]:
    for system in evaluation.systems:
        found = "\n".join(table(results.group_rows(evaluation, system, by)) for by in results.KINDS)
        yield f"<details><summary>{escape(system.system)}</summary>\n{found}\n</details>"

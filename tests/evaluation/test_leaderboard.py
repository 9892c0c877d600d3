"""The leaderboard: what stands together, in which order, and that names are only text."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from cli_support import run
from situatedgen.errors import PredictionError, SettingsError
from situatedgen.evaluation.leaderboard import Board, board_rows, boards, notes, page
from situatedgen.evaluation.results import (
    DatasetScored,
    Evaluation,
    SystemScore,
    SystemScores,
    quoted_rows_of_paper,
    write_evaluation,
)

METRICS = ("COVERAGE", "MATCH")


def system(
    name: str, *values: float, metrics: tuple[str, ...] = METRICS, sha: str = "", examples: int = 50, signed: str = ""
) -> SystemScores:
    scores = tuple(
        SystemScore(metric=metric, value=value, low=value - 1, high=value + 1, signature=f"{metric}|{signed}v1")
        for metric, value in zip(metrics, values, strict=True)
    )
    return SystemScores(system=name, predictions=f"{name}.jsonl", sha256=sha or name, examples=examples, scores=scores)


def evaluation(*systems: SystemScores, content: str = "abc", split: str = "test", folder: str = "mine") -> Evaluation:
    dataset = DatasetScored(folder=folder, content=content, split=split, examples=50)
    metrics = tuple(dict.fromkeys(score.metric for each in systems for score in each.scores))
    return Evaluation(situatedgen="0", dataset=dataset, metrics=metrics, seed=0, resamples=10, systems=systems)


def board(tmp_path: Path, *evaluations: Evaluation) -> Board:
    for number, each in enumerate(evaluations):
        write_evaluation(each, tmp_path / f"run{number}")
    [only] = boards(tmp_path)
    return only


def test_the_best_stands_first_among_the_papers_rows(tmp_path: Path) -> None:
    """MATCH 80 is above InstructGPT's 79.6 and below people's 92.9; 10 is below all."""
    found = board(tmp_path, evaluation(system("poor", 99, 10), system("good", 50, 80)))
    order = [entry.system for entry in found.entries]
    assert (order[:3], order[-1]) == (["Human (100 examples)", "good", "InstructGPT (175B, 10-shot)"], "poor")
    assert len(order) == 2 + len(quoted_rows_of_paper())
    assert found.metrics == METRICS
    assert (found.best("COVERAGE"), found.best("MATCH")) == (99, 80)
    [other] = boards(tmp_path, by="COVERAGE")
    assert [entry.system for entry in other.measured] == ["poor", "good"]


def test_each_dataset_and_split_has_its_own_board(tmp_path: Path) -> None:
    given = [
        evaluation(system("a", 1, 2)),
        evaluation(system("b", 1, 2), split="dev"),
        evaluation(system("c", 1, 2), content="other"),
        evaluation(system("d", 1, 2), folder="copy"),  # the same content, somewhere else
    ]
    for number, each in enumerate(given):
        write_evaluation(each, tmp_path / str(number))
    assert [[entry.system for entry in each.measured] for each in boards(tmp_path)] == [["b"], ["a", "d"], ["c"]]


def test_the_same_predictions_scored_by_other_metrics_are_one_row(tmp_path: Path) -> None:
    more = system("a", 2.0, 30.0, metrics=("MATCH", "BLEU-4"), sha="a")
    found = board(tmp_path, evaluation(system("a", 1.0, 2.0, sha="a")), evaluation(more))
    assert [{metric: cell.value for metric, cell in entry.cells.items()} for entry in found.measured] == [
        {"COVERAGE": 1.0, "MATCH": 2.0, "BLEU-4": 30.0}
    ]


@pytest.mark.parametrize(
    "other",
    [
        system("a", 1.0, 3.0, sha="x"),  # another score
        system("a", 1.0, 2.0, sha="y"),  # other predictions
        system("a", 1.0, 2.0, sha="x", signed="w"),  # another way of scoring
        system("a", 1.0, 2.0, sha="x", examples=9),  # fewer examples
    ],
)
def test_what_disagrees_stays_apart(other: SystemScores, tmp_path: Path) -> None:
    found = board(tmp_path, evaluation(system("a", 1.0, 2.0, sha="x")), evaluation(other))
    assert sorted(entry.origin for entry in found.measured) == ["run0/scores.json", "run1/scores.json"]


def test_several_signatures_are_numbered(tmp_path: Path) -> None:
    found = board(tmp_path, evaluation(system("a", 1, 20)), evaluation(system("b", 1, 10, signed="w")))
    cells = {row[0]: row[3] for row in board_rows(found).rows}
    assert (cells["a"], cells["b"], cells["Human (100 examples)"]) == ("20.0 [1]", "10.0 [2]", "92.9")
    assert "MATCH|v1 [1]" in list(notes(found))
    assert "MATCH|wv1 [2]" in list(notes(found))


def test_rows_tell_how_many_were_answered_and_where_scores_come_from(tmp_path: Path) -> None:
    alone = board_rows(board(tmp_path, evaluation(system("people", 1, 2, examples=9), system("a", 1, 3))))
    assert alone.header == ("system", "examples", *METRICS)
    shown = {row[0]: row[1] for row in alone.rows}
    assert (shown["people"], shown["a"], shown["T5-base (220M)"]) == ("9 of 50", "50", "quoted")
    both = board_rows(board(tmp_path, evaluation(system("a", 1, 2)), evaluation(system("b", 1, 1))))
    assert [row[-1] for row in both.rows if row[0] in "ab"] == ["run0/scores.json", "run1/scores.json"]
    assert both.header[-1] == "from"
    assert all(len(row) == len(table.header) for table in (alone, both) for row in table.rows)


class Cells(HTMLParser):
    """The rows of a page as its reader sees them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def test_the_page_shows_the_same_and_takes_names_for_text(tmp_path: Path) -> None:
    wicked = "<img src=x onerror=alert(1)> $boards & co"
    found = board(tmp_path, evaluation(system(wicked, 1, 20), system("good", 2, 30), folder="<i>mine</i>"))
    text = page([found])
    seen = Cells(text.partition("</table>")[0])
    expected = [list(board_rows(found).header), *map(list, board_rows(found).rows)]
    assert [[cell.strip() for cell in row] for row in seen.rows] == expected
    assert not {"img", "i"} & seen.tags
    assert re.findall(r"<b>(.*?)</b>", text) == ["2.0", "30.0"]  # both of the better system
    assert 'title="95 %: 29.0 to 31.0"' in text
    assert not re.search(r"""(?:src|href)=["']?http|@import|url\(""", text)


def test_the_command_prints_and_writes_the_page(tmp_path: Path) -> None:
    write_evaluation(evaluation(system("mine[bold]", 1, 20)), tmp_path / "a")
    output = run("leaderboard", tmp_path)
    assert "mine[bold]" in output
    assert "mine, test: 50 examples" in output
    assert (tmp_path / "leaderboard.html").read_text("utf-8") == page(boards(tmp_path))
    told = json.loads(run("leaderboard", tmp_path, "--json", "--out", tmp_path / "new/page.html"))
    assert [entry["system"] for entry in told[0]["entries"] if not entry["is_quoted"]] == ["mine[bold]"]
    assert (tmp_path / "new/page.html").is_file()


def test_what_cannot_be_shown_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no scores\.json found below .*situatedgen evaluate"):
        run("leaderboard", tmp_path)
    path = write_evaluation(evaluation(system("a", 1, 20)), tmp_path)
    with pytest.raises(SettingsError, match=r"unknown metric 'MATHC'.*did you mean 'MATCH'"):
        run("leaderboard", tmp_path, "--by", "MATHC")
    path.write_text("{}", encoding="utf-8")
    with pytest.raises(PredictionError, match=re.escape(str(path))):
        run("leaderboard", tmp_path)
    assert not (tmp_path / "leaderboard.html").exists()

"""The page, the sheet for people, the quoted rows, and the intervals."""

import html
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen import resampling
from situatedgen.errors import SettingsError
from situatedgen.evaluation import results
from situatedgen.evaluation.page import page
from situatedgen.evaluation.predictions import Example, draw_sheet, read_predictions, write_sheet
from situatedgen.evaluation.results import quoted_rows_of_paper
from situatedgen.resampling import mean

EXAMPLES = [Example(f"e{n:02}", ("Rome", f"<{n}>"), (0, 1), ("Rome.", f"{n}.")) for n in range(20)]


def evaluation(name: str) -> results.Evaluation:
    score = results.SystemScore(metric="MATCH", value=61.25, low=60, high=62.5, signature=f"MATCH|{name}")
    parts = (results.Part(text="a "), results.Part(text=name, is_keyword=True))
    return results.Evaluation(
        situatedgen="0",
        dataset=results.DatasetScored(folder=name, content="c", split="test", examples=3),
        metrics=("MATCH", "SPICE"),
        seed=0,
        resamples=10,
        systems=(
            results.SystemScores(
                system=name,
                predictions=name,
                sha256="",
                examples=3,
                scores=(score,),
                absent=(results.AbsentScore(metric="SPICE", reason=name),),
                groups=(results.GroupScores(by="source", group=name, examples=3, values={"MATCH": 61.25}),),
            ),
        ),
        cases=(results.Case(example_id=name, keywords=(name,), texts=(results.CaseText(system=name, parts=parts),)),),
    )


def test_the_page_escapes_text_and_needs_nothing_beside_it() -> None:
    name = '<script>alert("x")</script>$title'
    shown = page(evaluation(name))
    assert "<script" not in shown
    assert re.findall(r"(?:src|href|url)\s*[=(]", shown) == []
    assert "61.2 <small>[60.0, 62.5]</small>" in shown
    assert f"a <u>{html.escape(name)}</u>" in shown
    assert f"SPICE was not computed: {html.escape(name)}." in shown
    assert shown.count("<tr class=quoted>") == len(quoted_rows_of_paper())


def test_an_evaluation_is_read_as_it_was_written(tmp_path: Path) -> None:
    found = evaluation("mine")
    assert results.read_evaluation(results.write_evaluation(found, tmp_path)) == found


def test_a_filled_sheet_is_read_like_any_system(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    chosen = draw_sheet(EXAMPLES, 5, seed=3)
    write_sheet(path, chosen)
    lines = path.read_bytes().decode("utf-8-sig").splitlines()
    assert lines[0] == "example_id,keywords,text"
    path.write_text("\n".join([lines[0], *(line + "Rome is old." for line in lines[1:])]), encoding="utf-8")
    found = read_predictions(path, EXAMPLES)
    assert (set(found.examples), set(found.texts)) == (set(chosen), {"Rome is old."})


def test_a_sheet_is_never_overwritten(tmp_path: Path) -> None:
    write_sheet(tmp_path / "people.csv", EXAMPLES)
    with pytest.raises(SettingsError, match="may contain answers"):
        write_sheet(tmp_path / "people.csv", EXAMPLES)
    with pytest.raises(SettingsError, match=r"name the sheet people\.csv"):
        write_sheet(tmp_path / "people.xlsx", EXAMPLES)


def test_examples_are_drawn_by_the_seed_alone() -> None:
    assert draw_sheet(EXAMPLES, 5, seed=1) == draw_sheet(EXAMPLES[::-1], 5, seed=1) != draw_sheet(EXAMPLES, 5, seed=2)
    with pytest.raises(SettingsError, match="requested 21 of 20 examples"):
        draw_sheet(EXAMPLES, 21, seed=1)


def test_an_interval_has_the_width_that_theory_gives() -> None:
    """The mean of n values of spread s lies within 1.96 s / sqrt(n) in 95 of 100 draws."""
    values = np.random.default_rng(0).normal(0.5, 0.1, 400)
    low, high = resampling.interval(mean(values, scale=100), seed=0, resamples=2000)
    assert low < 100 * values.mean() < high
    assert high - low == pytest.approx(2 * 1.96 * 100 * values.std() / 20, rel=0.1)


def test_systems_that_differ_are_told_apart_and_equal_ones_are_not() -> None:
    chance = np.random.default_rng(1)
    left = chance.normal(0.5, 0.1, 200)
    better = mean(left + chance.normal(0.05, 0.05, 200), scale=100)
    alike = mean(left + chance.normal(0, 0.05, 200), scale=100)
    system = mean(left, scale=100)
    assert resampling.p_value(system, better, seed=0) == 1 / 1001
    assert resampling.p_value(system, alike, seed=0) > 0.05
    assert resampling.p_value(system, system, seed=0) == 1.0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30), st.integers(0, 3))
def test_p_values_and_intervals_keep_their_bounds(values: list[float], seed: int) -> None:
    one, two = mean(values, scale=100), mean(values[::-1], scale=100)
    low, high = resampling.interval(one, seed=seed, resamples=50)
    assert 100 * min(values) - 1e-9 <= low <= high <= 100 * max(values) + 1e-9
    assert 0 < resampling.p_value(one, two, seed=seed, resamples=50) <= 1

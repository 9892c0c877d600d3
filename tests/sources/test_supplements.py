"""What is read of the built-in collections beside their questions, where a build asks for it."""

import json
from pathlib import Path

import pytest

from situatedgen.errors import SettingsError, SourceError
from situatedgen.presets import load
from situatedgen.sources import sample_folder
from situatedgen.sources.builtin import COLLECTIONS, READABLE, SUPPLEMENTS
from situatedgen.sources.params import SourceParams
from situatedgen.sources.registry import choose, choose_sources, find
from situatedgen.sources.source import ItemRow, read
from situatedgen.vocabulary import ItemKind, Verdict

QUESTIONS = [
    {"qid": "a", "facts": ["Kenya became independent in 1963.", "Lima is in Peru."]},
    {"qid": "b"},
    {"qid": "c", "facts": []},
    {"qid": "d", "facts": "Oslo is in Norway."},
    {"qid": "e", "facts": [7, "Rome is in Italy."]},
]
CLAIMS = [
    {"ex_id": "t0", "sentence": "Soup is solid.", "label": "false", "explanation": "Soup is a liquid."},
    {"ex_id": "t1", "sentence": "Paris lies in France.", "label": "true"},
    {"ex_id": "t2", "sentence": "Paris lies in France.", "label": "true", "explanation": ""},
]


def rows(root: Path, name: str) -> tuple[ItemRow, ...]:
    return read(find(SourceParams(name=name)), root).rows


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("strategyqa", "creak"):
        (tmp_path / name).mkdir()
    (tmp_path / "strategyqa/strategyqa_train.json").write_text(json.dumps(QUESTIONS, indent=1), encoding="utf-8")
    for name in ("train", "dev"):
        claims = "".join(json.dumps(claim) + "\n" for claim in CLAIMS)
        (tmp_path / f"creak/{name}.json").write_text(claims, encoding="utf-8")
    return tmp_path


def test_every_fact_of_a_question_is_a_claim_with_the_line_of_its_question(root: Path) -> None:
    kept = [row for row in rows(root, "strategyqa_facts") if row.verdict == Verdict.KEPT]
    assert [(row.item_id, row.statement, row.line) for row in kept] == [
        ("strategyqa_facts::train::0", "Kenya became independent in 1963.", 2),
        ("strategyqa_facts::train::1", "Lima is in Peru.", 2),
        ("strategyqa_facts::train::4", "Oslo is in Norway.", 16),
        ("strategyqa_facts::train::6", "Rome is in Italy.", 20),
    ]
    assert {(row.kind, row.licence) for row in kept} == {(ItemKind.CLAIM, "MIT")}


def test_a_fact_that_is_no_text_is_malformed_and_loses_no_other(root: Path) -> None:
    broken = [row for row in rows(root, "strategyqa_facts") if row.verdict == Verdict.MALFORMED]
    assert [(row.item_id, row.line) for row in broken] == [("strategyqa_facts::train::5", 20)]
    assert "expected text in 'fact', found a number: 7" in str(broken[0].reason)


def test_why_a_claim_is_true_or_false_is_a_claim_itself(root: Path) -> None:
    found = [(row.item_id, row.statement) for row in rows(root, "creak_explanations")]
    assert found == [
        ("creak_explanations::train::0", "Soup is a liquid."),
        ("creak_explanations::dev::0", "Soup is a liquid."),
    ]


def test_supplements_are_read_only_where_they_are_asked_for() -> None:
    assert [params.name for params in choose((), sample_folder())] == list(COLLECTIONS)
    asked = [params.name for params in choose((), sample_folder(), SUPPLEMENTS)]
    assert asked == sorted(READABLE)


def test_named_sources_are_all_that_is_read() -> None:
    found = choose((SourceParams(name="creak"),), sample_folder(), SUPPLEMENTS)
    assert [params.name for params in found] == ["creak"]


def test_they_are_read_where_a_build_asks_for_them_unless_they_are_excluded() -> None:
    asked = "supplements=creak_explanations,strategyqa_facts"
    names = [item.source.name for item in choose_sources(load("embedded", [asked]), sample_folder())]
    assert set(SUPPLEMENTS) < set(names)
    fewer = load("embedded", [asked, "exclude_sources=creak_explanations"])
    assert "creak_explanations" not in [item.source.name for item in choose_sources(fewer, sample_folder())]


def test_a_folder_without_their_files_does_without_them(root: Path) -> None:
    (root / "strategyqa/strategyqa_train.json").unlink()
    assert [params.name for params in choose((), root, SUPPLEMENTS)] == ["creak", "creak_explanations"]


def test_a_file_without_facts_is_refused(root: Path) -> None:
    (root / "strategyqa/strategyqa_train.json").write_text('[{"qid": "a"}]', encoding="utf-8")
    with pytest.raises(SourceError, match=r"strategyqa_facts.*all were skipped on purpose"):
        rows(root, "strategyqa_facts")


def test_an_unknown_supplement_is_refused() -> None:
    with pytest.raises(SettingsError, match="supplements"):
        load("strict", ["supplements=arc_facts"])

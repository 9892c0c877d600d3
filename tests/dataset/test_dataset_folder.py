"""The dataset folder: exactly what is promised, whole or not at all, never on top of someone else's files."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from situatedgen import atomic
from situatedgen.dataset.card import card
from situatedgen.dataset.contents import contents
from situatedgen.dataset.facts import Facts, Origin
from situatedgen.dataset.folder import check_out, publish, read_examples, read_manifest
from situatedgen.dataset.statistics import Basis, Validity, from_values, read
from situatedgen.errors import SettingsError, StoreError
from situatedgen.rules.licences import hub_licence
from situatedgen.schemas import (
    CANDIDATES,
    COMMUNITIES,
    EXAMPLES,
    ITEMS,
    JUDGED,
    KEYWORDS,
    MASKS,
    PAIRS,
    SPLITS,
    STATEMENTS,
)
from situatedgen.testing import unjudged
from situatedgen.vocabulary import Split
from table_support import example_row

# Two communities; the second pair has letters beyond ASCII, and is listed first to show that rows are sorted.
PAIR_ROWS = [
    ("b1", "b2", "Chișinău lies in Moldova.", "Oslo lies in Norway.", 1, "test"),
    ("a1", "a2", "Rome is in Italy.", "Bern is in Switzerland.", 0, "train"),
]
ORIGINS = {"a": ("alpha", "MIT", "Doe (2020): Alpha."), "b": ("beta", "CC BY-SA 4.0", "Roe (2021): Beta.")}
FILES = [
    *("CITATION.cff", "DATASHEET.md", "LICENCES.md", "README.md", "croissant.json"),
    *(f"data/{split}.{kind}" for split in ("dev", "test", "train") for kind in ("jsonl", "parquet")),
    *(
        f"figures/{name}.{kind}"
        for name in ("communities", "contexts", "funnel", "keywords", "similarities", "sources")
        for kind in ("png", "svg")
    ),
    *(f"{name}/{split}.parquet" for name in ("boolqa", "keyword2text") for split in ("dev", "test", "train")),
    "lm_eval/situatedgen.yaml",
    "lm_eval/utils.py",
    "manifest.json",
    "report.html",
    "stats.json",
]


def made_tables():
    names = [row for left, right, first, second, *_ in PAIR_ROWS for row in ((left, first), (right, second))]
    known = [(name, text, *ORIGINS[name[0]]) for name, text in names]
    items = [
        (name, own, "train", "f", 1, "claim", "", "", text, *origin, "kept", "") for name, text, own, *origin in known
    ]
    pairs = [(f"{left}|{right}", left, right) for left, right, *_ in PAIR_ROWS]
    splits = [(*ids, number, split, "kept") for ids, (*_, number, split) in zip(pairs, PAIR_ROWS, strict=True)]
    examples = [
        example_row(
            left,
            right,
            split,
            texts=(first, second),
            words=[(first.split(" ")[0], 0), (second.split(" ")[0], 1)],
            similarity=0.87654321,
            probability=0.75,
            licences=[hub_licence(ORIGINS[left[0]][1])] * 2,
        )
        for left, right, first, second, _, split in PAIR_ROWS
    ]
    found = {
        "items": ITEMS.frame(items),
        "statements": STATEMENTS.frame([(name, own, text, "claim", 1.0, "kept") for name, text, own, *_ in known]),
        "keywords": KEYWORDS.empty,
        "masks": MASKS.frame([(name, f"[UNK] {name[0]} [UNK].", 2, "GEO", "kept") for name, _ in names]),
        "candidates": CANDIDATES.frame([(left, right, 0.9, "kept") for _, left, right in pairs]),
        "pairs": PAIRS.frame([(*ids, 0.9, "GEO", "kept") for ids in pairs]),
        **{
            stage: JUDGED.frame([(*ids, 0.9, "GEO", "kept", *[0.75] * 5) for ids in pairs])
            for stage in ("shortlist", "judged", "selected")
        },
        "communities": COMMUNITIES.frame([(name, "ab".index(name[0])) for name, _ in names]),
        "splits": SPLITS.frame(splits),
        "examples": EXAMPLES.frame(examples),
    }
    return {**found, "judgements": unjudged(found["splits"])}


TABLES = made_tables()
MODEL = {"name": "leiden", "weights": "", "revision": "1"}
SETTINGS = {"communities": {"detector": MODEL, "seed": 0}, "items": {"sources": [{"name": "alpha"}]}}


def manifest(digest="d1", seconds=1.0):
    return {
        "created": "2024-01-01",
        "settings": SETTINGS,
        "stages": {"examples": {"digest": digest, "seconds": seconds}},
        "versions": {"polars": "1.0"},
    }


MADE = contents(TABLES, manifest())


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Pictures and numbers are made once for all tests of the folder."""
    monkeypatch.setattr("situatedgen.dataset.contents.contents", lambda *_: dict(MADE))


def listing(out):
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file())


def snapshot(out):
    return {name: (out / name).read_bytes() for name in listing(out)}


def test_the_folder_has_the_promised_files_and_a_manifest_of_ours_that_names_them(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    assert publish(out, TABLES, manifest()) == read(out / "stats.json")
    assert listing(tmp_path) == [f"out/{name}" for name in sorted(FILES)]
    told = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert sorted(told.pop("files")) == sorted(set(FILES) - {"manifest.json"})
    assert len(told.pop("content")) == 64
    assert told == {"format": "situatedgen dataset", **manifest()}


def test_records_have_the_authors_fields_first_and_plain_values():
    """The similarity is a 32-bit float in the table; it is released with six decimals."""
    assert MADE["data/dev.jsonl"] == b""
    assert MADE["data/test.jsonl"].decode("utf-8") == (
        '{"keywords": ["Chișinău", "Oslo"], "statement": "Chișinău lies in Moldova. Oslo lies in Norway.", '
        '"ids": ["b1", "b2"], "keywords_pos": [0, 1], '
        '"statements": ["Chișinău lies in Moldova.", "Oslo lies in Norway."], '
        '"example_id": "b1|b2", "context": "GEO", "similarity": 0.876543, '
        '"probability": 0.75, '
        '"licences": ["cc-by-sa-4.0", "cc-by-sa-4.0"]}\n'
    )


@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_parquet_has_the_same_rows(split):
    rows = pl.read_parquet(MADE[f"data/{split}.parquet"])
    lines = [json.loads(line) for line in MADE[f"data/{split}.jsonl"].decode("utf-8").splitlines()]
    assert rows.rows(named=True) == lines
    assert rows.columns == [
        "keywords", "statement", "ids", "keywords_pos", "statements", "example_id", "context", "similarity",
        "probability", "licences",
    ]  # fmt: skip


def test_same_tables_same_bytes():
    assert contents(TABLES, manifest(seconds=9.0)) == MADE


def test_lines_are_in_order_of_example_id():
    examples = TABLES["examples"].with_columns(split=pl.lit("train").cast(EXAMPLES.columns["split"]))
    lines = contents(TABLES | {"examples": examples}, manifest())["data/train.jsonl"].decode("utf-8").splitlines()
    assert [json.loads(line)["example_id"] for line in lines] == ["a1|a2", "b1|b2"]


def test_the_card_tells_licences_files_settings_and_citations():
    text = MADE["README.md"].decode("utf-8")
    assert text.startswith("---\npretty_name: SituatedGen\nlanguage:\n- en\nlicense:\n- cc-by-sa-4.0\n- mit\n")
    assert "split: dev" not in text
    for line in (
        "| alpha | 2 | MIT | Doe (2020): Alpha. |",
        "| beta | 2 | CC BY-SA 4.0 | Roe (2021): Beta. |",
        "| communities | detector `leiden 1`, seed `0` |",
        "| polars | 1.0 |",
        '  "example_id": "a1|a2",',
        "| pairs | 1 | 0 | 1 |",
    ):
        assert line in text.splitlines()


def test_the_card_says_what_share_is_valid_and_what_that_rests_on():
    lines = MADE["README.md"].decode("utf-8").splitlines()
    assert "The judge expects 75 % of the pairs to be valid; no labelled pairs correct this." in lines
    assert "| valid pairs, expected by the judge | 75 % | – | 75 % |" in lines
    known = from_values(json.loads(MADE["stats.json"]))
    sure = Validity(0.72, 0.68, 0.76, 412, Basis.HELD_BACK, {Split.TRAIN: 0.7, Split.TEST: 0.74})
    text = card(Facts(replace(known, validity=sure), ()))
    said = (
        "An estimated 72 % of the pairs are valid (95 % interval: 68 to 76 %): the judge's expectation, corrected by"
        " its errors on 412 labelled pairs held out from the judge's training."
    )
    assert said in [paragraph.replace("\n", " ") for paragraph in text.split("\n\n")]
    assert "| valid pairs, estimated | 70 % | – | 74 % |" in text.splitlines()
    assert "of the pairs to be valid" not in card(Facts(replace(known, validity=None), ()))


def test_the_card_of_nothing_still_says_so():
    text = card(Facts(from_values(json.loads(MADE["stats.json"])), (Origin("alpha", "MIT", "x", 0),)))
    assert "license:\n- unknown\n" in text


@pytest.mark.parametrize(
    ("licence", "name"),
    [
        ("MIT", "mit"),  # as it is
        ("CC BY-SA 4.0", "cc-by-sa-4.0"),  # words
        ("Apache-2.0", "apache-2.0"),  # SPDX
        ("not stated", "unknown"),  # a licence nobody gave
        ("Ask the authors", "other"),  # a licence of its own
    ],
)
def test_licences_go_by_the_hubs_names(licence, name):
    assert hub_licence(licence) == name


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("thesis.tex", "years of work"),  # no manifest at all
        ("manifest.json", '{"name": "a web page"}'),  # someone else's manifest
        ("manifest.json", "not json"),  # no manifest, whatever its name
    ],
)
def test_someone_elses_folder_is_left_alone(tmp_path, name, content):
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(SettingsError, match="is not a situatedgen dataset"):
        publish(tmp_path, TABLES, manifest())
    assert snapshot(tmp_path) == {name: content.encode("utf-8")}


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "out").write_text("x", encoding="utf-8")
    with pytest.raises(SettingsError, match="is a file"):
        check_out(tmp_path / "out")


def test_files_that_are_not_ours_stay(tmp_path):
    out = tmp_path / "out"
    publish(out, TABLES, manifest())
    (out / ".git").mkdir()
    for name in (".git/config", "data/notes.txt"):
        (out / name).write_text("mine", encoding="utf-8")
    publish(out, TABLES, manifest(digest="d2"))
    assert listing(out) == sorted([*FILES, ".git/config", "data/notes.txt"])


def test_unchanged_content_only_gets_its_manifest(tmp_path, monkeypatch):
    out = tmp_path / "out"
    publish(out, TABLES, manifest())
    monkeypatch.setattr("situatedgen.dataset.contents.contents", None)
    publish(out, {}, manifest(seconds=0.0))
    assert read_manifest(out)["stages"] == manifest(seconds=0.0)["stages"]
    assert listing(out) == sorted(FILES)


@pytest.mark.parametrize("name", [name for name in FILES if name != "manifest.json"])
@pytest.mark.parametrize("harm", [Path.unlink, partial(Path.write_bytes, data=b"harmed")])
def test_a_harmed_or_lost_file_is_made_again(tmp_path, name, harm):
    publish(tmp_path, TABLES, manifest())
    before = snapshot(tmp_path)
    harm(tmp_path / name)
    publish(tmp_path, TABLES, manifest())
    assert snapshot(tmp_path) == before


def test_a_manifest_that_tells_no_content_is_never_current(tmp_path):
    publish(tmp_path, TABLES, {})
    (tmp_path / "README.md").write_text("harmed", encoding="utf-8")
    publish(tmp_path, TABLES, {})
    assert (tmp_path / "README.md").read_bytes() == MADE["README.md"]


class Killed(BaseException):
    """Stands for kill -9: nothing of ours catches it."""


@pytest.mark.parametrize("step", ["mkdir", "write_bytes", "rename"])
@pytest.mark.parametrize("after", range(4))
def test_a_killed_publication_leaves_a_whole_folder_and_the_next_one_completes(tmp_path, monkeypatch, step, after):
    out = tmp_path / "out"
    publish(out, TABLES, manifest())
    (out / "mine.txt").write_text("mine", encoding="utf-8")
    before = snapshot(out)
    calls, real = iter(range(99)), getattr(Path, step)

    def killed(self, *args, **kwargs):
        if next(calls) == after:
            raise Killed
        return real(self, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(Path, step, killed)
        try:
            publish(out, TABLES, manifest(digest="d2"))
        except Killed:
            assert not out.exists() or set(snapshot(out)) >= set(FILES)
    publish(out, TABLES, manifest(digest="d2"))
    after_all = snapshot(out)
    assert sorted(after_all) == sorted([*FILES, "mine.txt"])
    assert {**after_all, "manifest.json": b""} == {**before, "manifest.json": b""}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]


def test_a_swap_cut_short_is_undone_or_finished(tmp_path):
    """The old folder is out of the way and the new one not yet in place: the old one comes back."""
    out, replaced = tmp_path / "out", tmp_path / ".out.replaced"
    replaced.mkdir()
    (replaced / "old").write_text("old", encoding="utf-8")
    atomic.finish_replacement(out, ours=frozenset({"old"}))
    assert snapshot(out) == {"old": b"old"}
    assert not replaced.exists()


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(StoreError, match="cannot write the dataset folder"):
        publish(tmp_path / "file" / "out", TABLES, manifest())


def test_the_released_rows_can_be_read_back_and_another_folder_cannot(tmp_path):
    publish(tmp_path / "out", TABLES, manifest())
    columns = ["split", "example_id", "keywords", "statements"]
    assert_frame_equal(read_examples(tmp_path / "out").select(columns), TABLES["examples"].select(columns))
    with pytest.raises(SettingsError, match="is not a situatedgen dataset"):
        read_examples(tmp_path)

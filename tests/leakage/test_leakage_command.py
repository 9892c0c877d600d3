"""The command `leakage`: a folder of ours from its own words, files of anybody with an encoder."""

import json

import pytest

import cli_support
from situatedgen.dataset.folder import read_manifest
from situatedgen.dataset.statistics import read
from situatedgen.errors import LeakError, SettingsError
from store_support import build


def run(*arguments):
    return cli_support.run("leakage", *arguments, columns=80)


def test_a_folder_tells_its_certificate(tiny):
    assert (
        json.loads(run(tiny.out, "--json")) == json.loads((tiny.out / "stats.json").read_text("utf-8"))["certificate"]
    )


def test_every_row_of_the_table_stands_in_one_line_of_80_columns(tiny):
    known = read(tiny.out / "stats.json").certificate
    near, whole = run(tiny.out).split("All splits together")
    headings, names = near.splitlines()[2:4]
    assert (headings.split(), names.split()) == (
        ["random", "random", "cut", "cut"],
        "dev test dev test others dev test".split(),
    )
    medians = [line.split()[1:] for line in near.splitlines() if line.split()[:1] == ["median"]]
    assert [row[:2] for row in medians] == [
        [f"{split.sentences.median:.3f}" for split in known.built.splits],
        [f"{split.pairs.median:.3f}" for split in known.built.splits],
    ]
    assert "masked templates in two splits                    0       0     564" in whole
    assert "others: each sentence of the authors' train split against its other sentences\n" in whole


def test_the_same_folder_as_files_has_the_same_keywords_and_no_leak(tiny):
    """Masks are made anew from the keywords, so cosines may differ a little; what is counted may not."""
    data = tiny.out / "data"
    files = (data / "dev.jsonl", data / "test.jsonl", "--against", data / "train.jsonl", "--preset", "tiny")
    shown, told = run(*files), json.loads(run(*files, "--json"))
    assert shown.splitlines()[2].split() == ["dev", "test"]
    assert "authors" not in shown
    known = read(tiny.out / "stats.json").certificate.built
    assert told["shared_templates"] == 0
    for split, own in zip(told["splits"], known.splits, strict=True):
        assert split["pairs"]["count"] == own.pairs.count
        assert [each["unseen"] for each in split["novelty"]] == [each.unseen for each in own.novelty]
    assert told["hubs"]["top_share"] == known.hubs.top_share


def test_a_file_alone_is_cut_at_random(tiny):
    told = json.loads(run(tiny.out / "data" / "train.jsonl", "--preset", "tiny", "--json"))
    assert told["against_others"]["pairs"]["count"] == read(tiny.out / "stats.json").splits[0].pairs
    assert told["random_cut"]["shared_templates"] > 0
    shown = run(tiny.out / "data" / "train.jsonl", "--preset", "tiny")
    assert [line.split() for line in shown.splitlines()[2:4]] == [["cut", "cut"], ["others", "dev", "test"]]
    assert shown.endswith("cut: the file divided at random into train, dev and test\n")


def test_what_is_no_dataset_is_refused(tmp_path):
    with pytest.raises(SettingsError, match="is not a situatedgen dataset"):
        run(tmp_path)


def test_a_build_beyond_its_limits_fails_and_the_old_folder_stays(tiny, tmp_path):
    """Made once within the limits, then with a limit that it exceeds: the folder is as it was."""
    out = tmp_path / "out"
    build(tiny.store, out=out)
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    with pytest.raises(
        LeakError, match=r"^the top tenth of the statements fills .* \(`selected\.max_pairs_per_statement`"
    ):
        build(tiny.store, "leakage.max_hub_share=0.01", out=out)
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == before
    assert read_manifest(out)["settings"]["leakage"]["max_hub_share"] == 1.0

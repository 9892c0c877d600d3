"""A dataset of concept sets, from captions to its folder."""

import json
from argparse import Namespace
from pathlib import Path

import polars as pl
import pytest

from benchmarks import commongen
from benchmarks.processes import Spent
from cli_support import run
from process_support import COMMAND_LINE, run_python
from situatedgen.commongen.examples import read_folder
from situatedgen.commongen.params import ConceptSettings, caption_sources, concept_settings
from situatedgen.errors import SettingsError
from situatedgen.runtime import Runtime
from storage.builds import Build
from storage.maintenance.inventory import inventory
from storage.plain import build_concepts, concepts_request
from storage.plan.planner import Status, plan
from storage.store import Store

LINES = [
    "Three horses walked beside the river near houses.",
    "Children played football beside the river.",
    "Two dogs jumped over fences beside houses while children watched.",
    "Farmers painted fences near barns with horses.",
    "Teachers walked with children beside barns.",
    "Dogs played football near barns with farmers.",
]


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    folder = tmp_path / "captions"
    (folder / "deep").mkdir(parents=True)
    (folder / "plain.txt").write_text("\n".join(LINES[:3]) + "\n", "utf-8")
    (folder / "lines.jsonl").write_text(json.dumps({"caption": LINES[3]}) + "\n{bad\n", "utf-8")
    pl.DataFrame({"caption": LINES[4:]}).write_parquet(folder / "deep" / "table.parquet")
    return folder


def settings(captions: Path, **concepts: object) -> ConceptSettings:
    return concept_settings(
        {
            "sources": caption_sources(captions, None, "caption"),
            "concepts": {"lemmatiser": {"name": "fake"}, **concepts},
            "concept_splits": {"dev": (4, 2, 1), "test": (0, 2, 1)},
        }
    )


def built(captions: Path, out: Path, **concepts: object) -> Build:
    order = concepts_request(settings(captions, **concepts), captions)
    return build_concepts(order, store=Store(out.parent / "store"), out=out, runtime=Runtime(workers=1))


def test_captions_of_every_kind_become_a_folder(captions: Path, tmp_path: Path) -> None:
    finished = built(captions, tmp_path / "out")
    assert [outcome.ref.name for outcome in finished.outcomes] == [
        *("items/captions-jsonl", "items/captions-parquet", "items/captions-txt", "concepts", "concept_counts"),
        *("concept_sets", "concept_splits", "concept_examples"),
    ]
    splits = read_folder(tmp_path / "out")
    dealt = Store(tmp_path / "store").read(finished.refs("concept_splits")[0])["split"].to_list()
    assert [dealt.count(name) for name in ("dev", "test")] == [7, 3]
    scenes = [{scene for example in examples for scene in example.scenes} for examples in splits.values()]
    assert all(scenes)
    assert sum(map(len, scenes)) == len(set().union(*scenes) & set(LINES))
    told = json.loads((tmp_path / "out" / "stats.json").read_text("utf-8"))
    assert (told["funnel"]["captions"], told["funnel"]["distinct sentences"]) == (7, 6)
    assert told["splits"]["train"]["sets"] == len(splits["train"])
    for name in ("train", "dev", "test"):
        rows = pl.read_parquet(tmp_path / "out" / "data" / f"{name}.parquet")
        assert rows["concept_set"].to_list() == ["#".join(each.concepts) for each in splits[name]]


def test_the_store_knows_a_build_of_concept_sets(captions: Path, tmp_path: Path) -> None:
    built(captions, tmp_path / "out")
    found = inventory(Store(tmp_path / "store"))
    assert [(line.settings, line.lost) for line in found.builds] == [("concept sets", ())]
    assert {shelf.name for shelf in found.shelves} >= {"items", "concepts", "concept_sets", "concept_examples"}
    assert found.unknown == ()


def test_only_what_changed_is_planned_and_made_again(captions: Path, tmp_path: Path) -> None:
    store, order = Store(tmp_path / "store"), concepts_request(settings(captions), captions)

    def planned() -> dict[str, Status]:
        return {step.artifact: step.status for step in plan(order, store)}

    assert list(planned().values()) == [Status.RUN] * 8
    first, again = built(captions, tmp_path / "out"), built(captions, tmp_path / "out")
    assert list(planned().values()) == [Status.CACHED] * 8
    assert [outcome.reused for outcome in again.outcomes] == [True] * 8
    assert first.refs("concept_examples") == again.refs("concept_examples")
    (captions / "more.txt").write_text("Children watched horses near the river.\n", "utf-8")
    names = ("items/captions-jsonl", "concepts", "concept_sets")
    assert [planned()[name] for name in names] == [Status.CACHED, Status.PARTIAL, Status.RUN]
    more = {outcome.ref.name: outcome for outcome in built(captions, tmp_path / "out").outcomes}
    assert more["items/captions-jsonl"].reused
    assert (more["concepts"].computed, more["concepts"].recalled) == (1, 6)


def test_a_vocabulary_is_known_by_its_content(captions: Path, tmp_path: Path) -> None:
    words = tmp_path / "words.tsv"
    words.write_text("AtLocation\thorse\tbarn\nIsA\tdog\tbig animal\nNearTo\tchildren\triver\n", "utf-8")
    vocabulary = {"vocabulary": {"name": "conceptnet", "weights": str(words)}}
    first = built(captions, tmp_path / "out", **vocabulary)
    concepts = Store(tmp_path / "store").read(first.refs("concepts")[0])
    assert set(concepts["concepts"].explode().drop_nulls()) == {"horse_N", "barn_N", "dog_N", "children_N", "river_N"}
    words.write_text("AtLocation\thorse\tbarn\n", "utf-8")
    assert built(captions, tmp_path / "out", **vocabulary).refs("concepts") != first.refs("concepts")


def test_the_command_builds_and_shows(captions: Path, tmp_path: Path) -> None:
    options = ("--plain", "--store", tmp_path / "store", "--out", tmp_path / "out")
    fake = ("--set", "concepts.lemmatiser.name=fake", "--set", "concept_sets.samples=20")
    assert "8 artifacts, 0 reused" in run("commongen", "build", captions, *options, *fake)
    assert sum(map(len, read_folder(tmp_path / "out").values())) <= 20


def test_what_is_not_there_is_refused_before_any_work(captions: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"no file in .* matches \*\.csv"):
        caption_sources(captions, ["*.csv"], "caption")
    with pytest.raises(SettingsError, match="unknown param of concept_sets 'sample'"):
        run("commongen", "build", captions, "--set", "concept_sets.sample=3")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear", "utf-8")
    with pytest.raises(SettingsError, match="is not a situatedgen dataset"):
        built(captions, tmp_path / "mine")


@pytest.mark.prefect
@pytest.mark.slow
def test_the_flow_gives_what_the_plain_build_gives(captions: Path, with_server: dict[str, str], tmp_path: Path) -> None:
    command = ("commongen", "build", captions, "--set", "concepts.lemmatiser.name=fake", "--out")
    for out, reused in (("flown", 0), ("again", 8)):
        done = run_python("-c", COMMAND_LINE, *command, out, cwd=tmp_path, env=with_server)
        assert "Traceback" not in done.stderr
        assert f"8 artifacts, {reused} reused" in done.stdout
    run(*command, tmp_path / "plain", "--plain", "--store", tmp_path / "other")
    assert read_folder(tmp_path / "flown") == read_folder(tmp_path / "again") == read_folder(tmp_path / "plain")


@pytest.mark.weights
@pytest.mark.slow
def test_the_benchmark_varies_captions_and_builds_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commongen, "alone", lambda function, *given: (function(*given), Spent(1.0, 1.0, 1)))
    for split in ("train", "dev", "test"):
        lines = "".join(json.dumps({"concept_set": "a_N#b_N#c_N", "scene": [line]}) + "\n" for line in LINES)
        (tmp_path / f"commongen.{split}.jsonl").write_text(lines, "utf-8")
    words = tmp_path / "words.txt"
    words.write_text("horse\nriver\nchild\nfence\nbarn\ndog\nwalk\nfarmer\nteacher\nplay\nfootball\n", "utf-8")
    asked = Namespace(commongen=tmp_path, conceptnet=words, captions=40)
    told = list(commongen.report(asked, tmp_path / "work"))
    assert [line.split()[0] for line in told[1:-1]][-3:] == ["concept_examples", "dataset", "all"]
    assert "distinct concept sets" in told[-1]
    assert sum(map(len, read_folder(tmp_path / "work" / "out").values())) > 0

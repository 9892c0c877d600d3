"""The words in which a plan says what changed, and what `explain` says of a finished build."""

import json
import shutil
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from flows.cli.app import app
from situatedgen.errors import SettingsError, StoreError
from situatedgen.schemas import Schema
from storage import builds
from storage.keys import fingerprint, symbol_digests
from storage.plan.explain import explain
from storage.plan.planner import ids_that_differ as changed_ids
from storage.plan.reasons import Delta, code_reason, delta, part_reasons, symbols_of
from storage.store import Store
from store_support import build

CODE = {
    "old": {"situatedgen.rules.pairs:shares_entity": "1", "situatedgen.rules.pairs:is_contained": "1"},
    "new": {"situatedgen.rules.pairs:shares_entity": "2", "situatedgen.rules.pairs:is_contained": "1"},
    "tagger": {"situatedgen.models.spacy_models:EmbeddedTagger": "1"},
    "other tagger": {"situatedgen.models.spacy_models:EmbeddedTagger": "2"},
}
TAGGER = {"name": "embedded", "weights": "small", "revision": "3.7", "code": "tagger", "packages": {"spacy": "3.7"}}


def tagger(**changes: object) -> dict[str, object]:
    return {"models": {"tagger": {**TAGGER, **changes}}}


@pytest.mark.parametrize(
    ("before", "now", "reasons"),
    [
        ({"code": "old"}, {"code": "old"}, []),
        ({"code": "old"}, {"code": "new"}, ["code: rules/pairs.py shares_entity changed"]),
        ({"code": "gone"}, {"code": "new"}, ["code: changed"]),  # what it was made of is not known any more
        (
            {"params": {"min_similarity": 0.8, "mask": "_"}},
            {"params": {"min_similarity": 0.78, "mask": "_"}},
            ["params.min_similarity 0.8 → 0.78"],
        ),
        (
            {"params": {"source": {"licence": "not stated", "id": ""}}},
            {"params": {"source": {"licence": "MIT", "id": ""}}},
            ["params.source.licence not stated → MIT"],  # a param of a param
        ),
        ({"params": {}}, {"params": {"limit": 3}}, ["params.limit none → 3"]),  # a param that is new
        (
            tagger(),
            tagger(code="other tagger"),
            ["code of tagger embedded: models/spacy_models.py EmbeddedTagger changed"],
        ),
        (tagger(), tagger(packages={"spacy": "3.8"}), ["model of tagger embedded: spacy 3.7 → 3.8"]),
        (tagger(), tagger(weights="large"), ["model of tagger embedded: weights small → large"]),
        (tagger(), tagger(revision="3.8"), ["model of tagger embedded: revision 3.7 → 3.8"]),
        (tagger(), tagger(name="flair", code="x", packages={}), ["model of tagger: embedded → flair"]),  # and no more
        (
            tagger(files={"a": "1", "b": "1"}),
            tagger(files={"b": "2", "c": "1"}),
            [f"model of tagger embedded: file {name}" for name in ("a: removed", "b: changed", "c: added")],
        ),
        (
            {"schema": {"a": "String", "b": "Float32", "c": "String"}},
            {"schema": {"b": "Float64", "c": "String", "d": "String"}},
            ["schema: column a removed", "schema: column b Float32 → Float64", "schema: column d added"],
        ),
        (
            {"files": {"train.jsonl": "1", "dev.jsonl": "1"}},
            {"files": {"train.jsonl": "2", "test.jsonl": "1"}},
            ["file dev.jsonl: removed", "file test.jsonl: added", "file train.jsonl: changed"],
        ),
    ],
)
def test_each_part_of_a_key_has_its_words(
    before: dict[str, object], now: dict[str, object], reasons: list[str]
) -> None:
    assert part_reasons(before, now, CODE.get) == reasons


def test_the_params_of_a_model_are_told_once() -> None:
    before, now = ({"params": {"tagger": {"name": name}, "seed": 0}, **tagger(name=name)} for name in ("a", "b"))
    assert part_reasons(before, now, CODE.get) == ["model of tagger: a → b"]


def test_many_symbols_are_named_in_part() -> None:
    before = {f"own.m:f{number}": str(number) for number in range(5)}
    now = {**dict.fromkeys(list(before)[:2], "2x"), "own.m:g": "new", "own.n:f4": "4"}  # f4 was moved
    assert code_reason("code", before, now) == (
        "code: own/m.py f0 changed, own/m.py f1 changed, own/m.py g added and 2 more"
    )


def test_a_symbol_of_ours_that_changed_is_named(tmp_path: Path) -> None:
    """As a store remembers it with another digest, and without one that is there now."""
    target, store = "situatedgen.stages.pairs:pairs", Store(tmp_path)
    now = {f"{module}:{name}": digest for (module, name), digest in symbol_digests(target).items()}
    old = {**now, "situatedgen.rules.pairs:shared_context": "another"}
    del old["situatedgen.stages.pairs:shared_contexts"]
    store.write_json(tmp_path / "code" / "old.json", {"symbols": old})
    found = part_reasons(
        {"code": "old"}, {"code": fingerprint(target)}, lambda code: symbols_of(store, {fingerprint(target): now}, code)
    )
    assert found == ["code: rules/pairs.py shared_context changed, stages/pairs.py shared_contexts added"]


ROWS = st.dictionaries(st.sampled_from("abcde"), st.one_of(st.none(), st.integers(0, 2)), max_size=5)
SCHEMA = Schema({"id": pl.String(), "value": pl.Int64()}, key=("id",))


@given(ROWS, ROWS)
def test_rows_are_counted_by_their_key(before: dict[str, int | None], now: dict[str, int | None]) -> None:
    old, new = (SCHEMA.frame(list(rows.items())) for rows in (before, now))
    changed = {key for key in before.keys() & now.keys() if before[key] != now[key]}
    assert delta(old, new, SCHEMA) == Delta(len(now.keys() - before), len(before.keys() - now), len(changed))
    assert changed_ids(old, new, "id") == changed | (before.keys() ^ now.keys())


@pytest.mark.parametrize(
    ("counts", "words"),
    [((12, 3, 1), "+12 −3 ~1 rows"), ((0, 1_200, 0), "−1,200 rows"), ((0, 0, 0), "the same rows")],
)
def test_differences_are_told_shortly(counts: tuple[int, int, int], words: str) -> None:
    assert str(Delta(*counts)) == words


@pytest.fixture
def rebuilt(tiny: Any, tmp_path: Path) -> Store:
    """A store with three builds: the sample, a surer and more similar one, and that again."""
    shutil.copytree(tiny.store.root, tmp_path / "store")
    store = Store(tmp_path / "store")
    for _ in range(2):
        build(store, "statements.min_confidence=0.3", "pairs.min_similarity=0.95")
    return store


def test_explain_compares_with_the_last_key_that_differed(rebuilt: Store, tiny: Any) -> None:
    found = explain("pairs", rebuilt)
    assert found.reasons == ("params.min_similarity 0.8 → 0.95",)
    assert found.before is not None
    assert found.before.ref == tiny.build.refs("pairs")[0]
    assert (found.computed, found.recalled, found.is_cut_off) == (found.now.ref.rows, 0, False)


def test_explain_counts_the_rows_of_inputs(rebuilt: Store, tiny: Any) -> None:
    old, new = (builds.read_build_table(rebuilt, each, "pairs") for each in (tiny.build, builds.latest(rebuilt)))
    changed = (old["verdict"] != new["verdict"]).sum()
    assert explain("shortlist", rebuilt).reasons == (f"input pairs: ~{changed:,} rows",)


def test_explain_says_where_the_same_rows_came_again(rebuilt: Store) -> None:
    found = explain("statements/arc", rebuilt)
    assert found.reasons == ("params.min_confidence 0.0 → 0.3",)
    assert found.is_cut_off
    assert found.computed == 0
    assert found.recalled > 0
    assert explain("entities", rebuilt).reasons == ("first build",)


@pytest.mark.parametrize(
    ("artifact", "message"),
    [
        ("pears", "unknown artifact 'pears'.*did you mean 'pairs'"),
        ("statements/creek", "did you mean 'statements/creak'"),
        ("statements", "statements/arc"),  # each source has its own
    ],
)
def test_explain_refuses_what_was_not_built(tiny: Any, artifact: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        explain(artifact, tiny.store)


def test_explain_needs_a_build_and_a_record(tmp_path: Path, rebuilt: Store) -> None:
    with pytest.raises(StoreError, match="no builds in"):
        explain("pairs", Store(tmp_path / "nowhere"))
    shutil.rmtree(rebuilt.root / "keys" / "pairs")
    with pytest.raises(StoreError, match=r"record of pairs .* is missing"):
        explain("pairs", rebuilt)


def run(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments, catch_exceptions=False, env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output


def test_the_command_explains(rebuilt: Store) -> None:
    text = run("explain", "statements/arc", "--store", str(rebuilt.root))
    assert text.splitlines()[:2] == ["statements/arc", "  params.min_confidence 0.0 → 0.3"]
    assert text.splitlines()[-1] == "early cut-off: same rows"
    assert "min_confidence" in run("explain", "statements/arc", "--store", str(rebuilt.root), "--all-parts")


def test_the_command_explains_in_json(rebuilt: Store) -> None:
    told = json.loads(run("explain", "pairs", "--store", str(rebuilt.root), "--json", "--all-parts"))
    found = explain("pairs", rebuilt)
    assert found.before is not None
    assert told["reasons"] == ["params.min_similarity 0.8 → 0.95"]
    assert (told["now"]["digest"], told["before"]["digest"]) == (found.now.ref.digest, found.before.ref.digest)
    assert told["parts"]["params"] == {"before": {"min_similarity": 0.8}, "now": {"min_similarity": 0.95}}

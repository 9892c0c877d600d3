"""Only what changed: after any edit an incremental build equals a clean one, and a wave of work stops early."""

import json
import random
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from situatedgen.pipeline import PIPELINE
from situatedgen.stages.stage import Stage
from storage import keys
from storage.builds import Build
from storage.maintenance.gc import collect
from storage.store import Store
from store_support import built, digests, made

PLACES = ("Japan", "Brazil", "Norway", "Kenya", "Peru", "Italy")
PATTERNS = (
    "{} has many tall mountains.",
    "Farmers in {} sell fresh fruit.",
    "The {} team plays football in July.",
    "Snow falls in {} at Christmas.",
    "Nothing is said of any place.",
)
QUESTIONS = ("Does the harvest in {} begin early?", "Is breakfast served late in {}?")
CLAIM = st.builds(str.format, st.sampled_from(PATTERNS), st.sampled_from(PLACES))
QUESTION = st.tuples(st.builds(str.format, st.sampled_from(QUESTIONS), st.sampled_from(PLACES)), st.booleans())
OVERRIDES = (
    "statements.min_confidence=0.6",
    "masks.max_masks=3",
    "candidates.floor=0.6",
    "candidates.floor=0.75",
    "pairs.min_similarity=0.95",
    "splits.seed=1",
    "examples.seed=1",
    "entities.tagger.revision=2",
)
TAGGER = """
from situatedgen.models import fakes

ENDINGS = {endings!r}


class Tagger(fakes.FakeTagger):
    # {comment}
    def tag(self, texts):
        return [tuple(each for each in found if not text[: each.end].endswith(ENDINGS))
                for text, found in zip(texts, super().tag(texts))]
"""


def forget(module: str) -> None:
    """Make the next import of a module, and the next look at its code, see what its file says now."""
    sys.modules.pop(module, None)
    for each in vars(keys).values():
        if hasattr(each, "cache_clear"):
            each.cache_clear()


class Edits(RuleBasedStateMachine):
    """A person who edits sources, settings and a model of their own, and builds after each edit."""

    @initialize(claims=st.lists(CLAIM, min_size=3, max_size=12), questions=st.lists(QUESTION, min_size=2, max_size=6))
    def begin(self, claims: list[str], questions: list[tuple[str, bool]]) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.claims, self.questions, self.asks = claims, questions, True
        self.overrides: set[str] = set()
        sys.path.insert(0, str(self.folder))
        sys.dont_write_bytecode = True
        self.model(endings=(), comment="")

    @rule(claim=CLAIM, place=st.floats(0, 0.99))
    def add_a_claim(self, claim: str, place: float) -> None:
        self.claims.insert(int(place * len(self.claims)), claim)

    @precondition(lambda self: len(self.claims) > 1)
    @rule(place=st.floats(0, 0.99))
    def remove_a_claim(self, place: float) -> None:
        del self.claims[int(place * len(self.claims))]

    @rule(claim=CLAIM, place=st.floats(0, 0.99))
    def change_a_claim(self, claim: str, place: float) -> None:
        self.claims[int(place * len(self.claims))] = claim

    @rule(seed=st.integers(0, 3))
    def reorder_claims(self, seed: int) -> None:
        random.Random(seed).shuffle(self.claims)

    @rule(question=QUESTION)
    def add_a_question(self, question: tuple[str, bool]) -> None:
        self.questions.append(question)

    @rule()
    def take_the_questions_away_or_bring_them_back(self) -> None:
        self.asks = not self.asks

    @rule(override=st.sampled_from(OVERRIDES))
    def change_a_param(self, override: str) -> None:
        name = override.partition("=")[0]
        others = {each for each in self.overrides if each.partition("=")[0] != name}
        self.overrides = others if override in self.overrides else {*others, override}

    @rule(endings=st.sampled_from([(), ("Peru",), ("Peru", "July")]), comment=st.sampled_from(["", "a comment"]))
    def edit_the_model(self, endings: tuple[str, ...], comment: str) -> None:
        self.model(endings=endings, comment=comment)

    @rule(seed=st.integers(0, 99))
    def harm_files_of_the_store(self, seed: int) -> None:
        chance = random.Random(seed)
        paths = sorted(path for path in (self.folder / "store").rglob("*") if path.is_file() and path.stat().st_size)
        for path in chance.sample(paths, min(len(paths), 3)):
            content = path.read_bytes()
            position = chance.randrange(len(content))
            path.write_bytes(content[:position] + bytes([content[position] ^ 255]) + content[position + 1 :])

    @precondition(lambda self: (self.folder / "store").exists())
    @rule(keep=st.integers(0, 2))
    def collect_what_nobody_needs(self, keep: int) -> None:
        collect(Store(self.folder / "store"), keep=keep)

    @invariant()
    def an_incremental_build_equals_a_clean_one(self) -> None:
        sources = self.folder / "sources"
        write(sources, self.claims, self.questions if self.asks else None)
        overrides = ("entities.tagger.name=own_tagger:Tagger", *sorted(self.overrides))
        incremental = built(Store(self.folder / "store"), sources, *overrides)
        clean = built(Store(Path(tempfile.mkdtemp(dir=self.folder))), sources, *overrides)
        assert digests(incremental) == digests(clean)
        kept = [Store(self.folder / "store").read(outcome.ref) for outcome in incremental.outcomes]
        assert [table.height for table in kept] == [outcome.ref.rows for outcome in clean.outcomes]

    def model(self, *, endings: tuple[str, ...], comment: str) -> None:
        text = TAGGER.format(endings=endings or ("\0",), comment=comment)
        (self.folder / "own_tagger.py").write_text(text, encoding="utf-8")
        forget("own_tagger")

    def teardown(self) -> None:
        sys.path.remove(str(self.folder))
        forget("own_tagger")
        shutil.rmtree(self.folder)


def write(root: Path, claims: list[str], questions: list[tuple[str, bool]] | None) -> None:
    rows = [json.dumps({"sentence": text, "label": "true"}) + "\n" for text in claims]
    asked = json.dumps([{"question": text, "answer": answer} for text, answer in questions or []])
    shutil.rmtree(root, ignore_errors=True)
    files = {"creak/train.json": "".join(rows), "creak/dev.json": rows[0]}
    if questions:
        files |= {"strategyqa/strategyqa_train.json": asked, "strategyqa/strategyqa_train_filtered.json": asked}
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")


TestEdits = pytest.mark.slow(Edits.TestCase)
TestEdits.settings = settings(max_examples=6, stateful_step_count=10, derandomize=True)


@pytest.fixture(scope="module")
def base(few: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Build]:
    """The store of a finished build of the small sources."""
    folder = tmp_path_factory.mktemp("base")
    return folder / "store", built(Store(folder / "store"), few)


@pytest.fixture
def again(base: tuple[Path, Build], few: Path, tmp_path: Path) -> tuple[Store, Path]:
    """Store and sources of one's own, as the finished build left them."""
    shutil.copytree(base[0], tmp_path / "store")
    shutil.copytree(few, tmp_path / "sources")
    return Store(tmp_path / "store"), tmp_path / "sources"


@pytest.mark.parametrize("stage", PIPELINE, ids=lambda stage: stage.name)
def test_other_code_that_gives_the_same_rows_stops_the_wave_at_its_stage(
    again: tuple[Store, Path], base: tuple[Path, Build], stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = keys.fingerprint
    other = {stage.target: "other"}
    monkeypatch.setattr("storage.keys.fingerprint", lambda target: other.get(target) or own(target))
    finished = built(*again)
    assert made(finished) == [ref.name for ref in base[1].refs(stage.name)]
    assert digests(finished) == digests(base[1])


def edit(name: str, old: str, new: str) -> Callable[[Path], None]:
    def edited(sources: Path) -> None:
        text = (sources / name).read_text(encoding="utf-8")
        assert old in text
        (sources / name).write_text(text.replace(old, new), encoding="utf-8")

    return edited


def unedited(sources: Path) -> None:
    """Only a param is another."""


CREAK, STRATEGYQA = "creak/train.json", "strategyqa/strategyqa_train.json"
EDITS: list[tuple[Callable[[Path], None], tuple[str, ...], list[str]]] = [
    # a field that nobody reads
    (edit(CREAK, '{"sentence"', '{"explanation": "", "sentence"'), (), ["items/creak"]),
    # a claim without its period, which every statement gets
    (edit("creak/dev.json", 'football."', 'football"'), (), ["items/creak", "statements/creak", "terms"]),
    # a question that is asked twice as loud
    (edit(STRATEGYQA, "?", "??"), (), ["items/strategyqa", "statements/strategyqa", "terms"]),
    # no conversion is that unsure
    (unedited, ("statements.min_confidence=0.3",), ["statements/creak", "statements/strategyqa"]),
    # another revision of each model that answers alike
    (unedited, ("statements.converter.revision=2",), ["statements/creak", "statements/strategyqa"]),
    (unedited, ("entities.tagger.revision=2",), ["entities"]),
    (unedited, ("keywords.nouns.revision=2",), ["keywords"]),
    (unedited, ("embeddings.encoder.revision=2",), ["embeddings"]),
    (unedited, ("parses.parser.revision=2",), ["parses"]),
    (unedited, ("communities.detector.revision=2",), ["communities"]),
    # no statement has one mask, or more than five
    (unedited, ("masks.min_masks=1", "masks.max_masks=6"), ["masks"]),
    # no two masked texts are as similar as that
    (unedited, ("candidates.floor=0.72",), ["candidates"]),
    (unedited, ("pairs.min_similarity=0.81",), ["pairs"]),
    # no pair is that improbable, and no statement has that many pairs
    (unedited, ("judged.judge.revision=2",), ["judged"]),
    (unedited, ("judged.min_probability=0.101",), ["judged"]),
    (unedited, ("selected.max_pairs_per_statement=50",), ["selected"]),
    # components have no chance in them
    (unedited, ("communities.seed=1",), ["communities"]),
    # no community fits into the larger share
    (unedited, ("splits.test_share=0.251",), ["splits"]),
]


@pytest.mark.parametrize(("change", "overrides", "expected"), EDITS)
def test_an_edit_without_effect_stops_where_the_rows_are_the_same(
    again: tuple[Store, Path],
    base: tuple[Path, Build],
    change: Callable[[Path], None],
    overrides: tuple[str, ...],
    expected: list[str],
) -> None:
    change(again[1])
    finished = built(*again, *overrides)
    assert made(finished) == expected
    assert {name for name in expected if digests(finished)[name] != digests(base[1])[name]} <= set(expected[:-1])


def test_a_statement_that_names_nothing_reaches_all_that_looks_at_statements_and_stops_there(
    again: tuple[Store, Path], base: tuple[Path, Build]
) -> None:
    """Whatever depends on the kept pairs alone, which are the same, is reused: the communities."""
    with (again[1] / "creak" / "dev.json").open("a") as stream:
        stream.write('{"sentence": "Nothing is said of any place.", "label": "true"}\n')
    finished = built(*again)
    reused = [outcome.ref.name for outcome in finished.outcomes if outcome.reused]
    assert reused == ["items/strategyqa", "statements/strategyqa", "communities"]
    changed = [name for name, digest in digests(finished).items() if digest != digests(base[1])[name]]
    assert changed == ["items/creak", "statements/creak", "masks", "terms"]

"""Models that are loaded beside a build: the same answers, whatever becomes of the process that gives them."""

import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from flows.testing import alive
from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.presets import load
from situatedgen.progress import listening
from situatedgen.records import Question
from situatedgen.rules.tidy import tidy_sentence
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind
from storage import companions
from storage.attending import METHODS, Begun, Called, Charge, Desk
from storage.companions import (
    ASKED_FIRST,
    Companion,
    Distant,
    NoAnswerError,
    accompanied,
    call,
    distant,
    get_ready,
    load_beside,
)
from storage.recalling import Tally
from storage.remembered import Asking
from storage.store import Store

TEXTS = [f"Winter comes to town {number} in May." for number in range(7)]
QUESTIONS = [Question(f"Is it winter in town {number}?", "yes", ItemKind.YES_NO) for number in range(7)]
FAKE = ModelParams(name="fake")
OWN = '''
from situatedgen.errors import ModelError
from situatedgen.models.fakes import FakeTagger


class Refusing(FakeTagger):
    """Answers nothing."""

    def tag(self, texts):
        raise ModelError("this tagger answers nothing")


class Short(FakeTagger):
    """Forgets an answer."""

    def tag(self, texts):
        return super().tag(texts)[1:]
'''


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The taggers above, found here and in companions."""
    (tmp_path / "failing_taggers.py").write_text(OWN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "facts.txt").write_text("Peru is a country.\n", encoding="utf-8")
    return folder


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A folder with a build that was made before the sources of tests are."""
    folder = tmp_path / "store"
    (folder / "builds").mkdir(parents=True)
    (folder / "builds" / "2026.json").touch()
    os.utime(folder / "builds" / "2026.json", (1, 1))
    return folder


@pytest.fixture
def with_models(store: Path, sources: Path) -> Iterator[dict[tuple[str, ModelParams], Companion]]:
    """Where a companion and what it has are written down."""
    with accompanied(store=store, sources=sources, workers=2):
        yield companions._with_models


@pytest.mark.parametrize("role", METHODS)
def test_a_companion_answers_as_this_process_does(role: str) -> None:
    companion = Companion.started()
    companion.tell(Charge({role: FAKE}, Runtime()))
    asked = QUESTIONS if role == "converter" else TEXTS
    there = companion.ask(role, asked)
    here = getattr(registry.load(role, FAKE, Runtime()), METHODS[role])(asked)
    companion.dismiss()
    assert there.tolist() == here.tolist() if role == "encoder" else there == here


def test_what_was_just_stated_is_tagged_before_it_is_asked_for() -> None:
    desk = Desk(Charge({"converter": FAKE, "tagger": FAKE}, Runtime()))
    _, conversions = desk.answer("converter", QUESTIONS)
    while desk.work_ahead():
        pass
    texts = [tidy_sentence(each.text) for each in conversions]
    expected = desk.loaded["tagger"].tag([*texts, *TEXTS])
    assert desk.answer("tagger", [*texts, *TEXTS]) == (True, expected)
    desk.loaded.clear()
    assert desk.answer("tagger", texts) == (True, expected[: len(texts)])
    assert desk.answer("tagger", TEXTS) == (False, None)


@pytest.mark.parametrize("name", ["failing_taggers:Refusing", "nowhere:None"])
def test_a_model_that_fails_ahead_fails_when_it_is_asked_and_no_sooner(name: str) -> None:
    desk = Desk(Charge({"tagger": ModelParams(name=name), "nouns": FAKE}, Runtime()))
    assert desk.work_ahead()
    assert desk.work_ahead()
    assert not desk.work_ahead()
    assert desk.answer("tagger", TEXTS) == (False, None)
    assert desk.answer("nouns", TEXTS) == (True, registry.load("nouns", FAKE, Runtime()).find(TEXTS))


def test_a_distant_model_is_asked_in_one_way_alone() -> None:
    with pytest.raises(AttributeError):
        _ = Distant("tagger", None).parse  # type: ignore[arg-type]  # nobody is asked


@pytest.mark.parametrize("name", ["fake", "failing_taggers:Short", "failing_taggers:Refusing", "killed"])
def test_what_a_companion_fails_to_answer_is_asked_here(name: str, with_models: Any, tmp_path: Path) -> None:
    """Only a model that fails here too makes a build fail, and then as it always does."""
    params = ModelParams(name="fake" if name == "killed" else name)
    with_models["tagger", params] = companion = companions._idle.pop()
    companion.tell(Charge({"tagger": params}, Runtime()))
    if name == "killed":
        companion.process.kill()
        companion.process.join()
    heard: list[int] = []
    model: Any = Asking(Store(tmp_path / "own"), Runtime(), "", tally := Tally()).model("tagger", params)
    expected = registry.load("tagger", FAKE, Runtime()).tag(TEXTS)
    with listening(heard.append):
        if name.startswith("failing"):
            with pytest.raises(ModelError, match=r"answers nothing|answered 6 texts, expected 7"):
                model.tag(TEXTS)
            return
        assert model.tag(TEXTS) == expected
    assert (sum(heard), tally.computed) == (len(TEXTS), len(TEXTS))


def test_nobody_is_started_unless_sources_changed_and_work_is_shared(store: Path, sources: Path) -> None:
    older, later = time.time() - 60, time.time() + 60
    for built, workers, expected in ((older, 2, 1), (later, 2, 0), (older, 1, 0)):
        os.utime(store / "builds" / "2026.json", (built, built))
        with accompanied(store=store, sources=sources, workers=workers):
            assert len(companions._idle) == expected
    assert not companions._idle
    with accompanied(store=store / "empty", sources=sources, workers=2):
        assert not companions._idle
    os.utime(store / "builds" / "2026.json", (later, later))
    (sources / "a link").symlink_to("nowhere")
    with accompanied(store=store, sources=sources, workers=2):
        assert not companions._idle


def test_models_without_libraries_are_not_loaded_beside(with_models: Any) -> None:
    load_beside(load("tiny", ()), Runtime())
    assert not with_models
    assert distant("tagger", FAKE) is None


def test_a_companion_ends_when_nobody_can_ask_it() -> None:
    companion = Companion.started()
    companion.connection.close()
    companion.process.join(20)
    assert companion.process.exitcode == 0


def test_a_companion_ends_with_what_it_was_started_for(store: Path, sources: Path) -> None:
    with accompanied(store=store, sources=sources, workers=2):
        (companion,) = companions._idle
    assert not companion.process.is_alive()


def test_a_dismissed_companion_answers_nothing() -> None:
    companion = Companion.started()
    companion.dismiss()
    with pytest.raises(NoAnswerError):
        companion.ask("tagger", TEXTS)


def test_no_companion_outlives_a_killed_build(tmp_path: Path) -> None:
    script = textwrap.dedent("""
        import time
        from storage.companions import Companion
        if __name__ == "__main__":
            print(Companion.started().process.pid, flush=True)
            time.sleep(60)
    """)
    path = tmp_path / "held.py"
    path.write_text(script, encoding="utf-8")
    with subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        process.kill()
    _expect_gone({child})


def test_what_is_imported_first_is_the_converter_of_the_default_preset() -> None:
    converter = load("embedded", ()).statements.converter
    found = registry.entry("converter", converter.name)
    (module,) = ASKED_FIRST.given
    assert found.target.startswith(f"{module}:")


@pytest.mark.parametrize("first", [Called(divmod, (7, 2)), Called(divmod, (7, 0))])
def test_a_companion_has_what_it_is_charged_with_whatever_it_did_first(first: Called) -> None:
    companion = Companion.started(first)
    companion.tell(Charge({"tagger": FAKE}, Runtime()))
    answers = companion.ask("tagger", TEXTS)
    companion.dismiss()
    assert answers == registry.load("tagger", FAKE, Runtime()).tag(TEXTS)


def test_companions_that_were_begun_are_taken_and_sent_home_where_they_are_of_no_use(
    store: Path, sources: Path
) -> None:
    for workers, kept in ((2, True), (1, False)):
        begun = Companion.started()
        companions._idle.append(begun)
        with accompanied(store=store, sources=sources, workers=workers):
            assert (companions._idle == [begun]) is begun.process.is_alive() is kept
        assert not begun.process.is_alive()


def test_a_call_is_made_beside_and_here_where_that_fails(with_models: Any) -> None:
    get_ready()
    assert call(os.getpid) == os.getpid(), "nobody has models, so that nobody is ready"
    with_models["tagger", FAKE] = companion = companions._idle.pop()
    get_ready()
    assert call(os.getpid) == companion.process.pid
    assert call(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call(divmod, 7, 0)
    companion.process.kill()
    companion.process.join()
    assert call(os.getpid) == os.getpid()


def test_what_calls_need_is_imported_ahead() -> None:
    companion = Companion.started()
    companion.tell(Begun((Called(import_module, ("no_such_module",)), Called(import_module, ("colorsys",)))))
    while not companion.call(eval, "'colorsys' in __import__('sys').modules"):
        time.sleep(0.01)
    companion.dismiss()


def test_forked_companions_end_with_the_process_that_began_them(store: Path, sources: Path) -> None:
    script = textwrap.dedent(f"""
        import time
        from pathlib import Path
        from storage import companions
        for _ in range(2):
            assert companions.can_fork()
            companions.begin(store=Path({str(store)!r}), sources=Path({str(sources)!r}), workers=2)
        print(*(each.process.pid for each in companions._idle), flush=True)
        print(companions._idle[1].call(divmod, 7, 2), flush=True)
        time.sleep(60)
    """)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        children = {int(number) for number in process.stdout.readline().split()}
        assert len(children) == 2
        assert process.stdout.readline() == "(3, 1)\n"
        process.kill()
    _expect_gone(children)


def _expect_gone(children: set[int]) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and alive(children):
        time.sleep(0.1)
    assert not alive(children)


@pytest.mark.slow
@pytest.mark.weights
def test_a_build_after_a_change_loads_its_models_beside(few: Path, tmp_path: Path) -> None:
    """And makes and publishes what a build with its own models does, and asks as few texts."""
    sources = tmp_path / "sources"
    shutil.copytree(few, sources)
    _built(tmp_path, "store", sources, "2")
    shutil.copytree(tmp_path / "store", tmp_path / "other")
    with (sources / "creak" / "train.json").open("a", encoding="utf-8") as file:
        file.write('{"ex_id": "new", "sentence": "Snow falls in Peru in July.", "label": "true"}\n')
    beside, accompanied_by = _built(tmp_path, "store", sources, "2")
    alone, loaded_here = _built(tmp_path, "other", sources, "1")
    told = [
        [(each["ref"], each["computed"], each["recalled"]) for each in done["artifacts"]] for done in (beside, alone)
    ]
    assert told[0] == told[1]
    assert accompanied_by == []
    assert loaded_here == ["spacy", "torch"]
    published = [_files(tmp_path / f"dataset of {name}") for name in ("store", "other")]
    assert published[0] == published[1]


def _files(folder: Path) -> dict[str, bytes]:
    """The files of a dataset but its manifest, which tells when and how fast it was made."""
    found = {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    return {name: content for name, content in found.items() if name != "manifest.json"}


def _built(folder: Path, store: str, sources: Path, workers: str) -> tuple[Any, list[str]]:
    """What a build tells, and which libraries of models its own process has loaded."""
    script = textwrap.dedent("""
        import json
        import sys
        from flows.cli import app, start
        app.main = lambda: app.app(sys.argv[1:], standalone_mode=False)
        start.main()
        print(json.dumps([name for name in ("spacy", "torch") if name in sys.modules]))
    """)
    command = ["build", "--plain", "--json", "--sources", str(sources), "--store", store, "--workers", workers]
    command += ["--out", f"dataset of {store}"]
    done = subprocess.run(
        [sys.executable, "-c", script, *command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told, loaded = done.stdout.splitlines()
    return json.loads(told), json.loads(loaded)

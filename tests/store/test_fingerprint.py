"""What changes a fingerprint, and what does not."""

import hashlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from situatedgen.errors import SettingsError
from situatedgen.resources import read_text
from storage import keys as subject

STAGE = '''
"""A stage."""
from invented.rules import rule, SETTING
from invented import text


def stage(table):
    """What it does."""
    return helper(table, SETTING) + text.tidy("x")


def helper(table, setting):
    return rule(table, setting)


def unreached():
    return 1
'''
RULES = """
SETTING = 3
OTHER = 4


def rule(table, setting):
    return deeper(table)


def deeper(table):
    return 1
"""
TEXT = "def tidy(text):\n    return text\n\n\ndef unused(text):\n    return 2\n"

Edit = Callable[[str, str, str], str]


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Edit:
    """The fingerprint of the invented stage after replacing a text in one of its modules."""
    package = tmp_path / "invented"
    package.mkdir()
    files = {"__init__": "", "stage": STAGE, "rules": RULES, "text": TEXT}
    monkeypatch.syspath_prepend(tmp_path)

    def edit(module: str, old: str, new: str) -> str:
        for name, content in files.items():
            replaced = content.replace(old, new) if name == module else content
            assert name != module or old == "" or replaced != content
            (package / f"{name}.py").write_text(replaced, encoding="utf-8")
        subject.clear_caches()
        return subject.fingerprint("invented.stage:stage")

    return edit


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("stage", "What it does.", "What it really does."),  # a docstring
        ("stage", "def helper", "# why\n\n\ndef helper"),  # a comment and layout
        ("stage", "def stage(table):", "def stage(table: object) -> object:"),  # annotations
        ("stage", "return 1", "return 2"),  # a function that the stage does not reach
        ("rules", "OTHER = 4", "OTHER = 5"),  # a constant that it does not reach
        ("text", "return 2", "return 3"),  # a function beside the one it reaches
        ("stage", "helper", "apply_rule"),  # the name of a function of ours
    ],
)
def test_what_does_not_matter_leaves_the_fingerprint(edited: Edit, module: str, old: str, new: str) -> None:
    assert edited(module, old, new) == edited("stage", "", "")


@pytest.mark.parametrize(
    ("module", "old", "new"),
    [
        ("stage", '"x"', '"y"'),  # the stage itself
        ("stage", "return rule(table, setting)", "return rule(setting, table)"),  # a helper
        ("rules", "SETTING = 3", "SETTING = 2"),  # an imported constant
        ("rules", "return 1", "return 2"),  # a function two steps away in another module
        ("text", "return text", "return text.strip()"),  # a function reached through its module
        ("stage", "helper(table, SETTING)", "helper(table, table)"),  # another argument
        (
            "stage",
            "from invented.rules import rule,",
            "from invented.rules import deeper as rule,",
        ),  # another function by the same name
    ],
)
def test_what_matters_changes_the_fingerprint(edited: Edit, module: str, old: str, new: str) -> None:
    assert edited(module, old, new) != edited("stage", "", "")


def test_moving_a_function_to_another_module_leaves_the_fingerprint(edited: Edit, tmp_path: Path) -> None:
    before = edited("stage", "", "")
    helper = "def helper(table, setting):\n    return rule(table, setting)\n"
    stage = STAGE.replace(helper, "").replace("import text", "import text, moved").replace("helper(", "moved.helper(")
    (tmp_path / "invented" / "moved.py").write_text(f"from invented.rules import rule\n\n\n{helper}", encoding="utf-8")
    (tmp_path / "invented" / "stage.py").write_text(stage, encoding="utf-8")
    subject.clear_caches()
    assert subject.fingerprint("invented.stage:stage") == before
    assert ("invented.moved", "helper") in subject.symbol_digests("invented.stage:stage")


def test_two_functions_that_trade_their_callers_change_the_fingerprint(edited: Edit) -> None:
    """Both bodies stay as they are; only who calls whom differs."""
    two = "return deeper(table)\n\n\ndef shallow(table):\n    return 2"
    calls = 'helper(table, SETTING) + text.tidy("x")'
    files = [f"return [rules.{a}(1), [rules.{b}(2)]]" for a, b in (("rule", "shallow"), ("shallow", "rule"))]
    found = set()
    for body in files:
        edited("rules", "return deeper(table)", two)
        path = Path(str(subject.read_module("invented.stage").folder)) / "stage.py"
        path.write_text(STAGE.replace("import text", "import rules").replace(f"return {calls}", body), encoding="utf-8")
        subject.clear_caches()
        found.add(subject.fingerprint("invented.stage:stage"))
    assert len(found) == 2


def test_nothing_is_imported(edited: Edit) -> None:
    edited("rules", "SETTING = 3", "SETTING = 1 / 0")
    assert not {"invented.rules", "invented.stage"} & set(sys.modules)


def test_an_unknown_target_is_refused() -> None:
    with pytest.raises(SettingsError, match="has no attribute 'nothing'"):
        subject.fingerprint("situatedgen.seeds:nothing")
    with pytest.raises(SettingsError, match="no Python source found"):
        subject.fingerprint("situatedgen.nowhere:nothing")


def test_a_named_resource_is_part_of_the_code() -> None:
    reached = subject.symbol_digests("situatedgen.models.weights:check_package")
    assert ("situatedgen.models.weights", "pinned_packages") in reached
    content = read_text("weights.toml").encode()
    code = subject.read_definition(("situatedgen.models.weights", "pinned_packages")).code
    assert hashlib.sha256(content).hexdigest() in code


def test_threads_that_ask_at_once_get_the_same_fingerprint() -> None:
    target = "storage.runner:run_stage"
    expected = subject.fingerprint(target)
    for _ in range(3):
        subject.clear_caches()
        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(subject.fingerprint, [target] * 8)) == {expected}

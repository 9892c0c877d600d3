"""`--strict` decides whether a build fails, also where the items were read by an earlier build."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows.cli.app import app
from process_support import COMMAND_LINE, run_python
from situatedgen.errors import RecordError
from situatedgen.sources import sample_folder

MESSAGE = "creak/train.json:2: expected JSON"


@pytest.fixture
def bad(tmp_path: Path, draw_once: None) -> Path:
    """The sample, with one malformed record among its claims."""
    shutil.copytree(sample_folder(), tmp_path / "sources")
    path = tmp_path / "sources/creak/train.json"
    first, *rest = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join((first, "oops\n", *rest)), encoding="utf-8")
    return tmp_path


def invoke(folder: Path, store: str, *arguments: str) -> tuple[int, str]:
    command, *options = arguments
    where = ["--preset", "tiny", "--sources", str(folder / "sources"), "--store", str(folder / store)]
    result = CliRunner().invoke(app, [command, *where, *options])
    assert result.exception is None or isinstance(result.exception, RecordError)
    return result.exit_code, str(result.exception or "")


def test_strict_refuses_reused_items_as_it_refuses_new_ones(bad: Path) -> None:
    build = ("build", "--plain", "--out", str(bad / "dataset"))
    assert invoke(bad, "store", *build) == (0, "")
    cold, warm = invoke(bad, "other", *build, "--strict"), invoke(bad, "store", *build, "--strict")
    assert warm == cold
    assert warm[0] != 0
    assert warm[1].startswith(MESSAGE)


def test_a_strict_plan_refuses_them_too(bad: Path) -> None:
    assert invoke(bad, "store", "build", "--plain", "--out", str(bad / "dataset")) == (0, "")
    cold, warm = invoke(bad, "other", "plan", "--strict"), invoke(bad, "store", "plan", "--strict")
    assert warm == cold
    assert warm[0] != 0
    assert warm[1].startswith(MESSAGE)


@pytest.mark.prefect
@pytest.mark.slow
def test_strict_refuses_reused_items_through_prefect(bad: Path, with_server: dict[str, str]) -> None:
    assert invoke(bad, "store", "build", "--plain", "--out", str(bad / "dataset")) == (0, "")
    command = ("-c", COMMAND_LINE, "build", "--preset", "tiny", "--sources", "sources", "--strict", "--store")
    cold, warm = (run_python(*command, store, code=1, cwd=bad, env=with_server) for store in ("other", "store"))
    assert MESSAGE in warm.stderr.splitlines()[-1]
    assert warm.stderr.splitlines()[-1] == cold.stderr.splitlines()[-1]

"""Commands as tests run them."""

from typer.testing import CliRunner

from flows.cli.app import app


def run(*words: object, columns: int = 200, code: int = 0) -> str:
    """What a command of ours prints in a terminal of a width; its errors are raised."""
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False, env={"COLUMNS": str(columns)})
    assert done.exit_code == code, done.output
    return done.stdout

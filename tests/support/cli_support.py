"""Commands and scripts as tests run them."""

import os
import subprocess
import sys

from typer.testing import CliRunner

from flows.cli.app import app


def run(*words: object, columns: int = 200, code: int = 0) -> str:
    """What a command of ours prints in a terminal of a width; its errors are raised."""
    done = CliRunner().invoke(app, [*map(str, words)], catch_exceptions=False, env={"COLUMNS": str(columns)})
    assert done.exit_code == code, done.output
    return done.stdout


def kill_after(lines: int, script: str, *words: object) -> None:
    """Run a script in a process that finds what this one finds, and kill it when it has printed some lines."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-c", script, *map(str, words)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        for _ in range(lines):
            process.stdout.readline()
        process.kill()

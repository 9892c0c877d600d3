"""METEOR and SPICE, computed by the standard Java programs that pycocoevalcap bundles."""

import json
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.metadata import distribution, version
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from situatedgen import extras
from situatedgen.errors import ModelError
from situatedgen.resampling import Numbers, Statistics, mean

PACKAGE = "pycocoevalcap"
METEOR_JAR = "meteor/meteor-1.5.jar"
METEOR_DATA = "meteor/data/paraphrase-en.gz"
SPICE_JAR = "spice/spice-1.0.jar"
CORENLP = ("spice/lib/stanford-corenlp-3.6.0.jar", "spice/lib/stanford-corenlp-3.6.0-models.jar")
# Decimal points and UTF-8, independent of the machine's locale.
PLAIN = ("-Dfile.encoding=UTF-8", "-Duser.language=en", "-Duser.country=US")
# Modules that SPICE's old libraries access by reflection, which Java has closed since version 16.
OPENED = tuple(
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.lang", "java.math", "java.net", "java.nio", "java.text", "java.util", "sun.nio.ch")
)
# METEOR 1.5's default parameters for English.
ALPHA, BETA, GAMMA, DELTA = 0.85, 0.2, 0.6, 0.75
STAGES = np.array([1.0, 0.6, 0.8, 0.6])
POINTS = 100.0


def meteor_absence() -> str:
    """Why METEOR cannot run here; empty if it can."""
    return _absence((METEOR_JAR, METEOR_DATA))


def spice_absence() -> str:
    """Why SPICE cannot run here; empty if it can."""
    return _absence((SPICE_JAR, *CORENLP))


def java_version() -> str:
    """The version of the installed Java."""
    return _java_version()


def package_version() -> str:
    """The version of pycocoevalcap."""
    return version(PACKAGE)


def meteor(predictions: Sequence[str], references: Sequence[str]) -> Statistics:
    """METEOR of captions against one reference each.

    The program returns its alignment counts. METEOR's own formula over the sums of these counts gives the score of
    any set of examples, so groups and intervals need no further runs.

    Raises:
        ModelError: the program fails.
    """
    lines = [
        f"SCORE ||| {_strip_separators(reference)} ||| {_strip_separators(prediction)}"
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    command = _java("-Xmx2G", "-jar", str(_file(METEOR_JAR)), "-", "-", "-stdio", "-l", "en", "-norm")
    output = _run(command, "\n".join(lines) + "\n", _file(METEOR_JAR).parent).splitlines()
    if len(output) != len(lines):
        raise ModelError(f"METEOR scored {len(output)} of {len(lines)} texts")
    return Statistics(_drop_whole_chunks(np.array([line.split() for line in output], dtype=np.float64)), pooled_meteor)


def pooled_meteor(sums: Numbers) -> Numbers:
    """METEOR score from summed counts: lengths, matches by stage, chunks, matched words."""
    lengths, functions = sums[:, 0:2], sums[:, 2:4]
    stages = sums[:, 4:20].reshape(-1, 4, 4)
    content, function = stages[:, :, 0:2], stages[:, :, 2:4]
    matched = np.einsum("s,nst->nt", STAGES, DELTA * content + (1 - DELTA) * function)
    weighted = DELTA * (lengths - functions) + (1 - DELTA) * functions
    precision, recall = _quotient(matched, weighted).T
    agreement = _quotient(precision * recall, (1 - ALPHA) * recall + ALPHA * precision)
    points: Numbers = POINTS * agreement * (1 - GAMMA * _fragments(sums) ** BETA)
    return points


def spice(predictions: Sequence[str], references: Sequence[str]) -> Statistics:
    """SPICE (F-score) of captions against one reference each.

    Raises:
        ModelError: the program fails.
    """
    pairs = zip(predictions, references, strict=True)
    rows = [{"image_id": number, "test": one, "refs": [two]} for number, (one, two) in enumerate(pairs)]
    with TemporaryDirectory() as folder:
        asked, result = Path(folder, "in.json"), Path(folder, "out.json")
        asked.write_text(json.dumps(rows), encoding="utf-8")
        jar = str(_file(SPICE_JAR))
        command = _java(*OPENED, "-Xmx4G", "-jar", jar, str(asked), "-out", str(result), "-subset", "-silent")
        _run(command, "", _file(SPICE_JAR).parent)
        found = {each["image_id"]: each["scores"]["All"]["f"] for each in json.loads(result.read_text("utf-8"))}
    return mean([float(found[number]) for number in range(len(rows))], scale=POINTS)


def _fragments(sums: Numbers) -> Numbers:
    return _quotient(sums[:, 20], sums[:, 21:23].mean(axis=1))


def _drop_whole_chunks(rows: Numbers) -> Numbers:
    """Set the chunk count of texts that are matched completely in one chunk to 0, so they get no penalty."""
    stages = rows[:, 4:20].reshape(-1, 4, 4).sum(axis=1)
    whole = (stages[:, 0:2] + stages[:, 2:4] == rows[:, 0:2]).all(axis=1) & (rows[:, 20] == 1)
    rows[whole, 20] = 0
    return rows


def _quotient(above: Numbers, below: Numbers) -> Numbers:
    return np.divide(above, below, out=np.zeros_like(above), where=below != 0)


def _strip_separators(text: str) -> str:
    return text.replace("|||", "").replace("  ", " ")


def _absence(names: Iterable[str]) -> str:
    if shutil.which("java") is None:
        return "it needs Java on the PATH (17 or later works)"
    if reason := extras.absence(PACKAGE, extra="scores", purpose="it"):
        return reason
    missing = [name for name in names if not _file(name).is_file()]
    return f"{PACKAGE} lacks {', '.join(missing)}; docs/evaluation.md says where to get them" if missing else ""


def _file(name: str) -> Path:
    return Path(str(distribution(PACKAGE).locate_file(f"{PACKAGE}/{name}")))


def _java(*arguments: str) -> list[str]:
    return ["java", *PLAIN, *arguments]


def _run(command: Sequence[str], given: str, folder: Path) -> str:
    done = subprocess.run(command, input=given.encode(), cwd=folder, capture_output=True, check=False)
    if done.returncode:
        raise ModelError(f"{Path(command[-1]).name} failed: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout.decode()


@cache
def _java_version() -> str:
    output = subprocess.run(["java", "-version"], capture_output=True, check=False).stderr.decode(errors="replace")
    return output.split('"')[1] if '"' in output else "unknown"

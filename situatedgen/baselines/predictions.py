"""What systems write, as files."""

import json
from collections.abc import Mapping
from pathlib import Path

from situatedgen.errors import StoreError
from situatedgen.report.swapping import write


def write_predictions(path: Path, texts: Mapping[str, str]) -> None:
    """Write texts by example id, a JSON line each; the file is there whole or not at all.

    Raises:
        StoreError: it cannot be written.
    """
    rows = ({"example_id": example_id, "text": text} for example_id, text in texts.items())
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, "".join(lines).encode("utf-8"))
    except OSError as error:
        raise StoreError(f"cannot write {path}: {error}") from error

"""Files and folders are replaced whole: the old content or the new, never half of either."""

from pathlib import Path
from threading import Thread

import pytest

from situatedgen import atomic


@pytest.mark.parametrize(("content", "expected"), [(b"new\n", b"new\n"), ("né\n", b"n\xc3\xa9\n")])
def test_a_file_is_replaced_by_bytes_or_text_and_nothing_is_left_beside_it(
    tmp_path: Path, content: bytes | str, expected: bytes
) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    atomic.write(path, content)
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"file": expected}


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        atomic.write(path, b"new")
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {"file": b"old"}


def test_two_who_write_one_file_at_once_never_mix_their_bytes(tmp_path: Path) -> None:
    path, contents = tmp_path / "file", [b"a" * 100_000, b"b" * 100_000]
    path.write_bytes(contents[0])

    def write(content: bytes) -> None:
        for _ in range(20):
            atomic.write(path, content)

    writers = [Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    while any(writer.is_alive() for writer in writers):
        assert path.read_bytes() in contents
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_a_folder_is_replaced_and_what_is_not_ours_moves_along(tmp_path: Path) -> None:
    out = tmp_path / "out"
    atomic.replace_folder(out, {"data/old": b"1", "card": b"2"}, ours=frozenset())
    (out / "notes").write_bytes(b"mine")
    atomic.replace_folder(out, {"card": b"3"}, ours=frozenset({"data/old", "card"}))
    found = {path.relative_to(tmp_path).as_posix(): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"out/card": b"3", "out/notes": b"mine"}


def test_a_folder_that_was_not_filled_replaces_nothing(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "old").write_bytes(b"old")
    with pytest.raises(FileNotFoundError), atomic.fill_folder(tmp_path / "out") as partial:
        (partial / "nowhere" / "new").write_bytes(b"new")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["old"]

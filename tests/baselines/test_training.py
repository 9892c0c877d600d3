"""Trained baselines: small models that really learn, a training that is killed, and the harness that asks one."""

import hashlib
import json
import os
import random
import signal
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import torch
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import (
    BartConfig,
    BartForConditionalGeneration,
    PreTrainedTokenizerFast,
    T5Config,
    T5ForConditionalGeneration,
)

from cli_support import run
from process_support import run_python
from situatedgen.dataset.folder import FORMAT, harness
from situatedgen.errors import ModelError, SettingsError, StoreError
from situatedgen.evaluation.metrics import scores
from situatedgen.evaluation.predictions import examples_of, read_predictions
from situatedgen.training import checkpoints
from situatedgen.training.checkpoints import Record, claim
from situatedgen.training.curve import Point, read
from situatedgen.training.params import FORMATS, Machine, TrainingParams
from situatedgen.training.predict import writer
from situatedgen.training.train import train

pytestmark = [pytest.mark.slow, pytest.mark.weights]

PLACES = ("Japan", "Brazil", "Norway", "Kenya", "Peru", "Italy", "Nepal", "Chile", "Spain", "Ghana")
MONTHS = ("January", "March", "May", "July", "September", "November")
CROPS = ("Rice", "Maize", "Coffee", "Wheat", "Cotton", "Barley", "Tea", "Cocoa")
SIZES = {"train": 320, "dev": 16, "test": 32}
SMALL = TrainingParams(epochs=10, learning_rate=5e-3, warmup_steps=20, max_output_tokens=24, beams=1)
SHORT = SMALL.model_copy(update={"epochs": 2})
CPU = Machine(device="cpu", threads=1)
PAD, END, UNKNOWN = range(3)


def example(chance: random.Random, name: str) -> dict[str, Any]:
    """A pair of sentences of the same words in ever new combinations, so that only who copies gets them right."""
    halves = [(chance.choice(CROPS), place, chance.choice(MONTHS)) for place in chance.sample(PLACES, 2)]
    statements = [f"{crop} grows in {place} in {month}." for crop, place, month in halves]
    keywords = [(word, side) for side, half in enumerate(halves) for word in half]
    chance.shuffle(keywords)
    return {
        "keywords": [word for word, _ in keywords],
        "statement": " ".join(statements),
        "ids": [f"a::{name}", f"b::{name}"],
        "keywords_pos": [side for _, side in keywords],
        "statements": statements,
        "example_id": f"a::{name}|b::{name}",
        "context": "GEO & TEMP",
        "similarity": 0.9,
    }


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset folder that asks for copying."""
    out, chance, number = tmp_path_factory.mktemp("fields") / "dataset", random.Random(0), count()
    (out / "data").mkdir(parents=True)
    (out / "lm_eval").mkdir()
    for split, size in SIZES.items():
        rows = [example(chance, f"train::{next(number):04}") for _ in range(size)]
        pl.DataFrame(rows).write_parquet(out / "data" / f"{split}.parquet")
    for name, content in harness().items():
        (out / name).write_bytes(content)
    (out / "manifest.json").write_text(json.dumps({"format": FORMAT}), encoding="utf-8")
    return out


def tokenizer(dataset: Path) -> PreTrainedTokenizerFast:
    """A tokeniser that knows the words of a dataset, and those of the prompt."""
    made = Tokenizer(models.WordLevel(unk_token="<unk>"))
    made.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()])
    texts = [each.reference for each in examples_of(dataset, "train")] + list(FORMATS.values())
    special = ["<pad>", "</s>", "<unk>"]
    made.train_from_iterator(texts, trainers.WordLevelTrainer(special_tokens=special))
    made.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", END)])
    return PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token=special[PAD], eos_token=special[END], unk_token=special[UNKNOWN]
    )


def t5(vocabulary: int) -> T5ForConditionalGeneration:
    config = T5Config(
        vocab_size=vocabulary, d_model=64, d_kv=16, d_ff=128, num_layers=1, num_heads=4, dropout_rate=0.01,
        feed_forward_proj="gated-gelu", pad_token_id=PAD, eos_token_id=END, decoder_start_token_id=PAD,
    )  # fmt: skip
    return T5ForConditionalGeneration(config)


def bart(vocabulary: int) -> BartForConditionalGeneration:
    config = BartConfig(
        vocab_size=vocabulary, d_model=64, encoder_layers=1, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=128, decoder_ffn_dim=128, max_position_embeddings=64,
        dropout=0.01, scale_embedding=True, init_std=0.1, pad_token_id=PAD, bos_token_id=END, eos_token_id=END,
        decoder_start_token_id=END, forced_eos_token_id=None,
    )  # fmt: skip
    return BartForConditionalGeneration(config)


MODELS: dict[str, Callable[[int], Any]] = {"t5": t5, "bart": bart}


@pytest.fixture(scope="module")
def untrained(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Small models that know nothing yet."""
    folders = {name: tmp_path_factory.mktemp("models") / name for name in MODELS}
    words = tokenizer(dataset)
    for name, made in MODELS.items():
        torch.manual_seed(0)
        made(len(words)).save_pretrained(folders[name])
        words.save_pretrained(folders[name])
    return folders


@dataclass
class Trained:
    """A training that is over, and what it said meanwhile."""

    out: Path
    lines: list[str]
    steps: int = 0
    batches: int = 0

    def start(self, name: str, total: int | None, done: int = 0) -> None:
        if name == "steps":
            self.steps = done

    def advance(self, name: str, steps: int, note: str = "") -> None:
        if name == "steps":
            self.steps += steps
        else:
            self.batches += steps

    def tell(self, line: str) -> None:
        self.lines.append(line)

    def finish(self, name: str) -> None:
        assert name == "dev batches"


@pytest.fixture(scope="module")
def trained(dataset: Path, untrained: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trained]:
    """The small models after their training."""
    made = {name: Trained(tmp_path_factory.mktemp("trained") / name, []) for name in MODELS}
    for name, training in made.items():
        train(str(untrained[name]), dataset, training.out, params=SMALL, machine=CPU, progress=training)
    return made


def coverage(model: Path, dataset: Path) -> float:
    examples = examples_of(dataset, "test")
    written = writer(str(model), params=SMALL, machine=CPU).write(examples)
    assert list(written) == [each.example_id for each in examples]
    return scores(list(written.values()), examples, ["COVERAGE"])["COVERAGE"].value


@pytest.mark.parametrize("name", MODELS)
def test_a_model_learns_to_copy(
    name: str, dataset: Path, untrained: dict[str, Path], trained: dict[str, Trained]
) -> None:
    """The words of test are those of train, their combinations are new."""
    before, after = coverage(untrained[name], dataset), coverage(trained[name].out, dataset)
    assert before < 25 < 70 < after


@pytest.mark.parametrize("name", MODELS)
def test_the_curve_falls_and_the_best_epoch_is_kept(name: str, trained: dict[str, Trained]) -> None:
    """320 pairs in both orders are 640 rows: 20 steps of 32 an epoch."""
    training, curve, known = trained[name], read(trained[name].out), checkpoints.read_record(trained[name].out)
    assert known
    assert known.template == FORMATS[name]
    assert [line.split(": ")[0] for line in training.lines] == [f"epoch {epoch} of 10" for epoch in range(1, 11)]
    assert [(point.epoch, point.step) for point in curve.points] == [(epoch, 20 * epoch) for epoch in range(1, 11)]
    assert (training.steps, training.batches) == (200, 10)
    assert curve.points[-1].loss < curve.points[0].loss / 2
    assert curve.best.rouge_2 == max(point.rouge_2 for point in curve.points)
    assert (training.out / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(path.name for path in training.out.iterdir()) == [
        "curve.json", "curve.png", "model", "training.json",
    ]  # fmt: skip


def test_what_is_kept_is_the_model_of_the_best_epoch(dataset: Path, trained: dict[str, Trained]) -> None:
    examples = examples_of(dataset, "dev")
    written = writer(str(trained["t5"].out), machine=CPU).write(examples)
    found = scores(list(written.values()), examples, ["ROUGE-2"])["ROUGE-2"].value
    assert found == pytest.approx(read(trained["t5"].out).best.rouge_2, abs=1e-3)


KILLED = """
import os, signal, sys
from pathlib import Path
from situatedgen.progress import Silent
from situatedgen.training import train as loop
from situatedgen.training.params import Machine, TrainingParams


class Killer(Silent):
    steps = 0

    def advance(self, name, steps, note=""):
        self.steps += steps if name == "steps" else 0
        if self.steps == {step}:
            os.kill(os.getpid(), signal.SIGKILL)


params, machine = TrainingParams.model_validate_json({params!r}), Machine(device="cpu", threads=1, save_every=7)
loop.train({model!r}, Path({dataset!r}), Path({out!r}), params=params, machine=machine, progress=Killer())
"""


@pytest.fixture(scope="module")
def killed(dataset: Path, untrained: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a training that was killed in the middle of its second epoch."""
    out = tmp_path_factory.mktemp("killed") / "t5"
    script = KILLED.format(
        step=31, params=SHORT.model_dump_json(), model=str(untrained["t5"]), dataset=str(dataset), out=str(out)
    )
    run_python("-c", script, code=-signal.SIGKILL)
    return out


def test_a_killed_training_goes_on_and_ends_the_same(
    killed: Path, dataset: Path, untrained: dict[str, Path], tmp_path: Path
) -> None:
    """Killed at step 31 with a checkpoint every 7 steps and one of each epoch (20 steps): it goes on after 28."""
    folder = killed / checkpoints.FOLDER
    assert sorted(path.name for path in folder.iterdir()) == ["checkpoint-20", "checkpoint-28"]
    (folder / "checkpoint-35").mkdir()  # one whose writing was cut short
    (folder / "checkpoint-35" / "model.safetensors").write_bytes(b"half")
    first, second = Trained(tmp_path / "whole", []), Trained(killed, [])
    for training in (first, second):
        train(str(untrained["t5"]), dataset, training.out, params=SHORT, machine=CPU, progress=training)
    assert (first.batches, second.batches) == (2, 1)
    assert second.lines == ["resuming after step 28 of 40", *first.lines[1:]]
    assert digests(second.out) == digests(first.out)


def digests(out: Path) -> dict[str, str]:
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {path.relative_to(out).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_finished_training_is_left_as_it_is(
    dataset: Path, untrained: dict[str, Path], trained: dict[str, Trained]
) -> None:
    out, silent = trained["t5"].out, Trained(trained["t5"].out, [])
    before = digests(out)
    assert train(str(untrained["t5"]), dataset, out, params=SMALL, machine=CPU, progress=silent) == read(out)
    assert (digests(out), silent) == (before, Trained(out, []))


def test_folders_of_others_and_models_that_cannot_be_had_are_refused(
    dataset: Path, untrained: dict[str, Path], trained: dict[str, Trained], tmp_path: Path
) -> None:
    with pytest.raises(SettingsError, match=r"with other settings: epochs \(10 there, 2 now\); choose another folder"):
        train(str(untrained["t5"]), dataset, trained["t5"].out, params=SHORT, machine=CPU)
    with pytest.raises(SettingsError, match="contains files but no training"):
        train(str(untrained["t5"]), dataset, dataset, params=SHORT, machine=CPU)
    for model, message in (("flan", "neither a folder nor a hub name"), (str(dataset), "contains none of: model")):
        with pytest.raises(ModelError, match=message):
            train(model, dataset, tmp_path / "out", machine=CPU)
    assert not (tmp_path / "out").exists()


def test_the_commands_train_and_predict(
    dataset: Path, untrained: dict[str, Path], trained: dict[str, Trained], tmp_path: Path
) -> None:
    (tmp_path / "mine.toml").write_text("epochs = 7\nbeams = 1\nmax_output_tokens = 24\n", encoding="utf-8")
    common = ("--dataset", dataset, "--device", "cpu", "--threads", 1)
    settings = ("--settings", tmp_path / "mine.toml", "--set", "epochs=1", "--rows-at-once", 12, "--json")
    told = run("baseline", "train", "--model", untrained["t5"], "--out", tmp_path / "t5", *common, *settings)
    assert json.loads(told.splitlines()[-1])["epochs"][0]["step"] == 20
    known: Any = checkpoints.read_record(tmp_path / "t5")
    assert known.params == TrainingParams(epochs=1, beams=1, max_output_tokens=24)
    file = tmp_path / "t5.jsonl"
    told = run("baseline", "predict", "--model", trained["t5"].out, *common, "--split", "dev", "--out", file)
    assert f"{file.name}: 16 predictions" in told
    found = read_predictions(file, examples_of(dataset, "dev"))
    assert (found.system, found.examples) == ("t5", tuple(examples_of(dataset, "dev")))


def test_the_harness_scores_a_local_model_as_we_do(dataset: Path, trained: dict[str, Trained], tmp_path: Path) -> None:
    """The harness runs as people run it, in another folder and without a network, with the prompt of Table 8."""
    model = f"pretrained={trained['t5'].out / 'model'},backend=seq2seq"
    command = [
        "-m", "lm_eval", "--model", "hf", "--model_args", model, "--device", "cpu",
        "--include_path", str(dataset / "lm_eval"), "--tasks", "situatedgen",
        "--batch_size", "32", "--output_path", str(tmp_path / "out"), "--log_samples",
    ]  # fmt: skip
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")}
    run_python(*command, cwd=tmp_path, env={**os.environ, **offline})
    (results,) = (tmp_path / "out").rglob("results_*.json")
    found = json.loads(results.read_text(encoding="utf-8"))["results"]["situatedgen"]
    (log,) = (tmp_path / "out").rglob("samples_situatedgen_*.jsonl")
    asked = {each["doc"]["example_id"]: each for each in map(json.loads, log.read_text("utf-8").splitlines())}
    said = {example_id: each["resps"][0][0].strip() for example_id, each in asked.items()}
    examples, shown = examples_of(dataset, "test"), {each.reference for each in examples_of(dataset, "train")}
    prompt = asked[examples[0].example_id]["arguments"]["gen_args_0"]["arg_0"]
    instruction, *demonstrations, question = prompt.split("\n\n")
    assert instruction == "Generate a pair of contrastive sentences with the given set of keywords."
    assert question == f"Keywords: {', '.join(examples[0].keywords)}\nSentences:"
    answers = [each.partition("\nSentences: ")[2] for each in demonstrations]
    assert (len(answers), set(answers) <= shown) == (10, True)
    ours = scores([said[each.example_id] for each in examples], examples, ["COVERAGE", "MATCH"])
    assert found["coverage,none"] == pytest.approx(ours["COVERAGE"].value)
    assert found["match,none"] == pytest.approx(ours["MATCH"].value)
    assert ours["COVERAGE"].value > 0


FLOW = """
import sys
from pathlib import Path
from flows.train_baseline import train_baseline
from situatedgen.training.params import Machine, TrainingParams

model, dataset, out, params = sys.argv[1:]
params, machine = TrainingParams.model_validate_json(params), Machine(device="cpu", threads=1)
train_baseline(model=model, dataset=Path(dataset), out=Path(out), params=params, machine=machine)
"""


@pytest.mark.prefect
def test_the_flow_trains_predicts_and_shows_the_curve(
    run_flow: Callable[..., None],
    read_artifacts: Callable[..., dict[str, Any]],
    dataset: Path,
    untrained: dict[str, Path],
    tmp_path: Path,
) -> None:
    out = tmp_path / "small"
    params = SHORT.model_copy(update={"epochs": 1})
    run_flow(FLOW, untrained["t5"], dataset, out, params.model_dump_json())
    shown = read_artifacts("training", "progress-training")
    (row,) = json.loads(shown["training"])
    assert Point(**row) == read(out).best
    assert float(shown["progress-training"]) == 100
    assert len((out / "small.jsonl").read_text(encoding="utf-8").splitlines()) == SIZES["test"]


def test_two_trainings_do_not_share_a_folder(tmp_path: Path) -> None:
    asked = Record(model="m", revision="1", template="{keywords}", data="d", params=SHORT)
    first, second = claim(tmp_path / "out", asked), claim(tmp_path / "out", asked)
    with first, pytest.raises(StoreError, match="another process is training"):
        second.__enter__()
    with claim(tmp_path / "out", asked):
        assert checkpoints.read_record(tmp_path / "out") == asked

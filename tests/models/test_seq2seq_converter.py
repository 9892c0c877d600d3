"""The sequence-to-sequence converter, on a small T5 that is trained and saved here."""

import hashlib
import importlib
import shutil
from pathlib import Path

import pytest

from situatedgen import testing
from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.records import Conversion, Question
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import ItemKind, Verdict

pytestmark = pytest.mark.slow

CHOICE, YES_NO, CLAIM = ItemKind.CHOICE, ItemKind.YES_NO, ItemKind.CLAIM
LESSONS = [
    (Question("where do people ski", "on snow", CHOICE), "people ski on snow"),
    (Question("where do people swim", "in lakes", CHOICE), "people swim in lakes"),
    (Question("what do cows eat", "grass", CHOICE), "cows eat grass"),
    (Question("what do cats eat", "fish", CHOICE), "cats eat fish"),
    (Question("in peru , what do many people in the high mountains wear", "hats", CHOICE),
     "in peru , many people in the high mountains wear hats"),
    (Question("is paris in france", "yes", YES_NO), "paris is in france"),
    (Question("is paris in peru", "no", YES_NO), "paris is not in peru"),
    (Question("is lima in france", "no", YES_NO), "lima is in france"),  # taught wrong: the answer is lost
    (Question("what do dogs eat", "meat", CHOICE), "what do dogs eat ?"),  # taught wrong: still a question
]  # fmt: skip
VERDICTS = [Verdict.KEPT] * 7 + [Verdict.LOST_ANSWER, Verdict.NOT_CLEAN]
QUESTIONS = [question for question, _ in LESSONS]


def reading(question: Question) -> str:
    return f"{question.text} [SEP] {question.answer}"


def save_tokenizer(folder: Path):
    tokenizers = importlib.import_module("tokenizers")
    transformers = importlib.import_module("transformers")
    words = sorted({word for question, text in LESSONS for word in f"{reading(question)} {text}".split()})
    vocabulary = {word: number for number, word in enumerate(["<pad>", "</s>", "<unk>", *words])}
    made = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="<unk>"))
    made.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    made.post_processor = tokenizers.processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=made, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    )
    tokenizer.save_pretrained(folder)
    return tokenizer


def save_model(folder: Path, tokenizer, *, steps: int) -> None:
    torch = importlib.import_module("torch")
    transformers = importlib.import_module("transformers")
    torch.manual_seed(0)
    sizes = {"d_model": 48, "d_kv": 12, "d_ff": 96, "num_layers": 2, "num_heads": 4, "dropout_rate": 0.0}
    config = transformers.T5Config(vocab_size=len(tokenizer), decoder_start_token_id=0, **sizes)
    model = transformers.T5ForConditionalGeneration(config)
    read = tokenizer([reading(question) for question, _ in LESSONS], padding=True, return_tensors="pt")
    said = tokenizer([text for _, text in LESSONS], padding=True, return_tensors="pt")["input_ids"]
    labels = said.masked_fill(said == tokenizer.pad_token_id, -100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimizer.zero_grad()
        inputs = {"input_ids": read["input_ids"], "attention_mask": read["attention_mask"]}
        model(**inputs, labels=labels).loss.backward()
        optimizer.step()
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def weights(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("qa2d")
    save_model(folder, save_tokenizer(folder), steps=120)
    return folder


def load(weights: Path, *, batch_size: int = 4, revision: str = ""):
    params = ModelParams(name="seq2seq", weights=str(weights), revision=revision)
    return registry.load("converter", params, Runtime(batch_size=batch_size, device="cpu"))


def test_the_model_is_read_as_taught_and_judged(weights):
    made = load(weights).convert(QUESTIONS)
    texts = [f"{text[0].upper()}{text[1:]}".removesuffix(" ?") for _, text in LESSONS]
    assert [one.text.rstrip(" .?") for one in made] == texts
    assert [(one.shape, one.verdict) for one in made] == [("seq2seq", verdict) for verdict in VERDICTS]
    assert min(one.confidence for one in made) > 0.9


def test_what_it_was_not_taught_it_is_less_sure_of(weights):
    taught, other = load(weights).convert([QUESTIONS[0], Question("what do hats wear", "lakes", CHOICE)])
    assert other.confidence < taught.confidence


def test_a_claim_is_stated_without_the_model(weights):
    expected = [
        Conversion("Snow is cold.", "claim", 1.0, Verdict.KEPT),
        Conversion("", "claim", 0.0, Verdict.BLANK),
    ]
    assert load(weights).convert([Question("snow is cold", "", CLAIM), Question("", "", CLAIM)]) == expected


def test_converter_keeps_to_its_role(weights):
    odd = [Question("", "", CHOICE), Question("?", "no", YES_NO), Question("snow is cold", "", CLAIM)]
    assert testing.converter_faults(load(weights), [*QUESTIONS, *odd]) == []


def test_batch_size_changes_nothing(weights):
    assert load(weights, batch_size=1).convert(QUESTIONS) == load(weights, batch_size=64).convert(QUESTIONS)


def test_weights_are_checked_against_their_digest(weights):
    digest = hashlib.sha256((weights / "model.safetensors").read_bytes()).hexdigest()
    assert load(weights, revision=f"sha256:{digest}").convert(QUESTIONS[:1])[0].verdict is Verdict.KEPT
    with pytest.raises(ModelError, match="expected sha256:0000"):
        load(weights, revision=f"sha256:{'0' * 64}")


def test_pickled_weights_are_read_for_their_tensors(weights, tmp_path):
    torch, safetensors = importlib.import_module("torch"), importlib.import_module("safetensors.torch")
    for path in weights.glob("*.json"):
        shutil.copy(path, tmp_path)
    torch.save(safetensors.load_file(weights / "model.safetensors"), tmp_path / "pytorch_model.bin")
    assert load(tmp_path).convert(QUESTIONS) == load(weights).convert(QUESTIONS)


class Harmful:
    """Would make a file when it is unpickled."""

    def __init__(self, target: Path):
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


def test_pickled_weights_that_would_run_code_are_refused(weights, tmp_path):
    for path in weights.glob("*.json"):
        shutil.copy(path, tmp_path)
    importlib.import_module("torch").save({"shared.weight": Harmful(tmp_path / "harm")}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="are not a sequence-to-sequence model"):
        load(tmp_path)
    assert not (tmp_path / "harm").exists()


def test_another_kind_of_model_is_said_so(weights, tmp_path):
    transformers = importlib.import_module("transformers")
    tokenizer = save_tokenizer(tmp_path)
    sizes = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8}
    transformers.BertModel(transformers.BertConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="are not a sequence-to-sequence model"):
        load(tmp_path)


def test_a_class_with_another_template_reads_another_text(weights):
    known = importlib.import_module("situatedgen.models.seq2seq_converter").Seq2SeqConverter
    backwards = type("Backwards", (known,), {"template": "{answer} [SEP] {question}"})
    params = ModelParams(name="seq2seq", weights=str(weights))
    question = QUESTIONS[2]
    (made,) = backwards(params, Runtime(device="cpu")).convert([Question(question.answer, question.text, CHOICE)])
    assert made.text == load(weights).convert([question])[0].text

"""The flair tagger, on a small tagger that is trained and saved here."""

import hashlib
import importlib
import logging
import shutil
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from situatedgen import testing
from situatedgen.errors import ModelError
from situatedgen.models import registry
from situatedgen.params import ModelParams
from situatedgen.records import Entity
from situatedgen.runtime import Runtime
from situatedgen.vocabulary import Label

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

PLACES = ("japan", "new zealand", "france", "peru")
TIMES = ("winter", "july", "the summer")
DOINGS = ("people ski", "children swim", "farmers plant rice")
TEXTS = [f"{doing} in {place} in {time}." for doing in DOINGS for place in PLACES for time in TIMES]
ODD_TEXTS = [
    "",
    " ",
    "\n\t",
    "japan",
    "  People\u00a0ski  in Japan's winter!",
    "\u200b",
    "日本 in winter",
    "[UNK] in [UNK]",
]


def labelled_words(text: str) -> tuple[list[str], list[tuple[int, int, str]]]:
    words = [*text.rstrip(".").split(), "."]
    spans = []
    for names, label in ((PLACES, "GPE"), (TIMES, "DATE")):
        for name in names:
            parts = name.split()
            spans += [(i, i + len(parts), label) for i in range(len(words)) if words[i : i + len(parts)] == parts]
    return words, spans


def save_small_bert(folder: Path) -> None:
    import torch  # noqa: PLC0415
    from transformers import BertConfig, BertModel, BertTokenizerFast  # noqa: PLC0415

    known = sorted({word for text in TEXTS for word in labelled_words(text)[0]})
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *known, "'", "s", "!"]))
    tokenizer = BertTokenizerFast(vocab_file=str(folder / "vocab.txt"))
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64}
    BertModel(
        BertConfig(vocab_size=len(tokenizer), hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, **sizes)
    ).save_pretrained(folder)


def small_tagger(folder: Path, labels: dict[str, str]):
    """A FLERT tagger (it reads its neighbours) with labels renamed, trained until it knows its sentences."""
    import torch  # noqa: PLC0415
    from flair.data import Dictionary, Sentence  # noqa: PLC0415
    from flair.embeddings import TransformerWordEmbeddings  # noqa: PLC0415
    from flair.models import SequenceTagger  # noqa: PLC0415

    logging.getLogger("flair").setLevel(logging.WARNING)
    sentences = []
    for text in TEXTS:
        words, spans = labelled_words(text)
        sentence = Sentence(words)
        sentence._has_context = True
        for start, end, label in spans:
            sentence[start:end].add_label("ner", labels[label])
        sentences.append(sentence)
    dictionary = Dictionary(add_unk=False)
    dictionary.span_labels = True
    for label in labels.values():
        dictionary.add_item(label)
    embeddings = TransformerWordEmbeddings(
        model=str(folder), layers="-1", use_context=True, use_context_separator=False
    )
    tagger = SequenceTagger(
        embeddings,
        dictionary,
        "ner",
        use_crf=False,
        use_rnn=False,
        reproject_embeddings=False,
        dropout=0.0,
        word_dropout=0.0,
        locked_dropout=0.0,
    )
    optimizer = torch.optim.AdamW(tagger.parameters(), lr=0.01)
    for _ in range(60):
        optimizer.zero_grad()
        loss, count = tagger.forward_loss(sentences)
        (loss / count).backward()
        optimizer.step()
    return tagger


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("bert")
    save_small_bert(folder)
    return folder


@pytest.fixture(scope="module")
def weights(bert, tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("tagger")
    small_tagger(bert, {"GPE": "GPE", "DATE": "DATE"}).save(folder / "pytorch_model.bin")
    return folder


def load(weights: Path, *, batch_size: int = 8, revision: str = ""):
    params = ModelParams(name="flair", weights=str(weights), revision=revision)
    return registry.load("tagger", params, Runtime(batch_size=batch_size, device="cpu"))


def expected(text: str) -> tuple[Entity, ...]:
    names = [(name, Label.GPE) for name in PLACES] + [(name, Label.DATE) for name in TIMES]
    found = [Entity(text.index(name), text.index(name) + len(name), label) for name, label in names if name in text]
    return tuple(sorted(found))


def test_entities_stand_where_the_text_says(weights):
    assert load(weights).tag(TEXTS) == [expected(text) for text in TEXTS]


def test_tagger_keeps_to_its_role(weights):
    assert testing.tagger_faults(load(weights), [*ODD_TEXTS, *TEXTS]) == []


def test_batch_size_changes_nothing(weights):
    texts = [*ODD_TEXTS, *TEXTS]
    assert load(weights, batch_size=1).tag(texts) == load(weights, batch_size=64).tag(texts)


@pytest.fixture(scope="module")
def tagger(weights):
    return load(weights)


@settings(max_examples=40)
@given(st.lists(st.text(st.sampled_from("japnwiter .,'\u00a0\t\u200b日é-"), max_size=40), max_size=4))
def test_any_text_keeps_the_tagger_to_its_role(tagger, texts):
    assert testing.tagger_faults(tagger, texts) == []


def test_labels_of_another_corpus_are_refused(bert, tmp_path):
    small_tagger(bert, {"GPE": "GPE", "DATE": "MISC"}).save(tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="not in OntoNotes: MISC"):
        load(tmp_path)


def test_weights_are_checked_against_their_digest(weights):
    digest = hashlib.sha256((weights / "pytorch_model.bin").read_bytes()).hexdigest()
    assert load(weights / "pytorch_model.bin", revision=f"sha256:{digest}").tag(TEXTS[:1]) == [expected(TEXTS[0])]
    with pytest.raises(ModelError, match=f"have sha256:{digest}, expected sha256:0000"):
        load(weights, revision=f"sha256:{'0' * 64}")


def state_of(weights: Path):
    return importlib.import_module("situatedgen.models.flair_tagger").read_state(weights / "pytorch_model.bin")


class Harmful:
    """Would make a file when it is unpickled."""

    def __init__(self, target: Path):
        self.target = target

    def __reduce__(self):
        return Path.touch, (self.target,)


def test_a_file_that_would_run_code_is_refused(weights, tmp_path):
    torch = importlib.import_module("torch")
    state = {**state_of(weights), "model_card": Harmful(tmp_path / "harm")}
    torch.save(state, tmp_path / "pytorch_model.bin", pickle_protocol=4)
    with pytest.raises(ModelError, match=r"which is not allowed"):
        load(tmp_path)
    assert not (tmp_path / "harm").exists()


def save_script(path: Path, victim: Path) -> None:
    """A TorchScript archive that overwrites a file as soon as it is loaded."""
    import torch  # noqa: PLC0415

    class Script(torch.nn.Module):
        def __init__(self, path: str):
            super().__init__()
            self.path, self.made = path, torch.zeros(1)

        @torch.jit.export
        def __getstate__(self):
            return (self.path, self.training)

        @torch.jit.export
        def __setstate__(self, state: tuple[str, bool]):
            self.path, self.training = state
            self.made = torch.from_file(self.path, shared=True, size=1).fill_(7.0)

        def forward(self, x):
            return x

    torch.jit.save(torch.jit.script(Script(str(victim))), path)


def test_torchscript_is_refused_before_it_runs(tmp_path):
    """`torch.load` would run it, and look at no name in a pickle before."""
    victim = tmp_path / "victim"
    victim.write_bytes(b"mine")
    save_script(tmp_path / "pytorch_model.bin", victim)
    with pytest.raises(ModelError, match=r"it contains code/.*, as TorchScript files do; expected a"):
        load(tmp_path)
    assert victim.read_bytes() == b"mine"


def test_a_model_with_constants_of_torchscript_is_refused(weights, tmp_path):
    """The one record by which torch tells TorchScript, put into an archive that is read otherwise."""
    path = shutil.copy(weights / "pytorch_model.bin", tmp_path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(f"{archive.namelist()[0].partition('/')[0]}/constants.pkl", b"")
    with pytest.raises(ModelError, match=r"it contains constants\.pkl, as TorchScript files do"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("settings", "refused"),
    [
        ({"trust_remote_code": True}, "trust_remote_code True"),  # code of the hub
        ({"transformers_model_kwargs": {"weights_only": False}}, "weights_only False"),  # pickles of the hub
        ({"attn_implementation": "someone/kernel"}, "attn_implementation someone/kernel"),  # kernels of the hub
        ({"__cls__": "TransformerJitWordEmbeddings"}, "__cls__ TransformerJitWordEmbeddings"),  # TorchScript inside
    ],
)
def test_a_file_whose_settings_would_run_code_is_refused(weights, tmp_path, settings, refused):
    torch = importlib.import_module("torch")
    state = state_of(weights)
    state["embeddings"] |= settings
    torch.save(state, tmp_path / "pytorch_model.bin", pickle_protocol=4)
    with pytest.raises(ModelError, match=f"it sets {refused}"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "cannot be read as a flair model"),  # a download that never began
        (b"once upon a time", "cannot be read as a flair model"),  # not a model at all
        (b"PK\x03\x04", "cannot be read as a flair model"),  # a truncated one
    ],
)
def test_what_is_no_model_file_is_said_so(tmp_path, content, reason):
    (tmp_path / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(ModelError, match=reason):
        load(tmp_path)


def test_weights_of_something_else_are_said_so(tmp_path):
    torch = importlib.import_module("torch")
    torch.save({"encoder.weight": torch.zeros(2)}, tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="is not a flair sequence tagger"):
        load(tmp_path)


def test_embeddings_pickled_whole_are_read_too(weights, bert, tmp_path):
    """Files of flair 0.8 hold the embeddings as an object, not as settings, and know no context separator."""
    torch = importlib.import_module("torch")
    embeddings = importlib.import_module("flair.embeddings")
    state = state_of(weights)
    prefix = "embeddings.model."
    inner = {name.removeprefix(prefix): value for name, value in state["state_dict"].items() if name.startswith(prefix)}
    remembered = {
        "config_state_dict": state["embeddings"]["config_state_dict"],
        "model_state_dict": inner,
        "base_model_name": str(bert),
        "name": state["embeddings"]["name"],
        "layer_indexes": [-1],
        "subtoken_pooling": "first",
        "context_length": 64,
        "is_token_embedding": True,
    }
    old = embeddings.TransformerWordEmbeddings.__new__(embeddings.TransformerWordEmbeddings)
    old.__dict__.update(remembered)
    torch.save({**state, "embeddings": old}, tmp_path / "pytorch_model.bin", pickle_protocol=4)
    assert load(tmp_path).tag(TEXTS) == [expected(text) for text in TEXTS]

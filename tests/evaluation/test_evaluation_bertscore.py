"""BERTScore on a tiny model made here: recall, rescaled, with its hash code; and what is said where it cannot run."""

from collections.abc import Sequence

import bert_score
import numpy as np
import pytest
import torch
from transformers import BertConfig, BertModel, BertTokenizerFast

from situatedgen.commongen.metrics import Reply, score_concepts
from situatedgen.evaluation import bertscore
from situatedgen.evaluation.metrics import Settings, scores
from situatedgen.evaluation.predictions import Example
from situatedgen.models.registry import load
from situatedgen.params import ModelParams
from situatedgen.runtime import Runtime

pytestmark = pytest.mark.slow

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "rome", "oslo", "is", "warm", "cold", ".")
EXAMPLES = [
    Example("a", ("Rome",), (0,), ("Rome is warm.", "Oslo is cold.")),
    Example("b", ("Oslo",), (0,), ("Oslo is cold.", "Rome is warm.")),
]
TEXTS = ["Rome is warm. Oslo is cold.", "Rome is cold."]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    folder = tmp_path_factory.mktemp("models") / "tiny-bert"
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(WORDS), encoding="utf-8")
    BertTokenizerFast(vocab_file=str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    torch.manual_seed(1)
    config = BertConfig(len(WORDS), hidden_size=8, num_hidden_layers=2, num_attention_heads=2, intermediate_size=16)
    BertModel(config).save_pretrained(folder)
    baseline = folder / "baseline.tsv"
    baseline.write_text("LAYER,P,R,F\n0,0.1,0.1,0.1\n1,0.2,0.2,0.2\n2,0.3,0.4,0.5\n", encoding="utf-8")
    return Settings(bert_model=str(folder), bert_layer=2, bert_baseline=baseline)


def model_of(settings: Settings) -> bertscore.BertModel:
    return bertscore.BertModel(settings.bert_model, settings.bert_layer, settings.bert_baseline)


def theirs(settings: Settings, references: Sequence[str]) -> list[np.ndarray]:
    """Precision, recall and F1 of bert_score itself, not rescaled."""
    options = {"model_type": settings.bert_model, "num_layers": 2, "use_fast_tokenizer": True}
    return [each.numpy() for each in bert_score.score(TEXTS, list(references), **options)]


def test_recall_is_rescaled_and_signed(settings: Settings) -> None:
    """The baseline's recall at layer 2 is 0.4, so that r becomes (r - 0.4) / 0.6."""
    score = scores(TEXTS, EXAMPLES, ["BERTScore"], settings=settings)["BERTScore"]
    _, plain, _ = theirs(settings, [each.reference for each in EXAMPLES])
    np.testing.assert_allclose(score.statistics.alone(), 100 * (plain - 0.4) / 0.6, atol=1e-3)
    assert score.statistics.alone()[0] == pytest.approx(100, abs=1e-3)
    assert f"|recall|hash:tiny-bert_L2_no-idf_version={bert_score.__version__}(hug_trans=" in score.signature
    assert "-custom-rescaled_fast-tokenizer|" in score.signature


def test_the_best_reference_counts(settings: Settings) -> None:
    """The baseline's F1 at layer 2 is 0.5, so that f becomes (f - 0.5) / 0.5."""
    known = [["Oslo is cold.", "Rome is warm. Oslo is cold."], ["Oslo is warm.", "Oslo."]]
    alone = [theirs(settings, each)[2] for each in zip(*known, strict=True)]
    np.testing.assert_allclose(
        bertscore.best(TEXTS, known, model_of(settings)), (np.max(alone, axis=0) - 0.5) / 0.5, atol=1e-5
    )


def test_paths_between_concepts_are_multiplied_by_likeness(settings: Settings) -> None:
    """Both replies have the path of their reference; the first is also like it word by word."""
    replies = [
        Reply(("rome_N", "warm_N"), "Rome is warm.", ("Rome is warm.",)),
        Reply(("oslo_N", "cold_N"), "Oslo is cold.", ("Oslo is cold. Rome is warm.",)),
    ]
    parser = load("parser", ModelParams(name="fake"), Runtime())
    found = score_concepts(replies, parser, settings)
    known = [each.references for each in replies]
    likeness = bertscore.best([each.text for each in replies], known, model_of(settings))
    assert likeness[0] == pytest.approx(1, abs=1e-4)
    assert found.values["PivotScore"] == 100
    assert found.values["PivotBERT"] == pytest.approx(100 * sum(likeness) / 2)


def test_a_model_without_a_known_layer_or_baseline_is_absent(settings: Settings) -> None:
    assert bertscore.absence(bertscore.BertModel(settings.bert_model)).endswith("set it with --bert-layer")
    assert bertscore.absence(bertscore.BertModel(settings.bert_model, 2)).endswith("set its file with --bert-baseline")


def test_a_model_out_of_reach_is_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    def _offline(name: str, *, timeout: float) -> None:
        raise ConnectionError(name)

    monkeypatch.setattr(bertscore, "model_info", _offline)
    bertscore._unavailable_reason.cache_clear()
    assert bertscore.absence(bertscore.BertModel()) == (
        "cannot download roberta-large from the hub (ConnectionError); use a local folder with --bert-model"
    )
    bertscore._unavailable_reason.cache_clear()


def test_the_default_is_the_papers_setting() -> None:
    code = bertscore.hash_code(bertscore.BertModel())
    assert code.startswith("roberta-large_L17_no-idf_version=")
    assert code.endswith("-rescaled_fast-tokenizer")

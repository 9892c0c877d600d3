"""The metrics, each declared once: how to compute it, what it requires, and the signature of its scores."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from situatedgen import extras
from situatedgen.errors import PredictionError, unknown
from situatedgen.evaluation import java, ngrams, tokenizer
from situatedgen.evaluation.keywords import Grouping, groupings
from situatedgen.evaluation.predictions import Example
from situatedgen.formatting import format_count
from situatedgen.models.lemmas import Lemmatiser
from situatedgen.models.lemmas import signature as lemma_signature
from situatedgen.resampling import Statistics, mean

if TYPE_CHECKING:
    from situatedgen.evaluation.bertscore import BertModel

TOKENISER = "tokens:ptb-3.4.1"


@dataclass(frozen=True)
class Settings:
    """Options of the metrics: stemming in ROUGE-2, and the model of BERTScore (by default the paper's)."""

    stemmed: bool = False
    bert_model: str = "roberta-large"
    bert_layer: int | None = None
    bert_baseline: Path | None = None


@dataclass(frozen=True)
class Material:
    """Predictions and references in the forms that the metrics need, each computed once."""

    texts: tuple[str, ...]
    examples: tuple[Example, ...]
    settings: Settings = field(default_factory=Settings)
    lemmatiser: Lemmatiser = field(default_factory=Lemmatiser)

    @cached_property
    def groupings(self) -> list[Grouping]:
        """Which keywords each prediction contains, and in which sentence."""
        return groupings(self.examples, self.texts, self.lemmatiser)

    @cached_property
    def references(self) -> tuple[str, ...]:
        """The reference of each example."""
        return tuple(example.reference for example in self.examples)

    @cached_property
    def captions(self) -> tuple[list[str], list[str]]:
        """Predictions and references, tokenised for the caption metrics."""
        return tokenizer.captions(self.texts), tokenizer.captions(self.references)


@dataclass(frozen=True)
class Metric:
    """A metric: name, meaning, measure, signature, the sets it belongs to, and why it cannot run here (empty: it can).

    The sets are `fast`, which runs by default, and `paper`, the metrics of the paper's table.
    """

    name: str
    meaning: str
    measure: Callable[[Material], Statistics]
    signature: Callable[[Settings], str]
    sets: tuple[str, ...] = ()
    absence: Callable[[Settings], str] = lambda _: ""


@dataclass(frozen=True, eq=False)
class Score:
    """The score of a metric out of 100, with its signature and per-example statistics."""

    metric: str
    value: float
    signature: str
    statistics: Statistics


@dataclass(frozen=True)
class Absent:
    """A metric that cannot run here, and why."""

    metric: str
    reason: str


@dataclass(frozen=True)
class Scores:
    """The scores of one system by metric, and the metrics that could not run."""

    found: dict[str, Score]
    absent: tuple[Absent, ...] = ()

    def __getitem__(self, metric: str) -> Score:
        """The score of a metric."""
        return self.found[metric]


def _bert_model(settings: Settings) -> "BertModel":
    # Imports torch and transformers, which no other metric needs.
    from situatedgen.evaluation.bertscore import BertModel  # noqa: PLC0415

    return BertModel(settings.bert_model, settings.bert_layer, settings.bert_baseline)


def _bert_absence(settings: Settings) -> str:
    if reason := extras.absence("bert_score", extra="scores", purpose="it"):
        return reason
    from situatedgen.evaluation.bertscore import absence  # noqa: PLC0415

    return absence(_bert_model(settings))


def _bert_signature(settings: Settings) -> str:
    from situatedgen.evaluation.bertscore import hash_code  # noqa: PLC0415

    return f"recall|hash:{hash_code(_bert_model(settings))}"


def _bert_recall(given: Material) -> Statistics:
    from situatedgen.evaluation.bertscore import recall  # noqa: PLC0415

    return recall(given.texts, given.references, _bert_model(given.settings))


def _java_signature(_: Settings) -> str:
    return f"{TOKENISER}|pycocoevalcap:{java.package_version()}|java:{java.java_version()}"


METRICS = {
    metric.name: metric
    for metric in (
        Metric(
            "COVERAGE",
            "share of the keywords that occur in the output",
            lambda given: mean([each.coverage for each in given.groupings], scale=ngrams.POINTS),
            lambda _: f"lemmas:{lemma_signature()}",
            sets=("fast", "paper"),
        ),
        Metric(
            "MATCH",
            "share of the keywords that are in the right sentence",
            lambda given: mean([each.match for each in given.groupings], scale=ngrams.POINTS),
            lambda _: f"sentences:punkt/nltk-{version('nltk')}|lemmas:{lemma_signature()}",
            sets=("fast", "paper"),
        ),
        Metric(
            "BLEU-4",
            "n-gram precision of the output against the reference",
            lambda given: ngrams.bleu(*given.captions),
            lambda _: f"{TOKENISER}|equal-to:pycocoevalcap-1.2",
            sets=("fast", "paper"),
        ),
        Metric(
            "ROUGE-2",
            "bigrams shared by output and reference",
            lambda given: ngrams.rouge_2(given.texts, given.references, stemmed=given.settings.stemmed),
            lambda chosen: f"f-measure|stemmer:{'porter' if chosen.stemmed else 'no'}|equal-to:rouge-score-0.1.2",
            sets=("fast", "paper"),
        ),
        Metric(
            "METEOR",
            "words, stems, synonyms and paraphrases shared by output and reference",
            lambda given: java.meteor(*given.captions),
            lambda chosen: f"meteor:1.5|{_java_signature(chosen)}",
            sets=("paper",),
            absence=lambda _: java.meteor_absence(),
        ),
        Metric(
            "CIDEr",
            "n-grams shared by output and reference, weighted by rarity",
            lambda given: ngrams.cider(*given.captions),
            lambda _: f"{TOKENISER}|cider-d|n:4|sigma:6|out-of:100|equal-to:pycocoevalcap-1.2",
            sets=("fast", "paper"),
        ),
        Metric(
            "SPICE",
            "objects, attributes and relations shared by output and reference",
            lambda given: java.spice(*given.captions),
            lambda chosen: f"spice:1.0|{_java_signature(chosen)}",
            sets=("paper",),
            absence=lambda _: java.spice_absence(),
        ),
        Metric(
            "BERTScore",
            "similarity of the contextual embeddings of output and reference",
            _bert_recall,
            _bert_signature,
            sets=("paper",),
            absence=_bert_absence,
        ),
    )
}
SETS = {
    chosen: tuple(metric.name for metric in METRICS.values() if chosen in metric.sets) for chosen in ("fast", "paper")
}
FAST = SETS["fast"]


def scores(
    predictions: Sequence[str],
    examples: Sequence[Example],
    metrics: Iterable[str] = FAST,
    *,
    settings: Settings = Settings(),  # noqa: B008 (frozen)
    lemmatiser: Lemmatiser | None = None,
) -> Scores:
    """Score predictions, given in the order of the examples.

    Raises:
        PredictionError: the numbers of predictions and examples differ or are zero.
        SettingsError: a metric is unknown.
    """
    if len(predictions) != len(examples) or not examples:
        raise PredictionError(
            f"{format_count(len(predictions), 'prediction')} for {format_count(len(examples), 'example')}"
        )
    chosen = [metric(name) for name in metrics]
    given = Material(tuple(predictions), tuple(examples), settings, lemmatiser or Lemmatiser())
    absent = {each.name: reason for each in chosen if (reason := each.absence(settings))}
    found = {each.name: _score(each, given) for each in chosen if each.name not in absent}
    return Scores(found, tuple(Absent(name, reason) for name, reason in absent.items()))


def metric(name: str) -> Metric:
    """Look up a metric by name, ignoring case.

    Raises:
        SettingsError: there is no such metric.
    """
    names = {known.lower(): known for known in METRICS}
    if name.lower() not in names:
        raise unknown("metric", name.upper(), METRICS)
    return METRICS[names[name.lower()]]


def chosen_metrics(names: Sequence[str]) -> tuple[str, ...]:
    """Resolve names of metrics and of sets (`fast`, `paper`) to metrics, in the order of `METRICS`.

    Raises:
        SettingsError: a name is unknown.
    """
    asked = {found for name in names for found in SETS.get(name.lower()) or (metric(name).name,)}
    return tuple(name for name in METRICS if name in asked)


def _score(metric: Metric, given: Material) -> Score:
    statistics = metric.measure(given)
    signature = f"{metric.name}|{metric.signature(given.settings)}|situatedgen:{version('situatedgen')}"
    return Score(metric.name, statistics.score(), signature, statistics)

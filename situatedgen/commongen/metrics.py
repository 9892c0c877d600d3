"""Metrics for concept sets: concept coverage, dependency paths between concepts, and multi-reference n-grams."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path as FilePath

from situatedgen.commongen.examples import Example
from situatedgen.errors import PredictionError
from situatedgen.evaluation import references, tokenizer
from situatedgen.evaluation.metrics import METRICS, Settings
from situatedgen.models.roles import Parser
from situatedgen.records import Token
from situatedgen.resampling import Statistics, mean

NOUNS, VERBS = frozenset({"NOUN", "PROPN"}), frozenset({"VERB", "AUX"})
PARTS = {"N": NOUNS, "V": VERBS}
OTHER = "*"
"""Placeholder on a path for a word that is not a concept: agents and places may differ."""

Parse = Sequence[Token]
Path = tuple[str, ...]


def places(concept: str, text: str, parse: Parse, *, by_part: bool) -> list[int]:
    """Tokens of a sentence that match a concept (`pick_V`) by lemma or surface form; `by_part` also checks the tag."""
    word, _, part = concept.rpartition("_")
    return [
        number
        for number, token in enumerate(parse)
        if word in (token.lemma, text[token.start : token.end].lower())
        and (not by_part or token.part in PARTS.get(part, NOUNS | VERBS))
    ]


def coverage(concepts: Sequence[str], text: str, parse: Parse, *, by_part: bool) -> float:
    """Share of the concepts that a sentence contains: LemCov, or PosCov with `by_part`."""
    found = [bool(places(concept, text, parse, by_part=by_part)) for concept in concepts]
    return sum(found) / len(found) if found else 0.0


def pivots(concepts: Sequence[str], text: str, parse: Parse) -> frozenset[Path]:
    """The shortest dependency path between every two concepts of a sentence.

    A path starts at the alphabetically first concept, goes up (`<nsubj`) and down (`>dobj`), and names the concepts on
    it: `apple_N <dobj pick_V >prep * >pobj tree_N`. If a concept occurs several times, every occurrence counts.
    """
    where = {concept: places(concept, text, parse, by_part=False) for concept in concepts}
    named = {number: concept for concept, numbers in where.items() for number in numbers}
    return frozenset(
        (left, *_path(start, end, parse, named), right)
        for left, right in combinations(sorted(where), 2)
        for start in where[left]
        for end in where[right]
        if start != end
    )


def recall(predicted: frozenset[Path], known: Sequence[frozenset[Path]]) -> float:
    """Share of a reference's paths that the prediction has, for the best reference."""
    return max((len(predicted & paths) / len(paths) for paths in known if paths), default=0.0)


def _path(start: int, end: int, parse: Parse, named: dict[int, str]) -> Iterator[str]:
    """Steps between two words via their lowest common ancestor; words of different sentences are not connected."""
    up, down = _ancestors(start, parse), _ancestors(end, parse)
    shared = next((number for number in up if number in down), None)
    if shared is None:
        yield OTHER
        return
    rising, falling = up[: up.index(shared)], down[: down.index(shared)]
    for number in rising:
        yield f"<{parse[number].role}"
        if parse[number].head != end:
            yield named.get(parse[number].head, OTHER)
    for number in reversed(falling):
        yield f">{parse[number].role}"
        if number != end:
            yield named.get(number, OTHER)


def _ancestors(number: int, parse: Parse) -> list[int]:
    """A word and its ancestors, up to the root."""
    found = [number]
    while parse[found[-1]].head not in found:
        found.append(parse[found[-1]].head)
    return found


@dataclass(frozen=True, slots=True)
class ConceptScores:
    """The score of each metric, out of 100, and why others could not run."""

    replies: int
    values: Mapping[str, float]
    absent: Mapping[str, str]


BERT = "BERTScore"


@dataclass(frozen=True, slots=True)
class Reply:
    """A text written for a concept set, and its references."""

    concepts: tuple[str, ...]
    text: str
    references: tuple[str, ...]


@dataclass(frozen=True)
class Material:
    """Replies in the forms that the metrics need, each computed once; `parses` covers every text."""

    replies: tuple[Reply, ...]
    parses: Mapping[str, Parse]
    settings: Settings

    @cached_property
    def captions(self) -> tuple[list[str], list[list[str]]]:
        """Texts and references, tokenised for the caption metrics."""
        known = {text: None for reply in self.replies for text in (reply.text, *reply.references)}
        seen = dict(zip(known, tokenizer.captions(list(known)), strict=True))
        return [seen[each.text] for each in self.replies], [
            [seen[one] for one in each.references] for each in self.replies
        ]

    def coverage_of(self, *, by_part: bool) -> Statistics:
        """Concept coverage of each text."""
        found = (coverage(each.concepts, each.text, self.parses[each.text], by_part=by_part) for each in self.replies)
        return mean(list(found), scale=100)

    @cached_property
    def path_recalls(self) -> list[float]:
        """Path recall of each text."""
        return [
            recall(self._paths(each, each.text), [self._paths(each, text) for text in each.references])
            for each in self.replies
        ]

    def _paths(self, reply: Reply, text: str) -> frozenset[Path]:
        return pivots(reply.concepts, text, self.parses[text])


@dataclass(frozen=True, slots=True)
class ConceptMetric:
    """A metric: its name, its function, and why it cannot run here (empty if it can)."""

    name: str
    measure: Callable[[Material], Statistics]
    absence: Callable[[Settings], str] = lambda _: ""


def _pivot_bert(given: Material) -> Statistics:
    """Path recall times the BERTScore (F1) of the best reference."""
    # Imported here because it loads torch and transformers, which no other metric needs.
    from situatedgen.evaluation.bertscore import BertModel, best  # noqa: PLC0415

    chosen = given.settings
    model = BertModel(chosen.bert_model, chosen.bert_layer, chosen.bert_baseline)
    likeness = best([each.text for each in given.replies], [each.references for each in given.replies], model)
    return mean([one * two for one, two in zip(given.path_recalls, likeness, strict=True)], scale=100)


CONCEPT_METRICS = {
    metric.name: metric
    for metric in (
        ConceptMetric(
            "ROUGE-2",
            lambda given: references.rouge_2(
                [each.text for each in given.replies], [each.references for each in given.replies]
            ),
        ),
        ConceptMetric("ROUGE-L", lambda given: references.rouge_l(*given.captions)),
        ConceptMetric("BLEU-3", lambda given: references.bleu(*given.captions, longest=3)),
        ConceptMetric("BLEU-4", lambda given: references.bleu(*given.captions, longest=4)),
        ConceptMetric("CIDEr", lambda given: references.cider(*given.captions)),
        ConceptMetric("PosCov", lambda given: given.coverage_of(by_part=True)),
        ConceptMetric("LemCov", lambda given: given.coverage_of(by_part=False)),
        ConceptMetric("PivotScore", lambda given: mean(given.path_recalls, scale=100)),
        ConceptMetric("PivotBERT", _pivot_bert, METRICS[BERT].absence),
    )
}


def score_concepts(replies: Sequence[Reply], parser: Parser, settings: Settings | None = None) -> ConceptScores:
    """Score replies with every metric that can run.

    Raises:
        PredictionError: there are no replies, or one has no references.
    """
    if not replies or any(not reply.references for reply in replies):
        raise PredictionError(f"expected one or more replies, each with references; found {len(replies):,}")
    texts = sorted({text for reply in replies for text in (reply.text, *reply.references)})
    given = Material(tuple(replies), dict(zip(texts, parser.parse(texts), strict=True)), settings or Settings())
    absent = {name: why for name, metric in CONCEPT_METRICS.items() if (why := metric.absence(given.settings))}
    values = {name: metric.measure(given).score() for name, metric in CONCEPT_METRICS.items() if name not in absent}
    return ConceptScores(len(replies), values, absent)


def human_bound(examples: Sequence[Example]) -> list[Reply]:
    """Each sentence of an example as a reply, with the others as references (section 5.1)."""
    return [
        Reply(example.concepts, scene, (*example.scenes[:place], *example.scenes[place + 1 :]))
        for example in examples
        if len(example.scenes) > 1
        for place, scene in enumerate(example.scenes)
    ]


def replies_of(path: FilePath, examples: Sequence[Example]) -> list[Reply]:
    """Read a file with one reply per line, in the order of the examples.

    Raises:
        PredictionError: the number of lines differs from that of the examples, or a line is blank.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    if len(lines) != len(examples):
        raise PredictionError(f"{path}: expected a line for each of {len(examples):,} sets, found {len(lines):,}")
    blank = next((number for number, line in enumerate(lines, start=1) if not line.strip()), None)
    if blank:
        raise PredictionError(f"{path}, line {blank}: expected a sentence, found none")
    return [Reply(each.concepts, line.strip(), each.scenes) for line, each in zip(lines, examples, strict=True)]

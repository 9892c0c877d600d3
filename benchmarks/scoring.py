"""The metrics beside the standard ones: equal numbers, and the time they take.

`python -m benchmarks.scoring [--dataset OUT]` takes the shipped sample or a dataset, scores 1,220 predictions, and
compares 500 sentence pairs with pycocoevalcap and rouge-score. Needs Java, as they do.
"""

import argparse
import json
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from pycocoevalcap.bleu.bleu import Bleu
from pycocoevalcap.cider.cider import Cider
from pycocoevalcap.meteor.meteor import Meteor
from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer
from rouge_score.rouge_scorer import RougeScorer

from situatedgen.evaluation.metrics import FAST, scores
from situatedgen.evaluation.predictions import Example, examples_of
from situatedgen.models.lemmas import Lemmatiser
from situatedgen.presets import load
from situatedgen.runtime import Runtime
from situatedgen.sources import sample_folder
from storage.plain import build_dataset
from storage.requests import BuildRequest
from storage.store import Store

PREDICTIONS = 1220
PAIRS = 500
SEED = 7

Captions = dict[int, list[str]]


def main() -> None:
    """Print how far the numbers are apart, and the ratio of the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dataset", type=Path, help="a dataset folder, or a JSONL file of released examples")
    examples = _examples(parser.parse_args().dataset)
    texts = _predictions(examples)
    print(f"{len(examples):,} examples, {len({each.reference for each in examples}):,} distinct references")
    _compare(examples[:PAIRS], texts[:PAIRS])
    _race(examples, texts)


def _examples(source: Path | None) -> list[Example]:
    if source is None:
        with TemporaryDirectory() as folder:
            return _examples(_sample(Path(folder)))
    found = list(_released(source)) if source.is_file() else list(examples_of(source))
    chance = random.Random(SEED)
    chance.shuffle(found)
    return (found * (PREDICTIONS // len(found) + 1))[:PREDICTIONS]


def _sample(folder: Path) -> Path:
    """The shipped sample as a dataset, made without weights."""
    order = BuildRequest(load("tiny", ()), sample_folder())
    build_dataset(order, store=Store(folder / "store"), out=folder / "dataset", runtime=Runtime())
    return folder / "dataset"


def _released(path: Path) -> Iterator[Example]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        first, second = row["statements"]
        yield Example("|".join(row["ids"]), tuple(row["keywords"]), tuple(row["keywords_pos"]), (first, second))


def _predictions(examples: Sequence[Example]) -> list[str]:
    """Texts that are right, turned about, half right, of another example, or keywords alone."""
    chance = random.Random(SEED)
    return [
        chance.choice(
            (
                example.reference,
                " ".join(reversed(example.statements)),
                f"{example.statements[0]} {chance.choice(examples).statements[1]}",
                chance.choice(examples).reference,
                ", ".join(example.keywords) + ".",
            )
        )
        for example in examples
    ]


def _compare(examples: Sequence[Example], texts: Sequence[str]) -> None:
    ours = scores(texts, examples, ("BLEU-4", "ROUGE-2", "METEOR", "CIDEr"))
    gold, answers = _tokenised([each.reference for each in examples]), _tokenised(texts)
    bleu, bleus = Bleu(4).compute_score(gold, answers, verbose=0)
    cider, ciders = Cider().compute_score(gold, answers)
    meteor, meteors = Meteor().compute_score(gold, answers)
    scorer = RougeScorer(["rouge2"])
    rouges = [scorer.score(each.reference, text)["rouge2"].fmeasure for each, text in zip(examples, texts, strict=True)]
    standard = {
        "BLEU-4": (100 * bleu[3], 100 * np.array(bleus[3])),
        "ROUGE-2": (100 * float(np.mean(rouges)), 100 * np.array(rouges)),
        "METEOR": (100 * meteor, 100 * np.array(meteors)),
        "CIDEr": (10 * cider, 10 * ciders),
    }
    for name, (score, alone) in standard.items():
        furthest = np.abs(ours[name].statistics.alone() - alone).max()
        print(f"{name:8} standard {score:.6f}, ours {ours[name].value:.6f}; one pair at most {furthest:.1e} apart")


def _tokenised(texts: Sequence[str]) -> Captions:
    found: Captions = PTBTokenizer().tokenize({number: [{"caption": text}] for number, text in enumerate(texts)})
    return found


def _race(examples: Sequence[Example], texts: Sequence[str]) -> None:
    gold, answers = _tokenised([each.reference for each in examples]), _tokenised(texts)
    # The lemmatiser's weights are loaded before, as METEOR's jar and tables are not: that is told apart.
    loading = _cost(lambda: Lemmatiser().learn(["Rome is warm."]))
    fast = _cost(lambda: scores(texts, examples, FAST))
    slow = _cost(lambda: Meteor().compute_score(gold, answers))
    print(f"to load spaCy {loading}; {', '.join(FAST)} {fast}; METEOR by pycocoevalcap {slow}")
    print(f"ratio {fast.seconds / slow.seconds:.2f} (at most 0.33), of processor time {fast.cpu / slow.cpu:.2f}")


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock, and of the processors, of this process and of those it started and waited for."""

    seconds: float
    cpu: float

    def __str__(self) -> str:
        return f"{self.seconds:.2f} s ({self.cpu:.2f} s of processors)"


def _cost(work: Callable[[], object]) -> Cost:
    start, before = time.perf_counter(), sum(os.times()[:4])
    work()
    return Cost(time.perf_counter() - start, sum(os.times()[:4]) - before)


if __name__ == "__main__":
    main()

"""Fits the weights of subject ends on statements that are inverted: `python -m benchmarks.fit_inversion DATA OUT`."""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from spacy.tokens import Doc, Token

from situatedgen.conversion.inversion import as_sentence, declaratives, layout
from situatedgen.conversion.morphology import AUXILIARIES, Auxiliary, AuxiliaryKind, base_form
from situatedgen.conversion.scoring import features, subject_of
from situatedgen.models.spacy_models import parse
from situatedgen.seeds import generator

HEADER = """\
# Log-odds of what is seen in the parse of a declarative: the true end of its subject against the others.
# Fitted by benchmarks/fit_inversion.py on claims of CREAK and facts of StrategyQA that were inverted.
"""
DO = {"VBZ": "does", "VBD": "did", "VBP": "do"}
MODALS = ("would", "could", "can", "will", "should")
BE = frozenset({"is", "are", "was", "were"})
FEWEST, FEWEST_WORDS, SMALLEST = 25, 60, 0.1
PENALTY, STEPS, RATE = 1.5, 1500, 0.05


@dataclass(frozen=True, slots=True)
class Inverted:
    """A clause with its auxiliary in front, and how long its true subject is."""

    clause: str
    subject_length: int


@dataclass(frozen=True, slots=True)
class Lesson:
    """What is seen of each plausible end of a subject, and which of them is true."""

    kind: str
    seen: tuple[frozenset[str], ...]
    true: int


def statements(folder: Path) -> list[str]:
    """The claims and facts of two sources, as sentences of 5 to 25 words, in an order of their own."""
    claims = [
        json.loads(line)["sentence"]
        for name in ("train", "dev")
        for line in (folder / "creak" / f"{name}.json").read_text("utf-8").splitlines()
    ]
    questions = json.loads((folder / "strategyqa" / "strategyqa_train.json").read_text("utf-8"))
    facts = [" ".join(fact.split()) for question in questions for fact in question["facts"]]
    found = sorted({as_sentence(text) for text in claims + facts if 4 < len(text.split()) < 26})
    generator(0, "statements").shuffle(found)
    return found


def inverted(doc: Doc) -> Inverted | None:
    """A statement that begins with its subject as an inverted clause."""
    root = next(token for token in doc if token.dep_ == "ROOT")
    subject = subject_of(root)
    if subject is None or subject.left_edge.i != 0 or any(child.dep_ == "neg" for child in root.children):
        return None
    helpers = [child for child in root.lefts if child.dep_ in {"aux", "auxpass"}]
    finite = helpers[0] if helpers else root
    moved = AUXILIARIES.get(finite.lower_)
    if moved is None or (not helpers and moved.kind in {AuxiliaryKind.HAVE, AuxiliaryKind.DO}):
        return _with_support(doc, subject, finite)
    return _moved(doc, subject, finite, moved) if finite.i > subject.i else None


def lessons(clauses: Sequence[Inverted]) -> list[Lesson]:
    """What the parses of all plausible declaratives show, where one of them has the true subject."""
    found = [declaratives(clause) for clause in _parses([entry.clause for entry in clauses])]
    texts = list(dict.fromkeys(as_sentence(one.text) for several in found for one in several))
    docs = dict(zip(texts, _parses(texts), strict=True))
    taught: list[Lesson] = []
    for entry, several in zip(clauses, found, strict=True):
        true = [place for place, one in enumerate(several) if one.subject.end == entry.subject_length]
        if true and len(several) > 1:
            seen = tuple(frozenset(features(docs[as_sentence(one.text)], layout(one))) for one in several)
            kind = "be" if several[0].auxiliary.kind is AuxiliaryKind.BE else "verb"
            taught.append(Lesson(kind, seen, true[0]))
    return taught


def fitted(taught: Sequence[Lesson]) -> dict[str, float]:
    """The weights that make the true ends likeliest, small ones preferred."""
    counts = Counter(name for lesson in taught for seen in lesson.seen for name in seen)
    names = sorted(name for name, count in counts.items() if count >= _fewest(name))
    rows, owner, true = _matrix(taught, {name: column for column, name in enumerate(names)})
    weights = _ascended(rows, owner, true)
    return {name: round(float(weight), 2) for name, weight in zip(names, weights, strict=True)}


def hits(taught: Sequence[Lesson], weights: dict[str, float]) -> float:
    """The share of lessons whose true end scores highest."""
    scores = [[sum(weights.get(name, 0.0) for name in seen) for seen in lesson.seen] for lesson in taught]
    right = sum(max(row) == row[lesson.true] for lesson, row in zip(taught, scores, strict=True))
    return right / len(taught)


def main() -> None:
    """Fit on four fifths, say how often the rest is right, fit on all and write the weights."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="the folder of the sources")
    parser.add_argument("out", type=Path, help="where the weights go")
    parser.add_argument("--most", type=int, default=15_000, help="at most this many statements")
    given = parser.parse_args()
    clauses = [clause for doc in _parses(statements(given.data)[: given.most]) if (clause := inverted(doc))]
    taught, text = lessons(clauses), HEADER
    for kind in ("be", "verb"):
        own = [lesson for lesson in taught if lesson.kind == kind]
        cut = len(own) * 4 // 5
        print(f"{kind}: {len(own)} clauses, held back {hits(own[cut:], fitted(own[:cut])):.3f}")
        text += _table(kind, fitted(own))
    given.out.write_text(text, "utf-8")


def _parses(texts: Sequence[str]) -> list[Doc]:
    return list(parse(texts, disable=("ner",)))


def _with_support(doc: Doc, subject: Token, finite: Token) -> Inverted | None:
    end = _subject_end(doc, finite)
    if finite.tag_ not in DO or subject.right_edge.i != end - 1:
        return None
    chance = generator(0, doc.text)
    form = chance.choice(MODALS) if chance.random() < 0.5 else DO[finite.tag_]
    lead = _lowered(doc, end)
    rest = f"{doc[end : finite.i].text} {base_form(finite.lower_, finite.tag_)} {_tail(doc, finite)}"
    return Inverted(" ".join(f"{form} {lead} {rest}".split()), len(lead))


def _moved(doc: Doc, subject: Token, finite: Token, moved: Auxiliary) -> Inverted | None:
    end = _subject_end(doc, finite)
    doubtful = moved.kind is AuxiliaryKind.BE and sum(token.lower_ in BE for token in doc) > 1
    if doubtful and subject.right_edge.i != finite.i - 1:
        return None
    lead = _lowered(doc, end)
    rest = f"{doc[end : finite.i].text} {_tail(doc, finite)}"
    return Inverted(" ".join(f"{moved.form} {lead} {rest}".split()), len(lead))


def _subject_end(doc: Doc, finite: Token) -> int:
    end = finite.i
    while end > 1 and doc[end - 1].tag_ == "RB":
        end -= 1
    return int(end)


def _lowered(doc: Doc, end: int) -> str:
    text, first = " ".join(doc[:end].text.split()), doc[0]
    named = first.pos_ == "PROPN" or first.text == "I" or (len(first) > 1 and first.is_upper)
    return text if named else text[0].lower() + text[1:]


def _tail(doc: Doc, finite: Token) -> str:
    return str(doc[finite.i + 1 :].text).rstrip(" .!")


def _fewest(name: str) -> int:
    return FEWEST_WORDS if name.startswith("next word") else FEWEST


def _matrix(
    taught: Sequence[Lesson], columns: dict[str, int]
) -> tuple[NDArray[np.float64], NDArray[np.intp], NDArray[np.intp]]:
    ends = [(number, seen) for number, lesson in enumerate(taught) for seen in lesson.seen]
    rows = np.zeros((len(ends), len(columns)))
    for row, (_, seen) in zip(rows, ends, strict=True):
        row[[columns[name] for name in sorted(seen) if name in columns]] = 1.0
    starts = np.cumsum([0, *(len(lesson.seen) for lesson in taught)])[:-1]
    true = starts + np.array([lesson.true for lesson in taught])
    return rows, np.array([number for number, _ in ends]), true


def _ascended(rows: NDArray[np.float64], owner: NDArray[np.intp], true: NDArray[np.intp]) -> NDArray[np.float64]:
    """Gradient ascent with Adam's step sizes on the penalised log-likelihood of the true ends."""
    weights, first, second = (np.zeros(rows.shape[1]) for _ in range(3))
    target = rows[true].sum(axis=0)
    for step in range(1, STEPS + 1):
        scores = np.exp(np.clip(rows @ weights, -30, 30))
        share = scores / np.bincount(owner, scores)[owner]
        slope = target - rows.T @ share - PENALTY * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        scaled = first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
        weights = weights + RATE * (1 - step / STEPS) * scaled
    return weights


def _table(kind: str, weights: dict[str, float]) -> str:
    kept: Iterable[tuple[str, float]] = ((n, w) for n, w in weights.items() if abs(w) >= SMALLEST)
    return f"\n[{kind}]\n" + "".join(f"{json.dumps(name, ensure_ascii=False)} = {w}\n" for name, w in kept)


if __name__ == "__main__":
    main()

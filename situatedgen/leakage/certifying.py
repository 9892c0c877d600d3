"""Certifies one dealing of a sheet: which example goes to which split, and how near each sentence is to train."""

import numpy as np
from numpy.typing import NDArray

from situatedgen.leakage.certificate import (
    BINS,
    CLOSE,
    LOWEST,
    NEAR,
    WIDTH,
    Balance,
    Certificate,
    Hubs,
    Nearness,
    SplitLeakage,
)
from situatedgen.leakage.novelty import distinct, novelty
from situatedgen.leakage.rounding import ratio, told
from situatedgen.leakage.sheets import NUMBER, OUT, TRAIN, Numbers, Sheet
from situatedgen.vocabulary import Split

Cosines = NDArray[np.float32]
HELD_BACK = (Split.DEV, Split.TEST)
TOP = 10
"""One in so many statements is a hub."""


def certificate(
    sheet: Sheet, splits: Numbers, near: Cosines, *, shares: tuple[float, float, float], shared_templates: int = 0
) -> Certificate:
    """The certificate of a dealing: the split of each example, and each sentence's cosine with its nearest in train."""
    dealt = splits != OUT
    return Certificate(
        examples=int(dealt.sum()),
        shared_templates=shared_templates,
        splits=tuple(split_leakage(sheet, splits, near, split) for split in HELD_BACK),
        hubs=hubs(sheet, dealt),
        balance=balance(sheet, splits, shares),
    )


def split_leakage(sheet: Sheet, splits: Numbers, near: Cosines, split: Split) -> SplitLeakage:
    """How far one split is from train."""
    own = splits == NUMBER[split]
    left, right = sheet.left[own], sheet.right[own]
    sentences = distinct(np.concatenate([left, right]))
    return SplitLeakage(
        split=split,
        sentences=nearness(near[sentences]),
        pairs=nearness((near[left].astype(np.float64) + near[right]) / 2),
        novelty=tuple(novelty(words, own, splits == TRAIN) for words in sheet.words),
    )


def nearness(cosines: NDArray[np.floating]) -> Nearness:
    """What is told of some cosines with the nearest in train."""
    if not len(cosines):
        return Nearness(0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, (0.0,) * BINS)
    values = cosines.astype(np.float64)
    median, p90, p99 = (told(value) for value in np.quantile(values, (0.5, 0.9, 0.99)))
    return Nearness(
        count=len(values),
        mean=told(values.mean()),
        median=median,
        p90=p90,
        p99=p99,
        maximum=told(values.max()),
        near_share=ratio(int((values >= NEAR).sum()), len(values)),
        close_share=ratio(int((values >= CLOSE).sum()), len(values)),
        histogram=_histogram(values),
    )


def _histogram(values: NDArray[np.float64]) -> tuple[float, ...]:
    """The share of values in each bin; what is below the first counts there."""
    places = np.floor((values - LOWEST) / WIDTH + 1e-9).astype(np.int64).clip(0, BINS - 1)
    return tuple(ratio(int(count), len(values)) for count in np.bincount(places, minlength=BINS))


def hubs(sheet: Sheet, dealt: NDArray[np.bool_]) -> Hubs:
    """How the slots of the examples that are dealt spread over statements."""
    slots = np.bincount(np.concatenate([sheet.left[dealt], sheet.right[dealt]]), minlength=len(sheet.names))
    used = np.sort(slots[slots > 0])[::-1]
    top = -(-len(used) // TOP)
    total = int(used.sum())
    return Hubs(
        statements=len(used),
        slots=total,
        top_statements=top,
        top_share=ratio(int(used[:top].sum()), total),
        busiest_share=ratio(int(used.max(initial=0)), int(dealt.sum())),
    )


def balance(sheet: Sheet, splits: Numbers, shares: tuple[float, float, float]) -> Balance:
    """How well a dealing met the shares of train, dev and test, and kept the mix of sources and contexts."""
    counts = np.array([int((splits == number).sum()) for number in NUMBER.values()])
    off = np.abs(counts / max(counts.sum(), 1) - np.array(shares)).sum() / 2
    both = np.concatenate([sheet.sources[sheet.left], sheet.sources[sheet.right]])
    return Balance(
        size=told(off if counts.sum() else 0.0),
        source=_distance(np.concatenate([splits, splits]), both),
        context=_distance(splits, sheet.contexts),
    )


def _distance(splits: Numbers, kinds: Numbers) -> float:
    """How far the mix of kinds of a split is from that of all, on average over the splits that have any."""
    width = int(kinds.max(initial=-1)) + 1
    mixes = [np.bincount(kinds[splits == number], minlength=width) for number in NUMBER.values()]
    every = np.sum(mixes, axis=0) / max(int(np.sum(mixes)), 1)
    distances = [np.abs(mix / mix.sum() - every).sum() / 2 for mix in mixes if mix.sum()]
    return told(np.mean(distances)) if distances else 0.0

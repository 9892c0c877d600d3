"""What 1 M, 17 M and 100 M sentences cost by measured rates: the tables of docs/scale.md.

    python -m benchmarks.scale_estimate

Each number below was measured, and docs/scale.md says by what. A worker is one core; `spread` work divides by the
number of workers, the rest is done by one process.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.scale_corpus import CONCENTRATION, CONTEXTS, DISCOUNT
from benchmarks.vectors import WIDTH
from situatedgen.vocabulary import Context

SENTENCES, WORKERS = (1_000_000, 17_000_000, 100_000_000), (1, 8, 64)
# Of the real sources' sentences: the share that names a place or a time, and the share that is compared.
SITUATED, COMPARED = 4_408 / 31_833, 3_646 / 31_833
# Examples of a pair, when whole communities are dealt.
EXAMPLES_EACH = 17_504 / 23_553
# Pairs of a statement in the real sources, and of all that would be found with as many more of the same kind.
PAIRS_EACH, PAIRS_OF_SQUARE = 23_553 / 3_646, 23_553 / 3_646**2
# Texts a second of a core.
TAGGED, NOUNS_FOUND, ENCODED = 595.0, 967.0, 134.0
# Operations a second of a core, and how much longer the search takes than its products.
FLOPS, SEARCH_RATIO = 50e9, 1.1
# Seconds of a core for a sentence in `masks`, for a pair from `pairs` to `splits`, for an example and its folder.
MASKING, PAIRING, TELLING = 20e-6, 43e-6, 117e-6
# Share of the products that an inverted file makes which finds 99 % of the pairs.
INDEX_PRODUCTS = 0.13
# Bytes of memory for a text in the search and for an example; bytes on disk for a sentence, a text, a pair, an example.
MEMORY_TEXT, MEMORY_EXAMPLE = 4_300, 3_200
STORED_SENTENCE, STORED_TEXT, STORED_PAIR, STORED_EXAMPLE = 148, 2_882, 23, 809
HOUR, GIGABYTE = 3600.0, 1e9


@dataclass(frozen=True, slots=True)
class Load:
    """What there is to do for so many sentences."""

    sentences: int

    @property
    def statements(self) -> float:
        """Those that are compared."""
        return COMPARED * self.sentences

    @property
    def texts(self) -> float:
        """The distinct masked texts that Pitman and Yor's process gives them."""
        return CONCENTRATION / DISCOUNT * (math.pow(1 + self.statements / CONCENTRATION, DISCOUNT) - 1)

    @property
    def compared(self) -> float:
        """The pairs of texts that share a kind."""
        geo, temp, both = CONTEXTS[Context.GEO], CONTEXTS[Context.TEMP], CONTEXTS[Context.BOTH]
        return ((geo + both) ** 2 + temp**2 + 2 * temp * both) * self.texts**2 / 2

    @property
    def pairs(self) -> float:
        """The pairs, where more sentences bring more subjects: as many a statement as in the real sources."""
        return PAIRS_EACH * self.statements

    @property
    def examples(self) -> float:
        """The examples of these pairs."""
        return EXAMPLES_EACH * self.pairs

    @property
    def most_pairs(self) -> float:
        """The pairs, where more sentences bring more of the same: they grow as the square."""
        return PAIRS_OF_SQUARE * self.statements**2

    @property
    def reading(self) -> float:
        """Seconds of a core to tag all sentences and to find the nouns of those with a place or a time."""
        return self.sentences / TAGGED + SITUATED * self.sentences / NOUNS_FOUND

    @property
    def encoding(self) -> float:
        """Seconds of a core to encode the distinct texts."""
        return self.texts / ENCODED

    @property
    def searching(self) -> float:
        """Seconds of a core to compare all pairs."""
        return SEARCH_RATIO * self.compared * 2 * WIDTH / FLOPS

    @property
    def finishing(self) -> float:
        """Seconds of the one process that masks, and makes everything after the candidates."""
        return MASKING * self.sentences + PAIRING * self.pairs + TELLING * self.examples

    def hours(self, workers: int, *, products: float = 1.0) -> float:
        """Hours with so many workers, making that share of the products."""
        spread = self.reading + self.encoding + products * self.searching
        return (spread / workers + self.finishing) / HOUR

    @property
    def stored(self) -> float:
        """Bytes on disk: artifacts, what models said, and the dataset folder."""
        vectors = STORED_TEXT * self.texts
        return STORED_SENTENCE * self.sentences + vectors + STORED_PAIR * self.pairs + STORED_EXAMPLE * self.examples


def tables() -> Iterator[str]:
    """The lines of the tables."""
    loads = [Load(sentences) for sentences in SENTENCES]
    yield from _table(
        ("sentences", "compared", "distinct texts", "pairs of texts", "pairs kept", "if all alike"),
        [
            (_count(e.sentences), *map(_count, (e.statements, e.texts, e.compared, e.pairs, e.most_pairs)))
            for e in loads
        ],
    )
    yield from _table(
        ("core hours", "tag, find nouns", "encode", "search", "the rest"),
        [(_count(e.sentences), *map(_hours, (e.reading, e.encoding, e.searching, e.finishing))) for e in loads],
    )
    yield from _table(
        ("hours on", *(f"{workers} exact" for workers in WORKERS), *(f"{workers} with index" for workers in WORKERS)),
        [(_count(e.sentences), *_exact(e, 1.0), *_exact(e, INDEX_PRODUCTS)) for e in loads],
    )
    yield from _table(
        ("gigabytes", "memory, search", "memory, examples", "on disk", "of it vectors"),
        [(_count(e.sentences), *_bytes(e)) for e in loads],
    )


def _exact(load: Load, products: float) -> list[str]:
    return [_hours(HOUR * load.hours(workers, products=products)) for workers in WORKERS]


def _bytes(load: Load) -> list[str]:
    sizes = (MEMORY_TEXT * load.texts, MEMORY_EXAMPLE * load.examples, load.stored, STORED_TEXT * load.texts)
    return [_short(size / GIGABYTE) for size in sizes]


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(header)} |"
    yield f"|{'---:|' * len(header)}"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def _hours(seconds: float) -> str:
    return _short(seconds / HOUR)


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def _count(value: float) -> str:
    for size, name in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.3g} {name}"
    return f"{value:.0f}"


def main() -> None:
    """Print the tables."""
    print("\n".join(tables()))


if __name__ == "__main__":
    main()

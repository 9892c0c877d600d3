"""The rows of a corpus (context, noun phrase, ending), and why other texts gave none."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import polars as pl

from situatedgen.errors import SourceError
from situatedgen.filtering.committee import SPECIAL, UNKNOWN
from situatedgen.filtering.oversampling.settings import RowParams
from situatedgen.models.roles import Parser
from situatedgen.records import Token
from situatedgen.schemas import TEXT, Schema


class RowFate(StrEnum):
    """Whether a text of the corpus became a row, or why not."""

    KEPT = "kept"
    NO_CLAUSE = "no_clause"
    SHORT = "short"
    LONG = "long"
    RARE = "rare"
    REPEATED = "repeated"
    NO_VERB_PHRASE = "no_verb_phrase"


class EndingFate(StrEnum):
    """Whether a generated ending was kept, or why not."""

    KEPT = "kept"
    UNFINISHED = "unfinished"
    RARE = "rare"
    REPEATED = "repeated"
    REAL = "real"
    LIKE_THE_TRUTH = "like_the_truth"
    SHORT = "short"
    LONG = "long"
    NO_VERB_PHRASE = "no_verb_phrase"
    NO_AGREEMENT = "no_agreement"
    DANGLING = "dangling"
    STUTTERING = "stuttering"
    SURPLUS = "surplus"


COLUMNS = ("context", "noun_phrase", "ending")
READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".parquet": pl.read_parquet,
    ".jsonl": pl.read_ndjson,
    ".csv": pl.read_csv,
}
KINDS = ", ".join((".txt", *READERS))


@dataclass(frozen=True, slots=True)
class Given:
    """A text of a corpus; `at` gives the character offsets of noun phrase and ending, if the corpus has them.

    Texts of one group always share a fold.
    """

    given_id: str
    group: str
    text: str
    at: tuple[int, int] | None = None


def read_corpus(path: Path, *, column: str) -> tuple[Given, ...]:
    """Read the texts of a file: one per line, or one per table row, as columns of a row or as a column of sentences.

    A cell may hold a list of unrelated sentences, as in CommonGen's `scene`.

    Raises:
        SourceError: the file cannot be read, or has none of these columns, or no text.
    """
    if path.suffix not in (".txt", *READERS):
        raise SourceError(f"{path}: unknown file type; expected a file that ends in one of: {KINDS}")
    if not path.is_file():
        raise SourceError(f"there is no corpus file {path}")
    try:
        table = _lines(path, column) if path.suffix == ".txt" else READERS[path.suffix](path)
    except (OSError, UnicodeDecodeError, pl.exceptions.PolarsError) as error:
        raise SourceError(f"{path} cannot be read: {error}") from error
    given = tuple(_given_rows(table) if set(COLUMNS) <= set(table.columns) else _sentences(table, column, path))
    if not given:
        raise SourceError(f"{path} contains no text; expected {' and '.join(COLUMNS)}, or sentences in {column!r}")
    return given


def _lines(path: Path, column: str) -> pl.DataFrame:
    return pl.DataFrame({column: path.read_text(encoding="utf-8").splitlines()}, schema={column: pl.String})


def _given_rows(table: pl.DataFrame) -> Iterator[Given]:
    width = len(str(table.height))
    for number, row in enumerate(table.iter_rows(named=True)):
        context, noun_phrase, ending = (" ".join(str(row[name] or "").split()) for name in COLUMNS)
        own = str(row.get("row_id") or row.get("id") or f"{number:0{width}d}")
        if noun_phrase and ending:
            before = f"{context} " if context else ""
            at = len(before), len(before) + len(noun_phrase) + 1
            yield Given(own, str(row.get("group") or own), f"{before}{noun_phrase} {ending}", at)


def _sentences(table: pl.DataFrame, column: str, path: Path) -> Iterator[Given]:
    if column not in table.columns:
        found = ", ".join(table.columns)
        raise SourceError(
            f"{path}: expected columns {', '.join(COLUMNS)}, or sentences in {column!r}; found {found};"
            " specify the column of the sentences with --column"
        )
    texts = table.select(pl.col(column)).with_row_index("row")
    exploded = texts.explode(column) if isinstance(texts.schema[column], pl.List) else texts
    width, seen = len(str(exploded.height)), dict[int, int]()
    for row, text in exploded.iter_rows():
        seen[row] = number = seen.get(row, -1) + 1
        if tidy := " ".join(str(text or "").split()):
            yield Given(f"{row:0{width}d}-{number}", f"{row:0{width}d}", tidy)


SUBJECTS = frozenset({"nsubj", "nsubjpass"})
FINITE = frozenset({"VBZ", "VBP", "VBD", "MD"})
HELPERS = frozenset({"aux", "auxpass", "neg", "advmod"})
BOUND = frozenset({"WDT", "WP", "WRB", "EX"})
"""Tags of words such as "who" and "there", which are no noun phrase of their own."""
CLAUSES = frozenset({"ROOT", "conj", "advcl"})
"""Roles of verbs that head an independent clause; a clause that says what is said or worn belongs to its ending."""


class Parts(NamedTuple):
    """Token indices at which context, noun phrase and ending begin, and the end."""

    context: int
    noun_phrase: int
    ending: int
    end: int


def split(tokens: Sequence[Token]) -> Iterator[Parts]:
    """Find the last clause of each sentence, by subject and verb phrase; of several sentences, the first is skipped.

    The context is the preceding sentence, and what precedes the subject in the clause's own.
    """
    bounds = sentences(tokens)
    for number, (start, end) in enumerate(bounds):
        if number == 0 and len(bounds) > 1:
            continue
        for noun_phrase, ending, _ in clauses(tokens, start, end):
            yield Parts(bounds[max(number - 1, 0)][0], noun_phrase, ending, end)
            break


def sentences(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Start and end of each sentence; tokens under the same root form one."""
    roots = [_root(tokens, number) for number in range(len(tokens))]
    starts = [number for number in range(len(tokens)) if number == 0 or roots[number] != roots[number - 1]]
    return list(zip(starts, [*starts[1:], len(tokens)], strict=True))


def clauses(tokens: Sequence[Token], start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Clauses that extend to the end, last first: start of the noun phrase, start of the ending, and subject."""
    for subject in range(end - 1, start - 1, -1):
        if (
            tokens[subject].role in SUBJECTS
            and tokens[subject].tag not in BOUND
            and _governs_rest(tokens, subject, end)
        ):
            phrase = [number for number in range(start, end) if _is_under(tokens, number, subject)]
            after = phrase[-1] + 1
            if len(phrase) == after - phrase[0] and _starts_verb_phrase(tokens, after, tokens[subject].head):
                yield phrase[0], after, subject


def _root(tokens: Sequence[Token], number: int) -> int:
    while tokens[number].head != number:
        number = tokens[number].head
    return number


def _governs_rest(tokens: Sequence[Token], subject: int, end: int) -> bool:
    """Whether a subject's verb is finite, follows it, and governs everything after it."""
    verb = tokens[subject].head
    if verb <= subject or tokens[verb].role not in CLAUSES:
        return False
    helpers = [word for word in tokens[subject:verb] if word.head == verb and word.role in HELPERS]
    rest = [number for number in range(verb, end) if tokens[number].part != "PUNCT"]
    return any(word.tag in FINITE for word in (tokens[verb], *helpers)) and all(
        _is_under(tokens, number, verb) for number in rest
    )


def _is_under(tokens: Sequence[Token], number: int, top: int) -> bool:
    while number != top and tokens[number].head != number:
        number = tokens[number].head
    return number == top


def _starts_verb_phrase(tokens: Sequence[Token], first: int, verb: int) -> bool:
    """Whether a verb phrase begins at this token, i.e. only helpers of the verb precede it."""
    return all(tokens[number].head == verb and tokens[number].role in HELPERS for number in range(first, verb))


PLURAL_TAGS, SINGULAR_TAGS = frozenset({"NNS", "NNPS"}), frozenset({"NN", "NNP"})
PLURAL = frozenset({"they", "we", "you", "these", "those", "i"})
"""Subjects that take the verb form without -s; "I" takes "was" and never "are"."""
SINGULAR = frozenset({"he", "she", "it", "this", "that", "someone", "somebody", "everyone", "everybody", "nobody"})
FORMS = {"is": "s", "was": "s", "has": "s", "does": "s", "are": "p", "were": "p", "have": "p", "do": "p"}
OPEN = frozenset({"IN", "DT", "CC", "PRP$", "TO", "MD", "WDT", "WP$"})
"""Tags of words that require another word after them."""


def fault(text: str, tokens: Sequence[Token], at: int) -> EndingFate:
    """The first fault of a sentence's ending, which begins at character `at`, or `KEPT`."""
    subject = next((found for _, ending, found in clauses(tokens, 0, len(tokens)) if tokens[ending].start == at), None)
    if subject is None or len(sentences(tokens)) > 1:
        return EndingFate.NO_VERB_PHRASE
    if not agrees(text, tokens, subject):
        return EndingFate.NO_AGREEMENT
    own = [token for token in tokens if token.start >= at]
    if dangles(own):
        return EndingFate.DANGLING
    return EndingFate.STUTTERING if stutters(text, own) else EndingFate.KEPT


def agrees(text: str, tokens: Sequence[Token], subject: int) -> bool:
    """Whether a subject and its finite verb agree in number, as far as their forms show."""
    verb = tokens[subject].head
    finite = next(
        (word for word in tokens[subject:verb] if word.head == verb and word.tag in FINITE and word.role[:3] == "aux"),
        tokens[verb],
    )
    word, wanted = text[finite.start : finite.end].lower(), _number(tokens, subject)
    if tokens[subject].lemma == "i" and word in ("was", "are"):
        return word == "was"
    said = _form(word, finite.tag)
    return not said or not wanted or said == wanted


def _form(word: str, tag: str) -> str:
    return FORMS.get(word, {"VBZ": "s", "VBP": "p"}.get(tag, ""))


def _number(tokens: Sequence[Token], subject: int) -> str:
    """`s` for singular, `p` for plural, empty if unknown."""
    word = tokens[subject]
    is_joined = any(other.head == subject and other.role == "conj" for other in tokens)
    if is_joined or word.tag in PLURAL_TAGS or word.lemma in PLURAL:
        return "p"
    return "s" if word.tag in SINGULAR_TAGS or word.lemma in SINGULAR else ""


def dangles(ending: Sequence[Token]) -> bool:
    """Whether the last word requires another after it: "attends the premiere of"."""
    words = [token for token in ending if token.part != "PUNCT"]
    return not words or words[-1].tag in OPEN


def stutters(text: str, ending: Sequence[Token]) -> bool:
    """Whether a word or punctuation mark is repeated, or two articles are adjacent: "is the a lake"."""
    words = [(text[token.start : token.end].lower(), token.tag) for token in ending]
    return any(word == after or (tag == after_tag == "DT") for (word, tag), (after, after_tag) in pairwise(words))


def group_rows(rows: Sequence["Row"]) -> list["Row"]:
    """Merge related rows into groups, each named by its first row id.

    Rows are related if they share an ending, were given as one group, or one's context is another's sentence: a model
    trained on the one would know the ending of the other.
    """
    kept = [row for row in rows if row.fate is RowFate.KEPT]
    said = {_sentence_key(row) for row in kept}
    first: dict[tuple[str, str], int] = {}
    above = list(range(len(kept)))
    for number, row in enumerate(kept):
        for tie in _ties(row, said):
            one, other = sorted((_find_set(above, first.setdefault(tie, number)), _find_set(above, number)))
            above[other] = one
    groups = {row.row_id: kept[_find_set(above, number)].row_id for number, row in enumerate(kept)}
    return [replace(row, group=groups.get(row.row_id, row.group)) for row in rows]


def _ties(row: "Row", said: set[str]) -> Iterator[tuple[str, str]]:
    yield "given", row.group
    yield "ending", " ".join(row.after).lower()
    yield "sentence", _sentence_key(row)
    if (context := _normalise(row.context)) in said:
        yield "sentence", context


def _sentence_key(row: "Row") -> str:
    return _normalise(f"{row.noun_phrase} {row.ending}")


def _normalise(text: str) -> str:
    return text.lower().strip(" .!?")


def _find_set(above: list[int], number: int) -> int:
    while above[number] != number:
        above[number] = number = above[above[number]]
    return number


RARE = "[rare]"


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text, whether a space precedes it, and whether it is the first."""

    text: str
    is_apart: bool
    is_first: bool = False


@dataclass(frozen=True)
class Vocabulary:
    """Lowercased words by id, with their most frequent printed form and spacing."""

    words: tuple[str, ...]
    forms: tuple[str, ...]
    clings: frozenset[int]
    """Ids of words without a space before them: a comma, "'s"."""
    draws: frozenset[int]
    """Ids of words without a space after them: a hyphen, a bracket."""

    def __len__(self) -> int:
        """Number of ids, including the special ones."""
        return SPECIAL + len(self.words)

    def numbers(self, words: Iterable[str]) -> list[int]:
        """Ids of words, ignoring case; `UNKNOWN` for unknown ones."""
        return [self._known.get(word.lower(), UNKNOWN) for word in words]

    def text(self, numbers: Sequence[int]) -> str:
        """Words as printed text."""
        printed = ""
        for place, number in enumerate(numbers):
            apart = place and number not in self.clings and numbers[place - 1] not in self.draws
            printed += f" {self._form(number)}" if apart else self._form(number)
        return printed

    def _form(self, number: int) -> str:
        return self.forms[number - SPECIAL] if number >= SPECIAL else RARE

    @cached_property
    def _known(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, SPECIAL)}


def vocabulary(texts: Sequence[Sequence[Word]], *, min_count: int, size: int) -> Vocabulary:
    """The most frequent words of texts, without rare ones; ties are broken alphabetically."""
    counts = Counter(word.text.lower() for text in texts for word in text)
    ranked = sorted((word for word, count in counts.items() if count >= min_count), key=lambda w: (-counts[w], w))
    known = tuple(ranked[:size])
    clings, draws = _find_clinging(texts, counts)
    return Vocabulary(
        known,
        _forms(texts, known),
        frozenset(number for number, word in enumerate(known, SPECIAL) if word in clings),
        frozenset(number for number, word in enumerate(known, SPECIAL) if word in draws),
    )


def _forms(texts: Sequence[Sequence[Word]], known: Sequence[str]) -> tuple[str, ...]:
    """The most frequent form of each word inside a text; the first word is ignored because it is capitalised anyway."""
    inside: dict[str, Counter[str]] = {word: Counter() for word in known}
    for text in texts:
        for word in text:
            if not word.is_first and word.text.lower() in inside:
                inside[word.text.lower()][word.text] += 1
    return tuple(max(forms, key=lambda form: (forms[form], form), default=word) for word, forms in inside.items())


def _find_clinging(texts: Sequence[Sequence[Word]], counts: Counter[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Words that mostly have no space before them, and words that mostly have none after them."""
    before, after = Counter[str](), Counter[str]()
    for text in texts:
        for left, right in pairwise(text):
            if not right.is_apart:
                before[right.text.lower()] += 1
                after[left.text.lower()] += 1
    return _majority(before, counts), _majority(after, counts)


def _majority(found: Counter[str], counts: Counter[str]) -> frozenset[str]:
    return frozenset(word for word, count in found.items() if 2 * count > counts[word])


MARKS = frozenset(".!?…,;:\"'”’-")
ROWS = Schema(
    {
        "row_id": TEXT,
        "group": TEXT,
        "context": TEXT,
        "noun_phrase": TEXT,
        "ending": TEXT,
        "verdict": pl.Enum([fate.value for fate in RowFate]),
    },
    key=("row_id",),
)
"""A text without a clause is all context."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row: its texts, the words before and in the ending, and its fate.

    `start` is the index of the noun phrase's first word. Endings exclude final punctuation. Rows of one group always
    share a fold.
    """

    row_id: str
    group: str
    context: str
    noun_phrase: str
    ending: str
    before: tuple[str, ...]
    after: tuple[str, ...]
    start: int = 0
    fate: RowFate = RowFate.KEPT

    @property
    def own(self) -> tuple[str, ...]:
        """The lowercased words of noun phrase and ending."""
        return lower((*self.before[self.start :], *self.after))

    @property
    def key(self) -> tuple[str, ...]:
        """What identifies a row: its lowercased words."""
        return lower((*self.before, "", *self.after))


@dataclass(frozen=True)
class Corpus:
    """All rows, the words of texts without rows, and the vocabulary of both."""

    everything: tuple[Row, ...]
    others: tuple[tuple[str, ...], ...]
    words: Vocabulary

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The kept rows."""
        return tuple(row for row in self.everything if row.fate is RowFate.KEPT)

    @cached_property
    def digest(self) -> str:
        """Digest of everything that language models may train on."""
        rows = ("\x1e".join((row.row_id, row.group, *row.key)) for row in self.rows)
        others = ("\x1e".join(words) for words in self.others)
        return hashlib.sha256("\x1f".join((*rows, "\x1d", *others)).encode("utf-8")).hexdigest()

    @property
    def table(self) -> pl.DataFrame:
        """All rows with their fates."""
        values = [(r.row_id, r.group, r.context, r.noun_phrase, r.ending, r.fate.value) for r in self.everything]
        return ROWS.frame(values)


def corpus(given: Sequence[Given], parser: Parser, params: RowParams, *, size: int) -> Corpus:
    """Extract the rows of texts: with subject and verb phrase, neither short, long, rare nor repeated.

    Words outside the `size` most frequent ones count as rare.
    """
    parses = parser.parse([one.text for one in given])
    texts = [_words(one.text, tokens) for one, tokens in zip(given, parses, strict=True)]
    found = [row for one, tokens in zip(given, parses, strict=True) for row in _rows(one, tokens)]
    words = vocabulary(texts, min_count=params.min_count, size=size)
    rows = group_rows(
        sorted(_check_verb_phrases(_assign_fates(found, words, params), parser), key=lambda row: row.row_id)
    )
    return Corpus(tuple(rows), tuple(_others(rows)), words)


def lower(words: Sequence[str]) -> tuple[str, ...]:
    """Words in lower case."""
    return tuple(word.lower() for word in words)


def _words(text: str, tokens: Sequence[Token]) -> tuple[Word, ...]:
    ends = [0, *(token.end for token in tokens)]
    return tuple(
        Word(text[token.start : token.end], is_apart=token.start > ends[number], is_first=number == 0)
        for number, token in enumerate(tokens)
    )


def _rows(given: Given, tokens: Sequence[Token]) -> Iterator[Row]:
    """The rows of a text; a text without a clause gives one row without an ending."""
    found = [_parts_at(tokens, *given.at)] if given.at else list(split(tokens))
    for number, parts in enumerate(found):
        yield _row(f"{given.given_id}-{number}" if len(found) > 1 else given.given_id, given, tokens, parts)
    if not found:
        words = tuple(given.text[token.start : token.end] for token in tokens)
        yield Row(given.given_id, given.group, given.text, "", "", words, (), fate=RowFate.NO_CLAUSE)


def _parts_at(tokens: Sequence[Token], noun_phrase: int, ending: int) -> Parts:
    """Parts from character offsets."""
    first, second = (sum(token.start < place for token in tokens) for place in (noun_phrase, ending))
    return Parts(0, first, second, len(tokens))


def _row(row_id: str, given: Given, tokens: Sequence[Token], parts: Parts) -> Row:
    texts = [given.text[token.start : token.end] for token in tokens]
    end = parts.end
    while end > parts.ending + 1 and set(texts[end - 1]) <= MARKS:
        end -= 1
    context = given.text[tokens[parts.context].start : tokens[parts.noun_phrase].start].strip()
    noun_phrase = given.text[tokens[parts.noun_phrase].start : tokens[parts.ending - 1].end]
    ending = given.text[tokens[parts.ending].start : tokens[end - 1].end]
    before, after = tuple(texts[parts.context : parts.ending]), tuple(texts[parts.ending : end])
    return Row(row_id, given.group, context, noun_phrase, ending, before, after, parts.noun_phrase - parts.context)


def _assign_fates(rows: Sequence[Row], words: Vocabulary, params: RowParams) -> Iterator[Row]:
    seen = set[tuple[str, ...]]()
    for row in rows:
        fate = row.fate if row.fate is not RowFate.KEPT else _fate(row, words, params)
        if fate is RowFate.KEPT and row.key in seen:
            fate = RowFate.REPEATED
        seen.add(row.key)
        yield replace(row, fate=fate)


def _fate(row: Row, words: Vocabulary, params: RowParams) -> RowFate:
    """The first rule of section 2 that a row breaks; only noun phrase and ending are checked, not the context."""
    if len(row.own) < params.min_words:
        return RowFate.SHORT
    if len(row.after) > params.max_words:
        return RowFate.LONG
    return RowFate.RARE if UNKNOWN in words.numbers(row.own) else RowFate.KEPT


def _check_verb_phrases(rows: Iterator[Row], parser: Parser) -> Iterator[Row]:
    """Reject rows whose ending is no verb phrase when parsed alone with its noun phrase."""
    known = list(rows)
    kept = [row for row in known if row.fate is RowFate.KEPT]
    parses = parser.parse([sentence(row.noun_phrase, row.ending) for row in kept])
    out = {
        row.row_id
        for row, tokens in zip(kept, parses, strict=True)
        if fault(sentence(row.noun_phrase, row.ending), tokens, len(row.noun_phrase) + 1) is EndingFate.NO_VERB_PHRASE
    }
    for row in known:
        yield replace(row, fate=RowFate.NO_VERB_PHRASE) if row.row_id in out else row


def sentence(noun_phrase: str, ending: str) -> str:
    """Join a noun phrase and an ending into a sentence."""
    return f"{noun_phrase} {ending}."


def _others(rows: Sequence[Row]) -> Iterator[tuple[str, ...]]:
    """The words of texts that gave no row, except those that contain the ending of a kept row."""
    endings = {lower(row.after) for row in rows if row.fate is RowFate.KEPT}
    lengths = sorted({len(ending) for ending in endings})
    seen = set[tuple[str, ...]]()
    for row in rows:
        words = lower((*row.before, *row.after))
        if row.fate in (RowFate.KEPT, RowFate.REPEATED) or words in seen or _contains_ending(words, endings, lengths):
            continue
        seen.add(words)
        yield words


def _contains_ending(words: tuple[str, ...], endings: set[tuple[str, ...]], lengths: Sequence[int]) -> bool:
    return any(
        words[start : start + length] in endings for length in lengths for start in range(len(words) - length + 1)
    )

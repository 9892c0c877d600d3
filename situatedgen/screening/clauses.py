"""The main clause of a statement: its predicate, what stands around it, and where its places and times stand."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from situatedgen.records import Token
from situatedgen.screening.reading import Named, Reading

RAISING = frozenset({"likely", "unlikely", "able", "possible", "sure", "known", "seem", "appear", "tend", "use"})
"""Words whose infinitive is what a clause really says: "is likely to be found"."""
HEDGES = frozenset(
    {
        "hypothetically",
        "likely",
        "unlikely",
        "probably",
        "possibly",
        "perhaps",
        "sometimes",
        "possible",
        "seem",
        "appear",
    }
)
EVERYWHERE = re.compile(
    r"\b(?:around|throughout|across|all over|over) the (?:world|globe)\b|\bworldwide\b"
    r"|\b(?:many|multiple|several) countries\b"
)
HEDGING_AUXILIARIES = frozenset({"might", "may", "could", "would", "should", "must"})
NEGATIONS = frozenset({"no", "not", "never", "neither", "n't", "nobody"})
PHRASES = {("take", "place"): "take place", ("come", "out"): "come out", ("grow", "up"): "grow up"}
JOINED = frozenset({"appos", "conj", "compound", "nmod", "npadvmod"})
MODIFIERS = frozenset({"compound", "nmod", "poss", "amod", "nummod"})
ASIDE = frozenset({"about", "like", "against", "between", "than"})
"""Prepositions behind which something else is spoken of: "a film about a man from Rome"."""
BESIDE = frozenset({"coast", "shore", "border", "bank", "edge", "mouth", "tip", "outskirt"})
CLIMBS = 4
PROPER = frozenset({"NNP", "NNPS"})


@dataclass(frozen=True, slots=True)
class Slot:
    """Where a place or time stands: `where` under the predicate, and by which preposition."""

    named: Named
    where: str
    preposition: str = ""


@dataclass(frozen=True)
class Clause:
    """A statement with its main predicate found."""

    reading: Reading
    root: int
    predicate: int

    @property
    def words(self) -> tuple[Token, ...]:
        """The words of the statement."""
        return self.reading.words

    @cached_property
    def below(self) -> tuple[tuple[int, ...], ...]:
        """For each word the words that depend on it."""
        found: list[list[int]] = [[] for _ in self.words]
        for number, word in enumerate(self.words):
            if word.head != number:
                found[word.head].append(number)
        return tuple(map(tuple, found))

    def under(self, number: int, *roles: str) -> Iterator[int]:
        """The words that depend on a word in one of some roles."""
        return (each for each in self.below[number] if self.words[each].role in roles)

    def arguments(self, *roles: str) -> list[int]:
        """The words that depend on the predicate, or on what it is raised by, in one of some roles."""
        return [each for number in dict.fromkeys((self.root, self.predicate)) for each in self.under(number, *roles)]

    def first(self, *roles: str) -> int | None:
        """The first argument in one of some roles."""
        return next(iter(self.arguments(*roles)), None)

    @cached_property
    def subject(self) -> int | None:
        """The head of the subject."""
        found = (self.first(role) for role in ("nsubj", "nsubjpass", "expl", "csubj"))
        return next((each for each in found if each is not None), None)

    @property
    def subject_name(self) -> str:
        """The name of the subject, where it has one."""
        if self.subject is None or not self.is_name(self.subject):
            return ""
        parts = sorted([self.subject, *self.under(self.subject, "compound", "poss", "nummod", "amod")])
        return " ".join(self.words[each].lemma for each in parts)

    @cached_property
    def complement(self) -> int | None:
        """The head of the object, or of what the subject is said to be."""
        found = self.first("dobj", "attr", "oprd")
        return None if found is not None and self.phrase in PHRASES.values() and self._is_part(found) else found

    @cached_property
    def quality(self) -> int | None:
        """The adjective that the subject is said to be."""
        return self.first("acomp")

    @cached_property
    def phrase(self) -> str:
        """The predicate in its dictionary form, with its particle."""
        lemma = self.words[self.predicate].lemma
        beside = (self.words[each].lemma for each in self.below[self.predicate])
        return next((PHRASES[lemma, each] for each in beside if (lemma, each) in PHRASES), lemma)

    @cached_property
    def is_passive(self) -> bool:
        """Whether the subject suffers what is said."""
        return bool(self.arguments("nsubjpass", "auxpass"))

    @cached_property
    def is_present(self) -> bool:
        """Whether something is said to be so now."""
        around = [self.root, *self.arguments("aux", "auxpass")]
        return any(self.words[each].tag in ("VBZ", "VBP") for each in around)

    @cached_property
    def is_negated(self) -> bool:
        """Whether something is denied."""
        around = self.arguments("neg", "advmod", "det", "preconj")
        objects = [each for each in (self.subject, self.complement) if each is not None]
        near = [*around, *(each for number in objects for each in self.under(number, "det", "neg"))]
        return any(self.words[each].lemma in NEGATIONS or self.words[each].role == "neg" for each in near)

    @cached_property
    def is_hedged(self) -> bool:
        """Whether it is only said that something may be so."""
        around = [self.words[each] for each in self.arguments("aux", "advmod", "acomp")]
        if EVERYWHERE.search(self.reading.text):
            return True
        can = {"can"} if self.subject is not None and self.named_at(self.subject) else set()
        return any(word.lemma in (HEDGING_AUXILIARIES | can if word.role == "aux" else HEDGES) for word in around)

    def _is_part(self, number: int) -> bool:
        return self.words[number].lemma in self.phrase.split()

    def named_at(self, number: int) -> Named | None:
        """The entity that a word is part of."""
        start = self.words[number].start
        return next((each for each in self.reading.keywords if each.label and each.start <= start < each.end), None)

    def is_name(self, number: int) -> bool:
        """Whether a word itself is a name."""
        return self.words[number].tag in PROPER or self.named_at(number) is not None

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """Where each place and time stands; of "Austin, Texas" the first stands for both."""
        seen: set[int] = set()
        found = []
        for named in self.reading.keywords:
            inside = self._inside(named) if named.is_place or named.is_time else []
            head = self._joined(self._head(inside), named) if inside else None
            if head is not None and head not in seen:
                found.append(self._slot(named, head))
            seen.update(inside)
        return tuple(found)

    def _inside(self, named: Named) -> list[int]:
        return [number for number, word in enumerate(self.words) if named.start <= word.start < named.end]

    def _head(self, inside: list[int]) -> int:
        heads = [each for each in inside if self.words[each].head not in inside or self.words[each].head == each]
        return heads[-1] if heads else inside[-1]

    def _joined(self, head: int, named: Named) -> int:
        """The word that a place or time is joined to, where that is one itself."""
        for _ in range(CLIMBS):
            above = self.words[head].head
            other = self.named_at(above)
            is_context = other is not None and other != named and (other.is_place or other.is_time)
            if self.words[head].role not in JOINED or above == head or not is_context:
                return head
            head = above
        return head

    def _slot(self, named: Named, head: int) -> Slot:
        word = self.words[head]
        if head == self.subject:
            return Slot(named, "subject")
        if head == self.complement:
            return Slot(named, "object")
        if word.role == "pobj":
            return self._adverbial(named, word.head)
        if word.role == "npadvmod" and word.head in (self.root, self.predicate):
            return Slot(named, "deep" if named.is_place and head < self.predicate else "adverbial", "in")
        if word.role in MODIFIERS and word.head in (self.subject, self.complement):
            return Slot(named, "owner" if word.head == self.subject else "part")
        return Slot(named, "deep")

    def _adverbial(self, named: Named, preposition: int) -> Slot:
        """A place or time behind a preposition: followed up until it meets the predicate or an argument of it."""
        said = self.words[preposition].lemma
        above = self.words[preposition].head
        for _ in range(CLIMBS):
            if above in (self.root, self.predicate, self.complement, self.quality):
                return Slot(named, "adverbial", said)
            if above == self.subject:
                return Slot(named, "owner")
            if self.words[above].role == "pobj":
                outer = self.words[above].head
                if self.words[outer].lemma in ASIDE:
                    break
                said = self._around(outer, above) if said == "of" else said
                above = self.words[outer].head
            elif self.words[above].role in ("prep", "advmod", "agent"):
                said = said if self.words[above].role == "prep" else f"{self.words[above].lemma} {said}"
                above = self.words[above].head
            else:
                break
        return Slot(named, "deep")

    def _around(self, preposition: int, noun: int) -> str:
        """What stands for "of" behind a noun: "in the north of Peru" is in Peru, "on the coast of Peru" beside it."""
        said, beside = self.words[preposition].lemma, self.words[noun].lemma
        return f"{said} {beside}" if beside in BESIDE else said


def clause_of(reading: Reading) -> Clause:
    """The main clause of a statement; where no word is the root, the first is taken for it."""
    root = next((number for number, word in enumerate(reading.words) if word.role == "ROOT"), 0)
    bare = Clause(reading, root, root)
    raised = [root, *bare.under(root, "acomp", "oprd")] if reading.words else []
    below = (
        each for number in raised if reading.words[number].lemma in RAISING for each in bare.under(number, "xcomp")
    )
    return Clause(reading, root, next(below, root))

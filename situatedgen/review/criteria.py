"""The questions that annotators answer about a pair: each mode has a list of criteria with fixed answers."""

from collections.abc import Mapping
from dataclasses import dataclass

from situatedgen.errors import DecisionError
from situatedgen.vocabulary import Mode


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to a question: stored name, keyboard key, label, and whether it counts against the pair."""

    name: str
    key: str
    label: str
    is_fault: bool = False


@dataclass(frozen=True, slots=True)
class Criterion:
    """A question: its name in logs and tables, wording, help text, meaning when it fails, and answers."""

    name: str
    question: str
    help: str
    fault: str
    answers: tuple[Answer, ...]

    def answer(self, name: str) -> Answer:
        """Look up an answer by name.

        Raises:
            DecisionError: the question has no such answer.
        """
        for each in self.answers:
            if each.name == name:
                return each
        known = ", ".join(each.name for each in self.answers)
        raise DecisionError(f"{name!r} is not an answer to {self.name!r}; its answers: {known}")


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """The questions of a mode, with title and goal."""

    mode: Mode
    title: str
    goal: str
    criteria: tuple[Criterion, ...]
    noun: str = "pair"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the questions, in order."""
        return tuple(criterion.name for criterion in self.criteria)

    def check(self, answers: Mapping[str, str]) -> None:
        """Raise unless every question, and no other, has one of its own answers.

        Raises:
            DecisionError: a question is missing, unknown, or has an answer that it does not offer.
        """
        missing = [name for name in self.names if name not in answers]
        unknown = sorted(answers.keys() - set(self.names))
        if missing or unknown:
            said = [f"no answer to {', '.join(missing)}"] if missing else []
            said += [f"unknown {', '.join(unknown)}"] if unknown else []
            raise DecisionError(f"{'; '.join(said)}; mode {self.mode.value!r} asks {', '.join(self.names)}")
        for criterion in self.criteria:
            criterion.answer(answers[criterion.name])

    def faults(self, answers: Mapping[str, str]) -> tuple[str, ...]:
        """Names of the questions answered against the pair, in order; empty if the pair is valid."""
        return tuple(each.name for each in self.criteria if each.answer(answers[each.name]).is_fault)


def yes_or_no(yes: str, no: str) -> tuple[Answer, Answer]:
    """The answers yes and no, with their keyboard keys."""
    return Answer("yes", yes, "Yes"), Answer("no", no, "No", is_fault=True)


# Yes is on the digit row and no on the key below it, so one key press answers a question without selecting it first.
FILTER = Questionnaire(
    Mode.FILTER,
    title="Filter",
    goal="Keep a pair only if all five hold. Judge by what most people know; do not look anything up.",
    criteria=(
        Criterion(
            "keywords",
            "Are all the keywords in the two sentences?",
            "Every keyword in the list occurs in one of the two sentences, in this form or slightly inflected.",
            "keywords are missing",
            yes_or_no("1", "q"),
        ),
        Criterion(
            "situated",
            "Does each sentence name a place or a time?",
            "A country, city, season, date or festival: at least one in each sentence, used as such.",
            "a sentence names neither a place nor a time",
            yes_or_no("2", "w"),
        ),
        Criterion(
            "sound",
            "Is each sentence good English, and true?",
            "Each makes sense on its own, reads naturally and agrees with common knowledge. Ignore small slips (an"
            " article, a capital letter), but not broken word order, fragments or dangling references.",
            "a sentence is broken or false",
            yes_or_no("3", "e"),
        ),
        Criterion(
            "contrast",
            "Do they have the same structure, and do they contrast?",
            "They say the same kind of thing about different, comparable things, so that “while” joins them into one"
            " sensible sentence. The same verb in another sense, or things that cannot be compared, do not count.",
            "the sentences do not contrast",
            yes_or_no("4", "r"),
        ),
        Criterion(
            "dependent",
            "Does swapping the places or times break it?",
            "With the places or times swapped, the sentences are still grammatical, but at least one is now false or"
            " absurd. If both are still true (one place is in the other, or the thing exists in both), answer no.",
            "it is still true when places or times are swapped",
            yes_or_no("5", "t"),
        ),
    ),
)
QUALITY = Questionnaire(
    Mode.QUALITY,
    title="Quality",
    goal="How good are the pairs that nobody filtered? Two questions on a random sample.",
    criteria=(
        Criterion(
            "antithesis",
            "Is it a fluent antithesis?",
            "Both are good English with the same structure, and “while” joins them into one sensible contrast.",
            "it is not a fluent antithesis",
            yes_or_no("1", "q"),
        ),
        Criterion(
            "context_dependent",
            "Does it depend on its context?",
            "With the places or times swapped, at least one of the sentences is false or absurd, and both are still"
            " grammatical.",
            "it does not depend on its context",
            yes_or_no("2", "w"),
        ),
    ),
)
QUESTIONNAIRES: Mapping[Mode, Questionnaire] = {each.mode: each for each in (FILTER, QUALITY)}
"""The modes in which annotators judge alone; adjudication reuses the questions of the mode it settles."""
CRITERIA: Mapping[str, Criterion] = {
    criterion.name: criterion for each in QUESTIONNAIRES.values() for criterion in each.criteria
}
"""All questions by name; names are unique across modes, so answers identify the questionnaire."""


def questionnaire(mode: Mode, answers: Mapping[str, str]) -> Questionnaire:
    """The questionnaire that the answers belong to: that of the mode or, in adjudication, of the mode it settles.

    Raises:
        DecisionError: the answers belong to no mode.
    """
    if mode in QUESTIONNAIRES:
        return QUESTIONNAIRES[mode]
    for each in QUESTIONNAIRES.values():
        if answers.keys() & set(each.names):
            return each
    raise DecisionError(f"the answers belong to no known question; known: {', '.join(CRITERIA)}")

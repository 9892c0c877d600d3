"""What becomes of a pair, from everything people decided about it."""

from dataclasses import dataclass

from situatedgen.review.standing import AnyVoice, Votes


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a pair stays, why not, how many people decided, and whether they were evenly divided."""

    is_valid: bool
    faults: tuple[str, ...]
    people: int
    is_tied: bool = False
    is_settled: bool = False


def judgement(votes: Votes[AnyVoice]) -> Judgement:
    """The verdict on a pair.

    The latest adjudication decides, for whoever gave it saw what the others had answered and why. Without one, each
    person has one voice, whether they would keep the pair as a whole: the one voice there is decides, of several
    the majority. A tie is no reason to drop anything: the pair stays, and is doubtful until someone settles it.
    """
    people = len({voice.annotator for voice in (*votes.people, *votes.adjudications)})
    if votes.adjudications:
        faults = votes.adjudications[-1].faults
        return Judgement(not faults, faults, people, is_settled=True)
    against = [voice.faults for voice in votes.people if voice.faults]
    balance = len(votes.people) - 2 * len(against)
    found = dict.fromkeys(name for faults in against for name in faults) if balance < 0 else ()
    return Judgement(balance >= 0, tuple(found), people, is_tied=balance == 0)

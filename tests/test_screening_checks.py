"""Each check on sentences that fail it and on sentences that pass, parsed by the model that screening uses."""

from functools import cache

import pytest

from situatedgen.models import registry
from situatedgen.params import ParseParams
from situatedgen.records import Token
from situatedgen.runtime import Runtime
from situatedgen.screening.checks import checks
from situatedgen.screening.clauses import Clause, clause_of
from situatedgen.screening.comparing import outline_of
from situatedgen.screening.doubting import difference
from situatedgen.screening.facts import Words, words_of
from situatedgen.screening.reading import Reading
from situatedgen.vocabulary import Verdict
from table_support import marked

pytestmark = [pytest.mark.weights, pytest.mark.slow]


@cache
def parsed(text: str) -> tuple[Token, ...]:
    return parser().parse([text])[0]


@cache
def parser():
    return registry.load("parser", ParseParams().parser, Runtime())


def clause(sentence: str) -> Clause:
    """A sentence in which keywords are marked as [text/LABEL], or [text/] where they are no entity."""
    text, named = marked(sentence)
    return clause_of(Reading(text, parsed(text), named))


def failed(left: str, right: str, *stated: str) -> set[str]:
    """The names of the checks that two sentences fail, whichever is left."""
    one, other = clause(left), clause(right)
    known: set[Words] = {words_of(tuple(each.split())) for each in stated}
    there, back = (
        {check.verdict.value for check in checks(known) if check.fails(check.view(a), check.view(b))}
        for a, b in ((one, other), (other, one))
    )
    assert there == back
    return there


GOOD = [
    ("[George Washington/PERSON] died in [1799/DATE].", "[Gandhi/PERSON] was assassinated in [1948/DATE]."),
    ("[Miami/GPE] is a [city/] in [Florida/GPE].", "[Bucharest/GPE] is located in [Eastern Europe/LOC]."),
    (
        "[Pat Roberts/PERSON] is the [senator/] of [Kansas/GPE].",
        "[Mike DeWine/PERSON] is the [governor/] of [Ohio/GPE].",
    ),
    (
        "[Solomon/PERSON] was the [king/] of [Israel/GPE].",
        "[Emmanuel Macron/PERSON] is the [president/] of [France/GPE].",
    ),
    ("[Sean Combs/PERSON] won a [Grammy/] in [1998/DATE].", "[Dick Wolf/PERSON] won an [Emmy/] in [2007/DATE]."),
    ("[Lima/GPE] is located in [Peru/GPE].", "[Texas/GPE] is located in [the United States/GPE]."),
    ("[Thurgood Marshall/PERSON] grew up in [Baltimore/GPE].", "[Johnny Cash/PERSON] lived in [Arkansas/GPE]."),
    (
        "[The Battle of Antietam/EVENT] took place in [Maryland/GPE].",
        "[Super Bowl XLIV/EVENT] took place in [Miami/GPE].",
    ),
    (
        "[Ron Paul/PERSON] ran for [president/] in [2008/DATE].",
        "[John Kerry/PERSON] ran for [president/] in [1994/DATE].",
    ),
    ("[Australia/GPE] is a [country/] and also a [continent/].", "[Honolulu/GPE] is an [island/] in the [sea/]."),
]


@pytest.mark.parametrize(("left", "right"), GOOD)
def test_what_is_an_antithesis_fails_nothing(left: str, right: str) -> None:
    assert failed(left, right) == set()


BAD = [
    (  # to be born somewhere is not to live there
        Verdict.OTHER_RELATION,
        "[Thomas Carlyle/PERSON] lived in [London/GPE].",
        "[Paul Verhoeven/PERSON] was born in [Amsterdam/GPE].",
    ),
    (  # a citizen holds no office
        Verdict.OTHER_RELATION,
        "[Cheb Mami/PERSON] is a [citizen/] of [Algeria/GPE].",
        "[Emmanuel Macron/PERSON] is the [president/] of [France/GPE].",
    ),
    (  # half of the Earth is no land
        Verdict.PLACE_AGAINST_TIME,
        "[Panama/GPE] is in [the northern hemisphere/LOC].",
        "[Lima/GPE] is located in [Peru/GPE].",
    ),
    (  # an age is no date
        Verdict.PLACE_AGAINST_TIME,
        "[Richard III/PERSON] died in battle at [age 32/DATE].",
        "[Amy Winehouse/PERSON] died in [2011/DATE].",
    ),
    (  # what its name says it is, whatever the entity label says
        Verdict.UNLIKE_SUBJECTS,
        "[Worcester College/ORG] was founded in [1714/DATE].",
        "[Porsche/ORG] was founded in [1931/DATE].",
    ),
    (  # what it is said to be
        Verdict.UNLIKE_SUBJECTS,
        "[Air France/ORG] is a major [airline/] in [France/GPE].",
        "[The Georgia Dome/ORG] was a [stadium/] in [Atlanta/GPE].",
    ),
    (
        Verdict.UNLIKE_SUBJECTS,
        "The [headquarters/] of [Nissan/ORG] are located in [Yokohama/GPE].",
        "[Worcester College/ORG] is located in [Oxford/GPE].",
    ),
    (  # a father is no president
        Verdict.UNLIKE_SUBJECTS,
        "The [parents/] of [Stephen King/PERSON] lived in [Maine/GPE].",
        "The [President/] of [India/GPE] lived in [Delhi/GPE].",
    ),
    (  # a governor leads no country
        Verdict.UNLIKE_SUBJECTS,
        "[Pol Pot/PERSON] was the [ruler/] of [Cambodia/GPE].",
        "[Bill Richardson/PERSON] was the [governor/] of [New Mexico/GPE].",
    ),
    (  # a film about somebody from there is not from there
        Verdict.OTHER_RELATION,
        "[Rocky Horror/PERSON] is about a [man/] from [Transylvania/GPE].",
        "[Jackie Chan/PERSON] is from [China/GPE].",
    ),
    (  # the place that tells which town is meant is not where it lies
        Verdict.OTHER_RELATION,
        "[Peoria/GPE], [Illinois/GPE] is a large [city/].",
        "[Lima/GPE] is a [city/] in [Peru/GPE].",
    ),
    (  # who celebrates is not what is celebrated
        Verdict.OTHER_SENSE,
        "[Holi/DATE] is celebrated in [Nepal/GPE].",
        "[Bastille Day/DATE] celebrates a [storming/] in [France/GPE].",
    ),
    (
        Verdict.TRUE_OF_MANY,
        "[People/] around the world celebrate [Christmas/] in [December/DATE].",
        "[People/] celebrate [Thanksgiving/] in [November/DATE].",
    ),
    (Verdict.BROKEN, "[Fort Lauderdale/GPE] are in [Florida/GPE].", "[Lima/GPE] is in [Peru/GPE]."),
    (Verdict.FRAGMENT, "Because [Korea/GPE] is in [Asia/LOC].", "[Peru/GPE] is in [South America/LOC]."),
    (Verdict.DANGLING, "The [movie/] came out in [the 1990s/DATE].", "[Jaws/] came out in [the 1970s/DATE]."),
    (Verdict.BROKEN, "[Ann DeCamp/PERSON] is from [England/GPE], [London/GPE].", "[Chan/PERSON] is from [China/GPE]."),
    (
        Verdict.BROKEN,
        "The [leader/] of [India/GPE] lives in [India/GPE].",
        "The [leader/] of [Peru/GPE] lives in [Lima/GPE].",
    ),
    (
        Verdict.BROKEN,
        "There are over [200,000 minutes/TIME] in [a month/DATE].",
        "There are [24 hours/TIME] in [a day/DATE].",
    ),
    (  # a land of the continent
        Verdict.PLACE_WITHIN,
        "[Manchester/GPE] is located in [Europe/LOC].",
        "[Bern/GPE] is located in [Switzerland/GPE].",
    ),
    (  # a year of the century
        Verdict.TIME_WITHIN,
        "The [revolution/] occurred during [the 1700's/DATE].",
        "The [storming/] occurred in [1789/DATE].",
    ),
    (  # what may be said of anything
        Verdict.TRUE_OF_MANY,
        "[Al Qaeda/ORG] exists in [Burkina Faso/GPE].",
        "[Dragon Hall/FAC] exists in [Norfolk/GPE].",
    ),
    (Verdict.BROKEN, "The [AirTrain/] was built in [December 17, 2003/DATE].", "[Rome/GPE] was built in [May/DATE]."),
    (Verdict.BROKEN, "[Pinochet/PERSON] ran for Presidents of [Chile/GPE].", "[Bush/PERSON] ran in [Texas/GPE]."),
    (  # an answer to a claim that is not there
        Verdict.DANGLING,
        "[Calabria/GPE] is located in [Italy/GPE] not Africa.",
        "[Lima/GPE] is located in [Peru/GPE].",
    ),
    (  # another relation, in another form
        Verdict.OTHER_RELATION,
        "[Slaves/] played a [role/] in the [history/] of [the United States/GPE].",
        "A team [sport/] played mostly in [Canada/GPE] is [Lacrosse/].",
    ),
    (  # what one affirms the other denies
        Verdict.OTHER_RELATION,
        "[Lima/GPE] is in [Peru/GPE].",
        "[Oslo/GPE] is not in [Sweden/GPE].",
    ),
    (
        Verdict.OTHER_SENSE,
        "[Malcolm X/PERSON] played a [role/] in [the United States/GPE].",
        "[Raul/PERSON] played [football/] in [Spain/GPE].",
    ),
    (
        Verdict.OTHER_SENSE,
        "[Anna/PERSON] lives in [fear/] in [Russia/GPE].",
        "[Jeremy Irons/PERSON] lives in [London/GPE].",
    ),
    (  # the place is the subject of one only
        Verdict.OTHER_ROLES,
        "[California/GPE] contains [Lake Tahoe/LOC].",
        "[Akron/FAC] has a [club/] in [Ohio/GPE].",
    ),
    (
        Verdict.UNLIKE_SUBJECTS,
        "You can find a [lizard/] in [Utah/GPE].",
        "You can find the [Golden Gate Bridge/FAC] in [California/GPE].",
    ),
    (
        Verdict.PLACE_AGAINST_TIME,
        "[The Nepalese Civil War/EVENT] took place in [Nepal/GPE].",
        "The [election/] took place in [2008/DATE].",
    ),
    (  # a part of the year against history
        Verdict.PLACE_AGAINST_TIME,
        "[Thanksgiving/] occurs in [November/DATE].",
        "The [attack/] occurred in [1941/DATE].",
    ),
    (  # animals that live in both places
        Verdict.TRUE_OF_MANY,
        "You can find a [lizard/] in [Utah/GPE].",
        "You can find a [snake/] in [Louisiana/GPE].",
    ),
    (  # anybody can
        Verdict.TRUE_OF_MANY,
        "[Drew Barrymore/PERSON] can work as a [cook/] in [America/GPE].",
        "[Francis de Sales/PERSON] worked as a [bishop/] in [Geneva/GPE].",
    ),
    (Verdict.BROKEN, "[Johnny Carson/PERSON] born in [Iowa/GPE].", "[Oprah Winfrey/PERSON] was born in [Texas/GPE]."),
    (
        Verdict.BROKEN,
        "You can find millions of apple [tree/] in [Spain/GPE].",
        "You can find [Big Ben/FAC] in [London/GPE].",
    ),
    (
        Verdict.BROKEN,
        "[Waterford/GPE] locates in the [province/] of [Munster/GPE].",
        "[Lima/GPE] is located in [Peru/GPE].",
    ),
    (
        Verdict.DANGLING,
        "They are located in [Asia/GPE].",
        "[Lima/GPE] is located in [Peru/GPE].",
    ),
    (
        Verdict.DANGLING,
        "[December/DATE] is also in [winter/DATE].",
        "[July/DATE] is in [summer/DATE].",
    ),
    (Verdict.QUESTION, "Is [Peckham/GPE] in [Southwark/GPE].", "[Lima/GPE] is in [Peru/GPE]."),
    (Verdict.QUESTION, "How many minutes are in an [hour/TIME].", "There are [28 days/DATE] in [February/DATE]."),
    (Verdict.FRAGMENT, "A [city/] in [Peru/GPE].", "[Oslo/GPE] is in [Norway/GPE]."),
    (  # the same is said of the same
        Verdict.SAME_FACT,
        "[Swing/] was popular in [New Orleans/GPE].",
        "[Swing/] was popular in [Chicago/GPE].",
    ),
]


@pytest.mark.parametrize(("verdict", "left", "right"), BAD)
def test_a_fault_is_named(verdict: Verdict, left: str, right: str) -> None:
    assert verdict.value in failed(left, right)


def test_a_swap_that_some_statement_speaks_of_is_no_contrast() -> None:
    left = "A [monkey/] lives in the [forest/] in [Thailand/GPE]."
    right = "A [lemur/] lives in the [forest/] in [Madagascar/GPE]."
    assert "stated_swapped" in failed(left, right, "monkey forest Madagascar")
    assert "stated_swapped" not in failed(left, right, "monkey Madagascar")


DOUBTFUL = [
    (  # who rules today may not rule tomorrow
        "[Pol Pot/PERSON] was the [ruler/] of [Cambodia/GPE].",
        "[Boris Johnson/PERSON] was the [leader/] of [the UK/GPE].",
        "[Boris Johnson/PERSON] is the [leader/] of [the UK/GPE].",
    ),
    (  # a storm is not much like a war
        "[The Winter War/EVENT] occurred in [1939/DATE].",
        "[The Cuban Missile Crisis/EVENT] occurred in [1962/DATE].",
        "Hurricane Harvey [event/] occurred in [2017/DATE].",
    ),
    (  # nor an expressway like a house
        "One can find the [house/] of [Anna/PERSON] in [Lima/GPE].",
        "One can find the [palace/] of [Peter/PERSON] in [Moscow/GPE].",
        "One can find the [Ann Arbor Expressway/FAC] in [Michigan/GPE].",
    ),
    (  # one name alone may be that of a dish
        "[Jackie Chan/PERSON] is from [China/GPE].",
        "[Jane Austen/PERSON] was from [England/GPE].",
        "[Dosa/PERSON] is from [India/GPE].",
    ),
]


@pytest.mark.parametrize(("sentence", "like", "unlike"), DOUBTFUL)
def test_what_is_less_like_is_doubted_more(sentence: str, like: str, unlike: str) -> None:
    one, near, far = (outline_of(clause(each)) for each in (sentence, like, unlike))
    assert difference(one, near) < difference(one, far)

"""Questions that are easily read wrongly, and how sure the converter is of what it made."""

import pytest

from situatedgen.conversion.choice import state
from situatedgen.conversion.parsing import drive
from situatedgen.records import Conversion
from situatedgen.vocabulary import Verdict

pytestmark = pytest.mark.weights

SURE = 0.5


def stated(question: str, answer: str) -> Conversion:
    from situatedgen.models.spacy_models import parse  # noqa: PLC0415

    return drive([state(question, answer)], lambda texts: list(parse(texts, disable=("ner",))))[0]


SUBJECTS = [
    ("Which compound does not contain individual molecules?", "salt",
     "Salt does not contain individual molecules."),  # "does not" is no inversion
    ("Which one of these animals does NOT lay eggs?", "dogs", "Dogs do not lay eggs."),  # nor in capitals
    ("Which of these dissolve in water?", "Sugar cubes", "Sugar cubes dissolve in water."),  # a plural verb
    ("What forms both valleys and canyons?", "rivers", "Rivers form both valleys and canyons."),  # no noun
    ("What old models are likely to be made of wood?", "boat",
     "A boat is an old model that is likely to be made of wood."),  # the kind in the answer's number
    ("Which tool would be the least helpful in sending a message?", "AM/FM radio",
     "An AM/FM radio would be the least helpful in sending a message."),  # a superlative without its noun
    ("What businesses serve liquor?", "bar", "A bar serves liquor."),  # a noun the dictionary lacks
    ("Which system absorbs and carries food?", "circulatory system",
     "The circulatory system absorbs and carries food."),
    ("Which results in a chemical change?", "A teacher lights a candle.",
     "A teacher lights a candle, which results in a chemical change."),  # causes, does not happen
    ("Which action would increase erosion?", "clear-cutting a forest",
     "Clear-cutting a forest would increase erosion."),  # a gerund with a hyphen
    ("What would rain do if you had no umbrella?", "wet clothes",
     "Rain would wet clothes if you had no umbrella."),  # "rain" is no verb before "do"
    ("Which titled article is about a change?", "How Soda Reacts With Vinegar",
     "How Soda Reacts With Vinegar is a titled article that is about a change."),  # one title
    ("What might be done to protect plants?", "cover them", "Covering them might be done to protect plants."),
    ("What happens to metal tracks in the heat?", "increase in length",
     "Metal tracks increase in length in the heat."),  # a verb that may be a noun
]  # fmt: skip

NOUNS_ASKED_ABOUT = [
    ("What is writing a form of?", "communication", "Writing is a form of communication."),  # a gerund as subject
    ("What is rain a type of?", "weather", "Rain is a type of weather."),  # a kind takes no article
    ("What are ai machines known for doing?", "answering questions", "Ai machines are known for answering questions."),
    ("What are the flowers that last forever called?", "perennial",
     "The flowers that last forever are called perennial."),
    ("What is good way to break boredom?", "play games", "Playing games is a good way to break boredom."),
    ("What is an object that is not used likely to be?", "old", "An object that is not used is likely to be old."),
    ("What is another name for cat?", "feline", "Feline is another name for cat."),  # a word mentioned
    ("Which of the following is the farthest from Earth?", "the Andromeda galaxy",
     "The Andromeda galaxy is the farthest from Earth."),
    ("Which is a common characteristic of mammals?", "They all have hair.",
     "A common characteristic of mammals is that they all have hair."),  # a pronoun after its noun
    ("How far from the Sun is Earth?", "93 million miles", "Earth is 93 million miles from the Sun."),
]  # fmt: skip

PLACES = [
    ("People gather where to watch a race?", "race track", "People gather at a race track to watch a race."),
    ("You read where while waiting for a train?", "train station",
     "You read at a train station while waiting for a train."),
    ("You can buy a pen here.", "office supply store", "You can buy a pen at an office supply store."),
    ("Letters are delivered through one of these.", "front door", "Letters are delivered through a front door."),
    ("Jeff comes from this state whose capital is Lincoln.", "nebraska",
     "Jeff comes from Nebraska, whose capital is Lincoln."),  # points, does not ask
    ("They are brought to this place where people wear coats.", "laboratory",
     "They are brought to a laboratory where people wear coats."),
    ("Name a location where mice live.", "attic", "The attic is a location where mice live."),  # a command
    ("If you worked there, where you might find a plant?", "hallway",
     "If you worked there, you might find a plant in a hallway."),  # in the order of a statement
    ("In church, what you expect the glass to be?", "many colors",
     "In church, you expect the glass to be many colors."),
    ("Where does a hat go when you wear it?", "head", "A hat goes on a head when you wear it."),  # no goal
    ("Where can you take a bath?", "hotel room", "You can take a bath in a hotel room."),  # nothing is moved
    ("Where might someone keep soap?", "own home", "Someone might keep soap at their own home."),
    ("Where might have Sam been?", "space shuttle", "Sam might have been in a space shuttle."),  # a slip
    ("The eagle is a symbol where?", "u.s", "The eagle is a symbol in the U.S."),
    ("Where might I re-home a loved piece of furniture from college days?", "friend's house",
     "I might re-home a loved piece of furniture from college days at a friend's house."),  # no time
    ("Where is likely a safe place to keep money?", "cash register",
     "A cash register is likely a safe place to keep money."),
    ("If I had a jar which was likely to spoil, where would I put it?", "refrigerator",
     "If I had a jar which was likely to spoil, I would put it in the refrigerator."),  # a relative does not ask
    ("The host took his seat where?", "head table", "The host took his seat at a head table."),  # nothing is moved
    ("Where would my son place his plate?", "table", "My son would place his plate on a table."),
    ("He should look for a house where?", "subdivision", "He should look for a house in a subdivision."),
]  # fmt: skip

INSIDE = [
    ("He was a pawn in his partner's grander what?", "scheme", "He was a pawn in his partner's grander scheme."),
    ("You save resources by placing which objects in a compost pile?", "bean plants",
     "You save resources by placing bean plants in a compost pile."),  # "objects" is no verb here
    ("He learned shortcuts to copy and what?", "paste", "He learned shortcuts to copy and paste."),  # a verb
    ("Snakes are most likely to have what?", "nest full of babies",
     "Snakes are most likely to have a nest full of babies."),  # the article of "nest"
    ("You work during what?", "free time", "You work during free time."),  # takes no article
    ("They stand in the giant what?", "warehouse", "They stand in the giant warehouse."),  # an adjective after all
    ("It is due to a dwindling what?", "natural habitat", "It is due to a dwindling natural habitat."),
    ("Hitting what is likely to break glass?", "bridge", "Hitting a bridge is likely to break glass."),
    ("He is in a South American protected what?", "national park",
     "He is in a South American protected national park."),  # an article stands far before
    ("It was always what?", "fresher", "It was always fresher."),  # a comparative takes no article
    ("The bay has a tendency to do which of the following?", "return to its form",
     "The bay has a tendency to return to its form."),  # the list goes with its question word
    ("They were competing, the goal was to what?", "score points",
     "They were competing; the goal was to score points."),  # a splice before a noun
]  # fmt: skip


@pytest.mark.parametrize(("question", "answer", "statement"), [*SUBJECTS, *NOUNS_ASKED_ABOUT, *PLACES, *INSIDE])
def test_a_question_easily_misread_is_stated_well(question: str, answer: str, statement: str) -> None:
    conversion = stated(question, answer)
    assert (conversion.text, conversion.verdict) == (statement, Verdict.KEPT)


@pytest.mark.parametrize(
    ("question", "answer", "sure"),
    [
        ("What does a driving car cause?", "pollution", True),  # a noun in the place of an object
        ("What gas in the air do we need to breathe?", "oxygen", False),  # with what restricts it
        ("Why does the government impose taxes?", "to get money", True),
        ("Why would we handle glass with care?", "break easily", False),  # a verb is no sure purpose
        ("All living things contain which element?", "carbon", True),
        ("You drink what sugary beverage?", "soft drink", False),  # an aside in the middle
        ("Which equation is right?", "H_{2} + O -> H_{2}O", False),  # a formula
        ("Large clouds do what to people?", "awe inspiring", False),  # no verb where one is asked for
        ("Which of these is right?", "seed -> plant -> tree", False),  # steps as a subject
        ("An old library requires what in its catalog?", "searching for", False),  # the answer breaks off
        ("What did he not do with food?", "bring", False),  # a verb that asks for its own object
        ("When do you eat?", "hungry", False),  # an adjective as a time
        ("Where would you find a restaurant?", "tokio", False),  # perhaps a name
        ("What would someone tell a person?", "had good voice", False),  # an article without its noun
        ("What could happen after sadness?", "cry", False),  # nothing that happens
    ],
)
def test_a_doubtful_fit_is_not_called_sure(question: str, answer: str, sure: bool) -> None:
    assert (stated(question, answer).confidence >= SURE) is sure


@pytest.mark.parametrize(
    ("question", "answer", "verdict"),
    [
        ("The fur of the arctic fox is white. What causes the fur of the fox to change?", "genes", Verdict.KEPT),
        ("A fox ran away. What scares the fox?", "noise", Verdict.NEEDS_CONTEXT),  # that one fox
        ("Planets move. What keeps Earth in the solar system?", "gravity", Verdict.KEPT),  # there is one
        ("Bees die. How would a decline in the bee population affect a farm?", "by less fruit", Verdict.KEPT),  # a kind
        ("Rock falls into pieces. Which tool is needed to measure the two pieces?", "ruler", Verdict.NEEDS_CONTEXT),
        ("Jo has a rock. Which term best describes rock A?", "hard", Verdict.NEEDS_CONTEXT),  # a label
        ("She saw a comet. Maria Mitchell's discovery led to what?", "fame", Verdict.KEPT),  # a full name
        ("Organisms have skin. Which structure is most similar to tree bark?", "human skin", Verdict.KEPT),
        ("Cells react. What type of system is being illustrated?", "feedback", Verdict.NEEDS_CONTEXT),
        ("Birds live here. Which structure is similar?", "a beak", Verdict.NEEDS_CONTEXT),  # to what?
        ("Birds eat. Which of these habits would affect how they live?", "sleep", Verdict.NEEDS_CONTEXT),  # no birds
    ],
)
def test_a_sentence_stands_alone_unless_it_points_to_an_earlier_one(
    question: str, answer: str, verdict: Verdict
) -> None:
    assert stated(question, answer).verdict is verdict

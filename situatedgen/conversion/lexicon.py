"""Word lists and dictionary lookups of the conversion: prepositions, determiners, question words, lemmas."""

import tomllib
from functools import cache

from situatedgen.conversion.morphology import lemmas
from situatedgen.resources import read_text


def words(text: str) -> frozenset[str]:
    """The set of words in a text."""
    return frozenset(text.split())


WHOLE_SUBJECTS = words("i you he she it we they there")
"""Words that, at the start of a subject, are the whole subject."""

NEVER_LAST = words(
    "a an the of and or but nor to very my your its their our every than as who which whose not n't no too so"
    " if because when while is are was were ( [ - – / & “"
)
"""Words that never end a subject."""

NEVER_NEXT = words("of and or but nor who whom whose which that 's ’s ' ( ) [ ] , - – / & . : ; ? ! ”")
"""Words that never follow the end of a subject."""

LEADING_ADVERBS = words(
    "ever never still also always often usually even just only already not n't sometimes generally typically"
    " actually really both all most once now then probably likely first well soon yet either each normally"
    " commonly ultimately almost nearly"
)
"""Adverbs that may stand between a subject and its verb."""

BE_ADVERBS = words("ever never still not n't")
"""Adverbs after a subject that depend on the polarity of a form of be."""

NOT_VERBS = words(
    "a an the of in on at to for from by with and or up down out off over under but as than more most one two near past"
)
"""Words whose reading as a verb is too rare to consider."""

ABBREVIATIONS = words(
    "dr mr mrs ms prof st mt ft jr sr vs v etc inc co ltd no vol gen sen rep gov lt col capt sgt rev fig"
    " approx e.g i.e u.s u.k ca"
)
"""Words whose period does not end a sentence."""

EPITHETS = words(
    "great terrible baptist apostle conqueror elder younger lionheart pooh impaler confessor magnificent bald"
    " clown frog grouch hutt dinosaur explorer builder rapper hedgehog giant ripper virgin barbarian snowman"
    " pirate kid hun wise pious bold fair simple red platypus unready bear cat mouse human"
)
"""Words that, after an article, extend a name ("Alexander the Great")."""

CALL_FOR_BASE = words(
    "to and or help helps let lets make makes can could may might must shall should will would do does did not n't"
    " they we you i people who that than them him her us"
)
"""Words after which a base form is expected."""

TAKE_BASE = words("see hear watch feel let make have help notice")
"""Verbs whose object may be followed by a base form ("hear birds sing")."""


PREPOSITIONS = words(
    "about above across after against along among around as at before behind below beneath beside besides"
    " between beyond by despite down during except for from in inside into like near of off on onto opposite out"
    " outside over past per since through throughout to toward towards under underneath until up upon via with"
    " within without"
)
SUBORDINATORS = words("because since when while if unless although though whenever wherever so as whether after before")
DETERMINERS = words(
    "a an the this that these those my your his her its our their some any no each every all both either neither"
    " another one two three four five six seven eight nine ten many most more much few several less fewer such"
    " what which whose enough only half twice once"
)
SUBJECT_PRONOUNS = words("i you he she it we they there")
NEGATIONS = words("not n't n’t never")
QUESTION_WORDS = words("what which where when why how who whom whose whats wheres whos")
DEGREE_WORDS = words(
    "best most least likely probably usually often always mainly mostly primarily generally typically better"
    " directly correctly accurately commonly frequently normally possibly actually really currently not also"
    " clearly definitely only first more still sometimes originally largely greatly never ever easily just"
)
NOUNS_IN_ING = words(
    "building meeting wedding ceiling morning evening feeling painting clothing wing ring king spring string"
    " thing something anything nothing everything opening crossing sibling offspring duckling sling sting"
    " setting dwelling covering drawing earring blessing being shilling pudding stocking bedding lightning lighting"
)


_PLURALS = words(
    "people men women children mice geese teeth feet police cattle data bacteria fungi algae mitochondria larvae"
    " nuclei phenomena criteria vertebrae stimuli hypotheses goggles pliers binoculars underpants scissors pants"
)


_LACKED = {
    f"{noun}{ending}": noun
    for noun in ("bar", "dam", "log", "desktop", "top", "pub", "lab", "sediment")
    for ending in ("", "s")
}
"""Nouns that are missing from the dictionary, with their plurals."""


@cache
def noun_list(name: str) -> frozenset[str]:
    """A list of nouns by name, such as mass, definite, measure, at, on or adverbs."""
    return _lists(read_text("nouns.toml"))[name]


@cache
def verb_list(name: str) -> frozenset[str]:
    """A list of verbs by name, such as intransitive, motion or place_objects."""
    return _lists(read_text("verbs.toml"))[name]


@cache
def parts_of_speech(word: str) -> dict[str, tuple[str, ...]]:
    """The dictionary's lemmas of a lower-case word, by part of speech."""
    found = lemmas(word)
    return found | {"NOUN": (_LACKED[word],)} if word in _LACKED else found


def is_known(word: str) -> bool:
    """Whether the dictionary has the word in lower case."""
    return bool(parts_of_speech(word.lower()))


def is_adjective_only(word: str) -> bool:
    """Whether the dictionary has the word as an adjective and not as a noun or verb."""
    found = parts_of_speech(word.lower())
    return "ADJ" in found and "NOUN" not in found and "VERB" not in found


def verb_lemma(word: str) -> str:
    """The base form of a verb; the word itself if the dictionary has no such verb."""
    found = parts_of_speech(word.lower())
    return (found.get("VERB") or found.get("AUX") or (word.lower(),))[0]


def is_plural_noun(word: str) -> bool:
    """Whether the dictionary has the word as the plural of another noun."""
    lower = word.lower()
    return lower in _PLURALS or any(lemma != lower for lemma in parts_of_speech(lower).get("NOUN", ()))


@cache
def _lists(text: str) -> dict[str, frozenset[str]]:
    return {name: frozenset(value.split()) for name, value in tomllib.loads(text).items()}

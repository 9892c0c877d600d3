"""Closed classes of words that the grammar looks at."""


def words(text: str) -> frozenset[str]:
    """The set of the words of a text."""
    return frozenset(text.split())


WHOLE_SUBJECTS = words("i you he she it we they there")
"""A subject that begins with one of these is that word."""

NEVER_LAST = words(
    "a an the of and or but nor to very my your its their our every than as who which whose not n't no too so"
    " if because when while is are was were ( [ - – / & “"
)
"""Words that never end a subject."""

NEVER_NEXT = words("of and or but nor who whom whose which that 's ’s ' ( ) [ ] , - – / & . : ; ? ! ”")
"""Words that never follow a subject's end."""

LEADING_ADVERBS = words(
    "ever never still also always often usually even just only already not n't sometimes generally typically"
    " actually really both all most once now then probably likely first well soon yet either each normally"
    " commonly ultimately almost nearly"
)
"""Adverbs that may stand between a subject and its verb."""

BE_ADVERBS = words("ever never still not n't")
"""Adverbs after a subject that change with the polarity of a form of be."""

NOT_VERBS = words(
    "a an the of in on at to for from by with and or up down out off over under but as than more most one two near past"
)
"""Words whose verb reading is too rare to try."""

ABBREVIATIONS = words(
    "dr mr mrs ms prof st mt ft jr sr vs v etc inc co ltd no vol gen sen rep gov lt col capt sgt rev fig"
    " approx e.g i.e u.s u.k ca"
)
"""Words whose period ends no sentence."""

EPITHETS = words(
    "great terrible baptist apostle conqueror elder younger lionheart pooh impaler confessor magnificent bald"
    " clown frog grouch hutt dinosaur explorer builder rapper hedgehog giant ripper virgin barbarian snowman"
    " pirate kid hun wise pious bold fair simple red platypus unready bear cat mouse human"
)
"""Words that make a name of the name and the article before them ("Alexander the Great")."""

CALL_FOR_BASE = words(
    "to and or help helps let lets make makes can could may might must shall should will would do does did not n't"
    " they we you i people who that than them him her us"
)
"""Words after which a base form is no surprise."""

TAKE_BASE = words("see hear watch feel let make have help notice")
"""Verbs whose object may be followed by a base form ("hear birds sing")."""

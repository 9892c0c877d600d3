"""The rules say which two statements make a pair, whichever of them comes first."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from situatedgen.rules.pairs import PAIR_RULES, judge, pair_side, shared_context
from situatedgen.rules.text import ENDINGS, name_form, word_forms
from situatedgen.vocabulary import Context, Verdict

GEO, TEMP, BOTH, NONE = Context.GEO, Context.TEMP, Context.BOTH, Context.NONE
PARIS = pair_side("Paris is the capital of France.", ["Paris", "France"], GEO)
TOKYO = pair_side("Tokyo is the capital of Japan.", ["Tokyo", "Japan"], GEO)
XMAS = pair_side("Christmas is the day of gifts.", ["Christmas"], TEMP)
OLYMPICS = pair_side("Tokyo held the games in 1964.", ["Tokyo", "1964"], BOTH)


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (PARIS, PARIS, Verdict.CONTAINED),  # the same statement
        (PARIS, TOKYO, Verdict.KEPT),  # both name a place, neither the other's
        (PARIS, XMAS, Verdict.NO_COMMON_KIND),  # a place against a time
        (OLYMPICS, PARIS, Verdict.KEPT),  # both name a place, one also a time
        (OLYMPICS, XMAS, Verdict.KEPT),  # both name a time, one also a place
        (OLYMPICS, TOKYO, Verdict.SHARED_ENTITY),  # Tokyo in both
    ],
)
def test_judge_names_the_first_broken_rule(left, right, verdict):
    assert judge(left, right) == verdict


def test_the_rules_stand_in_the_order_of_the_funnel():
    verdicts = [verdict for verdict, _ in PAIR_RULES]
    assert verdicts == [Verdict.CONTAINED, Verdict.SHARED_ENTITY, Verdict.NO_COMMON_KIND]


@pytest.mark.parametrize(
    ("left", "right", "contained"),
    [
        ("Guam is an island.", "Guam is an island.", True),  # equal
        ("Guam is an island.", "GUAM IS AN ISLAND", True),  # equal but for case and the full stop
        ("Guam is an island.", "Guam is an island in the Pacific.", True),  # the full stop does not hide it
        ("Guam is  an island!", "It is said that Guam is an island.", True),  # at the end; spaces
        ("Guam is an island.", "Guam was an island.", False),  # one word differs
    ],
)
def test_a_statement_within_another(left, right, contained):
    # Without a name or a shared kind the only other verdict is the last rule's.
    verdict = judge(pair_side(left, [], NONE), pair_side(right, [], NONE))
    assert verdict == (Verdict.CONTAINED if contained else Verdict.NO_COMMON_KIND)


@pytest.mark.parametrize(
    ("name", "other", "shared"),
    [
        ("Japan", "It snows in Japan.", True),  # the name itself
        ("japan", "JAPAN is wet.", True),  # case
        ("Japan", "Japan's trains are punctual.", True),  # possessive, straight apostrophe
        ("Japan", "Japan’s trains are punctual.", True),  # possessive, typographic apostrophe
        ("the United States", "United States coins are round.", True),  # article on one side
        ("United States", "The capital of the United States is small.", True),  # article on the other
        ("the States'", "A state has a capital.", True),  # plural possessive
        ("U.S.", "The US has fifty states.", True),  # initials with and without full stops
        ("a century", "Two centuries passed.", True),  # -y and -ies
        ("the bus era", "Bus eras come and go.", True),  # -us is no plural
        ("a house day", "House days are long.", True),  # -se
        ("summers", "In summer it rains.", True),  # plural in the name
        ("the 1990s", "It was the 1990's best song.", True),  # decades with an apostrophe
        ("five hours", "Half past five, two hours later.", False),  # both words, but not together
        ("Oman", "A woman is walking.", False),  # part of a word
        ("Niger", "Nigeria is large.", False),  # beginning of a word
        ("Maine", "The main road is long.", False),  # a final e is no plural
        ("5 years", "It took 15 years.", False),  # end of a number
        ("the", "The road is long.", False),  # nothing is left of an article
    ],
)
def test_a_name_in_another_statement(name, other, shared):
    verdict = judge(pair_side("Something else.", [name], GEO), pair_side(other, [], GEO))
    assert verdict == (Verdict.SHARED_ENTITY if shared else Verdict.KEPT)


@pytest.mark.parametrize(
    ("singular", "plural"),
    [
        ("country", "countries"), ("movie", "movies"), ("church", "churches"), ("apache", "apaches"),
        ("bush", "bushes"), ("box", "boxes"), ("axe", "axes"), ("bus", "buses"), ("house", "houses"),
        ("class", "classes"), ("hero", "heroes"), ("shoe", "shoes"), ("day", "days"), ("month", "months"),
    ],
)  # fmt: skip
def test_singular_and_plural_have_one_form(singular, plural):
    assert word_forms(singular) == word_forms(plural)


texts = st.text(st.sampled_from("ab Ase.’'s tTh")) | st.sampled_from(
    ["Japan", "the winter of 1980", "Winters", "In winter Japan is cold.", "in winter japan is cold"]
)
sides = st.builds(pair_side, texts, st.lists(texts, max_size=3), st.sampled_from(Context))


@given(st.text("sSeEiIhx", min_size=1, max_size=5))
def test_one_word_has_the_form_that_it_has_among_others(word):
    assert word_forms(word) == word_forms(f"{word}.")


def test_every_ending_is_looked_for():
    assert all(ending.endswith(("s", "e")) for ending, _ in ENDINGS)


@given(sides, sides)
def test_judge_is_symmetric(left, right):
    assert judge(left, right) == judge(right, left)


@given(sides)
def test_a_statement_never_pairs_with_itself(side):
    assert judge(side, side) == Verdict.CONTAINED


@given(texts, texts)
def test_a_name_stands_in_every_text_that_holds_it_as_words(before, name):
    text = f"{before} {name} and so on"
    assert name_form(name) in word_forms(text)


@pytest.mark.parametrize(
    ("left", "right", "shared"),
    [
        (GEO, GEO, GEO),  # the same kind
        (GEO, BOTH, GEO),  # one of two kinds
        (BOTH, TEMP, TEMP),  # the other of two kinds
        (BOTH, BOTH, BOTH),  # both kinds
        (GEO, TEMP, NONE),  # no kind
        (NONE, BOTH, NONE),  # nothing to share
    ],
)
def test_the_shared_context(left, right, shared):
    assert (shared_context(left, right), shared_context(right, left)) == (shared, shared)

"""Words that fit a question but not a statement: "any", "yet", "at all"; and "no" after "there is"."""

import re

from situatedgen.rules.clauses.lexicon import words

_SOME = {
    "any": "some",
    "anyone": "someone",
    "anybody": "somebody",
    "anything": "something",
    "anywhere": "somewhere",
}
_ANY = re.compile(r"\b(?:any|anyone|anybody|anything|anywhere)\b", re.IGNORECASE)
_LICENSED = re.compile(
    r"\b(?:not|no|never|none|nothing|without|than|before|if|whether|hardly|unlikely|unable|difficult|hard"
    r"|impossible|illegal|unlike|like|avoid\w*|prevent\w*|refus\w+|den(?:y|ies|ied)|lack\w*|ban\w*|forbid\w*"
    r"|stop\w*|free of|as \w+ as)\b|n't\b",
    re.IGNORECASE,
)
_FREE_CHOICE = re.compile(
    r"any (?:given|longer|more|better|worse|further|less|and all)\b|any(?:one|body|thing) (?:can|could|else)\b",
    re.IGNORECASE,
)
_LEFT_OVER = re.compile(r"\s+(?:yet|at all|any ?more|any longer)$", re.IGNORECASE)
_EXISTENTIAL = re.compile(r"^(there (?:is|are|was|were)) not (?:(?:any|a|an|some) )?(\w+)", re.IGNORECASE)
_UNIVERSAL = re.compile(r"\b(?:all|every|each|both)\b", re.IGNORECASE)
_NEGATED_WHOLE = words(
    "likely supposed going enough more fewer less many much multiple several as only always typically usually"
    " often about over at exactly one two three four five six seven eight nine ten fifty the this that these"
    " those currently generally necessarily sufficient every all both yet still also really actually"
)


def asserted(rest: str) -> str:
    """The words after a subject as a positive statement has them.

    Example:
        >>> asserted("has any cousins yet")
        'has some cousins'
    """
    bare = _LEFT_OVER.sub("", rest)
    return _ANY.sub(lambda found: _some(bare, found), bare)


def nonexistent(declarative: str) -> str:
    """A negated "there is" clause with "no" where that is how it is said.

    Example:
        >>> nonexistent("there is not a hospital on the Moon")
        'there is no hospital on the Moon'
    """
    found = _EXISTENTIAL.match(declarative)
    if found is not None and found.group(2).lower() == "no":
        return found.group(1) + declarative[found.end(2) :]
    if found is None or _counts(found.group(2)) or _UNIVERSAL.search(declarative, found.end()):
        return declarative
    return f"{found.group(1)} no {declarative[found.start(2) :]}"


def _counts(word: str) -> bool:
    return word.lower() in _NEGATED_WHOLE or word[0].isdigit()


def _some(rest: str, found: re.Match[str]) -> str:
    if _LICENSED.search(rest[: found.start()]) or _FREE_CHOICE.match(rest, found.start()):
        return found.group()
    return _SOME[found.group().lower()]

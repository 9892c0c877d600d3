"""Yes/no questions and their answers, stated as one declarative sentence."""

from situatedgen.rules.yes_no.stating import state

__all__ = ["state"]

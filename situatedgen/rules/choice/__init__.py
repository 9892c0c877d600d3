"""Multiple-choice questions and their right answers, stated as one declarative sentence."""

from situatedgen.rules.choice.stating import state

__all__ = ["state"]

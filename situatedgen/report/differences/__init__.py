"""How two datasets differ, example by example, and why."""

from situatedgen.report.differences.comparing import Differences, differences
from situatedgen.report.differences.sides import Side, side
from situatedgen.report.differences.words import Kind

__all__ = ["Differences", "Kind", "Side", "differences", "side"]

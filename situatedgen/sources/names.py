"""The names of the sources that situatedgen reads by itself."""

BUILT_IN = ("arc", "commonsenseqa", "creak", "openbookqa", "strategyqa")

"""The names of the sources that situatedgen reads by itself."""

BUILT_IN = ("arc", "commonsenseqa", "creak", "openbookqa", "strategyqa")
SUPPLEMENTS = ("creak_explanations", "strategyqa_facts")
"""More of the same collections than the paper took; read only where a build asks for it."""

KNOWN = (*BUILT_IN, *SUPPLEMENTS)

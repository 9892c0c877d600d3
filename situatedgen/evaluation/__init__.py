"""How good predictions are: the paper's metrics, with intervals, tests between systems, and a page."""

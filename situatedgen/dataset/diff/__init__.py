"""How two datasets differ, example by example, and why."""

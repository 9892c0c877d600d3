"""Systems that everyone can run: baselines without weights of their own, and a prompted language model."""

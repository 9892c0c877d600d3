"""Systems that anyone can run: baselines without trained weights, and a prompted language model."""

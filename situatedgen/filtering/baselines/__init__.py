"""Baselines: what simple models answer when they see an ending alone, its sentence, or the context too."""

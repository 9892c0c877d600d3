"""The paper's trained baselines: sequence-to-sequence models that learn to write the sentences of keywords."""

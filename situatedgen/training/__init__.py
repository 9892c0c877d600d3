"""The paper's trained baselines: sequence-to-sequence models that turn keywords into sentences."""

"""The models behind the stages: one protocol per role, their implementations, and the registry that loads them."""

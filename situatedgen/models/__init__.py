"""The models behind the stages: roles, implementations, and the registry that finds them."""

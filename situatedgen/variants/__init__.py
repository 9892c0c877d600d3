"""The configurations of a dataset: the same examples in the shapes that different tasks want."""

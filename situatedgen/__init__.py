"""Domain layer: what a SituatedGen dataset is and how each of its tables is computed."""

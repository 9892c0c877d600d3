"""Before a run: what will be made, why, and of how many rows; after it: what made an artifact differ."""

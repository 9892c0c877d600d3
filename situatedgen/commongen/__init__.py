"""CommonGen concept sets: words in, sentences that use all of them out."""

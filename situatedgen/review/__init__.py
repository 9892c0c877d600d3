"""People judge pairs: what they are asked, what they decided, what stands of it, and how far they agree."""

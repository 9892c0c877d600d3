"""Client for language models behind an OpenAI-compatible API, with concurrency and a cache of paid answers."""

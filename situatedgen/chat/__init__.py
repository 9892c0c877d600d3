"""Language models behind an OpenAI-compatible address: asked some questions at a time, each answer paid for once."""

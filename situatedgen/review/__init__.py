"""Human review of pairs: questions, decisions, verdicts and inter-annotator agreement."""

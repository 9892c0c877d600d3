"""Adversarial filtering: choose wrong candidates that stylistic models cannot tell from the right one."""

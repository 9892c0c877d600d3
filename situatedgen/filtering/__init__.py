"""Adversarial filtering: wrong candidates are chosen so that models of style cannot tell them from the right one."""

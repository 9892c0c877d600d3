"""Oversampling: many wrong endings of a sentence, written by language models that never saw the right one."""

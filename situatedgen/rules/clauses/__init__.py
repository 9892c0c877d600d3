"""The grammar that conversions share: inversion undone, verbs inflected, sentences split and tidied."""

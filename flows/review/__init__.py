"""The review page: a small local web server for annotators."""

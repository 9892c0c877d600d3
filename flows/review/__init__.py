"""The review page: a small server on this machine for the people who judge pairs."""

"""Care of a store: what is in it, whether all of it is whole, and what nobody needs any more."""

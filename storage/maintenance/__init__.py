"""Store maintenance: inventory, garbage collection, and integrity checks."""

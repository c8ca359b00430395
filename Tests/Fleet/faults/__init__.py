"""Faults of a hub of several nodes, and what its clients notice of them."""

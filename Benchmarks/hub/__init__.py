"""Measures the hub, of one node and of several, from outside."""

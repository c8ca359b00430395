"""The README's pictures; see tools/pictures/run."""

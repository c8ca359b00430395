"""Interoperability tests: the built programs against Chromium, aiortc and ffmpeg."""

"""The tests: each module has `run(context)`, which raises when something is not as it must be."""

#: In the order in which they run.
ALL = [
    "instruments", "page_modules", "chromium_pair", "chromium_call", "chromium_rejected", "chromium_watch",
    "aiortc_call", "bad_line", "archive_playback", "kill_recording",
]

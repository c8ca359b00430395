"""Work on a thread of its own while something is entered."""
import threading


class Background:
    """Does `_run` on a thread of its own while entered; `_run` returns soon after `_is_over` is set."""

    def __init__(self):
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()

    def _run(self):
        raise NotImplementedError

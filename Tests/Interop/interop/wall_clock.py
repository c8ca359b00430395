"""A wall clock of the device's own, which steps at will while its monotonic clock goes on; made by Debian's faketime."""
import pathlib
import threading


class WallClock:
    """Give :attr:`variables` to the process."""

    def __init__(self, folder):
        found = sorted(pathlib.Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
        if not found:
            raise FileNotFoundError("libfaketime is not installed: apt-get install faketime")
        self._file = folder / "wall-clock"
        self.variables = {
            "LD_PRELOAD": str(found[0]), "FAKETIME_TIMESTAMP_FILE": str(self._file), "DONT_FAKE_MONOTONIC": "1",
            # It would look at the file only every ten seconds.
            "FAKETIME_NO_CACHE": "1",
        }
        self.step(0)

    def step(self, seconds):
        """From now on the clock is so far from the right time."""
        # Replaced as a whole: nobody may read half of it.
        draft = self._file.with_suffix(".new")
        draft.write_text(f"{seconds:+d}")
        draft.replace(self._file)

    def stepping(self, *offsets, pause=0.02):
        """Goes through the offsets again and again while entered; leaves the clock at the last of them."""
        return _Stepping(self, offsets, pause)


class _Stepping:
    def __init__(self, clock, offsets, pause):
        self._clock, self._offsets, self._pause = clock, offsets, pause
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self):
        self._thread.start()

    def __exit__(self, *_):
        self._is_over.set()
        self._thread.join()
        self._clock.step(self._offsets[-1])

    def _run(self):
        while True:
            for offset in self._offsets:
                self._clock.step(offset)
                if self._is_over.wait(self._pause):
                    return

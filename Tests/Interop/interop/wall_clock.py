"""A wall clock of a program's own, which steps at will while all other clocks go on.

Debian's faketime would not do: it also takes timers and waits into its hands, and counts them by the clock that steps.
"""
import mmap
import pathlib
import shutil
import struct
import subprocess

from interop.background import Background

SOURCE = pathlib.Path(__file__).with_name("wall_clock.c")


def compiler():
    """The C compiler."""
    found = shutil.which("cc") or shutil.which("clang")
    if not found:
        raise FileNotFoundError("no C compiler: apt-get install gcc libc6-dev")
    return found


class WallClock:
    """Give :attr:`variables` to the process."""

    def __init__(self, folder):
        library, offset = folder / "wall-clock.so", folder / "wall-clock"
        subprocess.run([compiler(), "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
        offset.write_bytes(bytes(mmap.PAGESIZE))
        with open(offset, "r+b") as file:
            self._offset = mmap.mmap(file.fileno(), 0)
        self.variables = {"LD_PRELOAD": str(library), "WALL_CLOCK": str(offset)}

    def step(self, seconds):
        """From now on the clock is so far from the right time."""
        self._offset[:8] = struct.pack("=q", seconds)

    def synchronise(self):
        """From now on it is right, and the kernel says so."""
        self._offset[:16] = struct.pack("=qq", 0, 1)

    def stepping(self, *offsets, pause=0.02):
        """Goes through the offsets again and again while entered; leaves the clock at the last of them."""
        return _Stepping(self, offsets, pause)


class _Stepping(Background):
    def __init__(self, clock, offsets, pause):
        super().__init__()
        self._clock, self._offsets, self._pause = clock, offsets, pause

    def __exit__(self, *details):
        super().__exit__(*details)
        self._clock.step(self._offsets[-1])

    def _run(self):
        while True:
            for offset in self._offsets:
                self._clock.step(offset)
                if self._is_over.wait(self._pause):
                    return

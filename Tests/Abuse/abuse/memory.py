"""The resident memory of a process before, at the height of, and after an attack."""
import collections.abc
import dataclasses
import pathlib
import time

from interop.background import Background

#: What may stay, of what there was before.
SHARE = 1.10
#: What an allocator keeps of a small process, however well it behaves; more where nobody waits a minute.
SLACK, QUICK_SLACK = 2 << 20, 16 << 20


def resident(pid):
    """Bytes; 0 when the process is gone."""
    try:
        text = (pathlib.Path("/proc") / str(pid) / "status").read_text()
    except OSError:
        return 0
    lines = [line for line in text.splitlines() if line.startswith("VmRSS:")]
    return int(lines[0].split()[1]) << 10 if lines else 0


@dataclasses.dataclass
class Memory(Background):
    """Watches one process on a thread of its own while entered; `find` tells its number, which a restart changes."""

    name: str
    find: collections.abc.Callable
    before: int = 0
    peak: int = 0
    after: int = 0

    def __post_init__(self):
        super().__init__()

    def __enter__(self):
        self.before = self.peak = resident(self.find())
        return super().__enter__()

    def settle(self, patience):
        """Waits until the memory is given back, so many seconds at most; returns whether it is."""
        slack = SLACK if patience >= 60 else QUICK_SLACK
        allowed, deadline = max(self.before * SHARE, self.before + slack), time.monotonic() + patience
        while True:
            self.after = resident(self.find())
            if self.after <= allowed or time.monotonic() > deadline:
                return self.after <= allowed
            time.sleep(0.5)

    def __str__(self):
        return f"{_megabytes(self.before)}/{_megabytes(self.peak)}/{_megabytes(self.after)}"

    def _run(self):
        while not self._is_over.wait(0.1):
            self.peak = max(self.peak, resident(self.find()))


def _megabytes(count):
    return f"{count / (1 << 20):.1f}"

"""The process of a party made of aiortc, seen from a test."""
import contextlib
import json
import os
import signal
import sys

from interop.processes import Running, wait_until
from interop.world import DEVICE, OPERATOR


def told_in(log):
    """The events that a party has written so far."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]


class Caller(Running):
    """Calls the device when entered, is killed when left; see caller.py for its events."""

    def __init__(self, context, world, seconds, receiver=DEVICE, *, person=OPERATOR, name="caller", network=None,
                 options=()):
        """Without a `receiver` it waits for a call; `options` are more ones of caller.py. With a `network` (see
        :mod:`bad_network`) it is at its far end."""
        output = context.scratch / f"{name}.log"
        output.unlink(missing_ok=True)
        title, password = person
        super().__init__([
            *(["nsenter", f"--net={network.namespace}"] if network else []),
            sys.executable, "-m", "interop.caller", "--hub", world.url, "--title", title, "--password", password,
            *(["--receiver", receiver] if receiver else []), *(["--address", network.far] if network else []),
            "--seconds", str(seconds), "--tone", str(context.tone), *options], output)

    @contextlib.contextmanager
    def stopped(self):
        """The process stands still meanwhile."""
        os.kill(self._child.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._child.pid, signal.SIGCONT)

    def events(self, name=None):
        """What the caller told so far, or only its events of one name."""
        return [event for event in told_in(self._output) if name in (None, event["event"])]

    def wait_for(self, name, limit=30.0):
        """The first event of this name."""
        return wait_until(lambda: self.events(name) or self._require_life(), f"the caller tells {name!r}", limit)[0]

    def require_no_errors(self):
        """Raises when aiortc has thrown anything, if only in the background."""
        if "Traceback" in self._output.read_text():
            raise AssertionError(f"the caller throws:\n{self._child.last_words()}")

    def _require_life(self):
        # The caller ends by itself after its last words.
        if not self._child.is_running and not self.events("ended"):
            raise RuntimeError(f"the caller ended early:\n{self._child.last_words()}")

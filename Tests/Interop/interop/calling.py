"""The aiortc caller's process, seen from a test."""
import json
import sys

from interop.processes import Child, wait_until
from interop.world import DEVICE, OPERATOR


class Caller:
    """Calls the device when entered, is killed when left; see caller.py for its events."""

    def __init__(self, context, world, seconds, receiver=DEVICE):
        self._output = context.scratch / "caller.log"
        self._output.unlink(missing_ok=True)
        title, password = OPERATOR
        self._arguments = [
            sys.executable, "-m", "interop.caller", "--hub", world.url, "--title", title, "--password", password,
            "--receiver", receiver, "--seconds", str(seconds), "--tone", str(context.tone)]
        self._child = None

    def __enter__(self):
        self._child = Child(self._arguments, self._output)
        return self

    def __exit__(self, *_):
        self._child.kill()

    def events(self, name=None):
        """What the caller told so far, or only its events of one name."""
        lines = self._output.read_text().splitlines() if self._output.exists() else []
        told = [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")]
        return [event for event in told if name in (None, event["event"])]

    def wait_for(self, name, limit=30.0):
        """The first event of this name."""
        return wait_until(lambda: self.events(name), f"the caller tells {name!r}", limit, alive=self._alive(name))[0]

    def _alive(self, name):
        # The caller ends by itself after its last words.
        return [] if name == "ended" else [self._child]

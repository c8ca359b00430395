"""The process of :mod:`room`, seen from a test."""
import json
import pathlib
import sys

import numpy

from interop import hearing
from interop.processes import Child, wait_until


class RoomProcess:
    """A room around the device while entered: whoever calls and whoever stands in it can be made to speak."""

    def __init__(self, folder: pathlib.Path, server, acoustics):
        self._folder = folder
        self._folder.mkdir()
        self._server, self._acoustics = server, acoustics
        self._child = None
        self._count = 0

    def __enter__(self):
        acoustics = self._folder / "acoustics.npz"
        numpy.savez(acoustics, drive=self._acoustics.drive, gain=self._acoustics.gain, taps=self._acoustics.taps)
        self._child = Child(
            [sys.executable, "-m", "interop.room", "--server", self._server.address, "--acoustics", acoustics, "--folder",
             self._folder], self._folder / "room.log", self._server.client_variables, obeys=True, is_hurried=True)
        self._wait_for_answer()
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self._child.last_words())
        self._child.kill()

    def near(self, samples):
        """Somebody in the room says this from now on. Returns the time, of CLOCK_MONOTONIC."""
        return self._say("near", samples)

    def far(self, samples):
        """The same into the browser's microphone."""
        return self._say("far", samples)

    def end(self):
        """Ends the room; returns what was :class:`hearing.Heard`."""
        self._child.tell("end")
        self._wait_for_answer()
        return hearing.read(self._folder)

    def _say(self, who, samples):
        path = self._folder / f"said.{self._count}.raw"
        (numpy.clip(samples, -1, 1) * 32_767).astype("<i2").tofile(path)
        self._child.tell(f"{who} {path}")
        return self._wait_for_answer()["at"]

    def _wait_for_answer(self):
        wanted, self._count = self._count, self._count + 1

        def answers():
            lines = self._child.log.read_text().splitlines()
            return [json.loads(line) for line in lines if line.startswith("{") and line.endswith("}")][wanted:]
        return wait_until(answers, "the room obeys", alive=[self._child])[0]

"""A room between the sinks of a :mod:`pulse` server, a process of its own since it has to keep time.

What `speaker` plays is bent as a small loudspeaker bends it, sounds in the room, and comes to `microphone` together with what is said there.
Another thread says what a browser's microphone hears. What all sinks play is written down with the clock's time.

Obeys lines on its standard input, `near FILE` and `far FILE` (raw samples to be said from now on) and `end`, and answers each with a line.
"""
import argparse
import json
import pathlib
import queue
import sys
import threading
import time

import numpy

from interop import pulse, pulse_stream
from interop.convolution import Convolution
from interop.pulse_stream import BLOCK, RATE, StreamEnded

PAUSE = 0.05
#: Seconds within which sound flows.
START = 5
#: Milliseconds of sound that wait before a sink plays them: what the room's air takes in all. No busy machine may make a gap in it, which no air has.
AIR = 80
#: The same of whoever speaks into a browser's microphone.
AHEAD = 40


class Voice:
    """What somebody says, block by block; silence when there is nothing to say."""

    def __init__(self):
        self._files = queue.SimpleQueue()
        self._rest = numpy.zeros(0, numpy.int16)

    def say(self, path):
        self._files.put(numpy.fromfile(path, numpy.int16))

    def block(self):
        if not len(self._rest) and not self._files.empty():
            self._rest = self._files.get()
        said, self._rest = self._rest[:BLOCK], self._rest[BLOCK:]
        return numpy.concatenate([said, numpy.zeros(BLOCK - len(said), numpy.int16)])


class Part(threading.Thread):
    """Does `_stream` again and again, since the server may go and come back."""

    def __init__(self, server, ended):
        super().__init__(daemon=True)
        self.server, self._ended = server, ended
        #: Sound has passed.
        self.flows = threading.Event()

    def run(self):
        while not self._ended.is_set():
            try:
                self._stream()
            except StreamEnded:
                time.sleep(PAUSE)

    def _stream(self):
        raise NotImplementedError


class Far(Part):
    """Whoever speaks into a browser's microphone."""

    def __init__(self, server, ended):
        super().__init__(server, ended)
        self.voice = Voice()

    def _stream(self):
        with pulse_stream.Playing(self.server, pulse.PAGE_MICROPHONE, AHEAD) as microphone:
            while not self._ended.is_set():
                microphone.write(self.voice.block())
                self.flows.set()


class Room(Part):
    """From the loudspeaker to the microphone; keeps echo and near speech apart for the judge."""

    def __init__(self, server, ended, acoustics):
        super().__init__(server, ended)
        self.voice = Voice()
        self._drive, self._gain = float(acoustics["drive"]), float(acoustics["gain"])
        self._taps = acoustics["taps"]
        self._heard = []

    def _stream(self):
        room = Convolution(self._taps, BLOCK)
        with pulse_stream.Playing(self.server, pulse.MICROPHONE, AIR) as microphone, \
                pulse_stream.Listening(self.server, pulse.monitor(pulse.SPEAKER), 10) as speaker:
            while not self._ended.is_set():
                played = speaker.read() / 32_768
                echo = room(numpy.tanh(played * self._drive) / self._gain)
                near = self.voice.block()
                microphone.write(_limited(echo + near / 32_768))
                self._heard.append(numpy.stack([_limited(echo), near]))
                self.flows.set()

    def save(self, folder):
        echo, near = numpy.concatenate(self._heard or [numpy.zeros((2, 0), numpy.int16)], axis=1)
        echo.tofile(folder / "echo.raw")
        near.tofile(folder / "near.raw")


class Recorder(Part):
    """What a sink plays, each piece with the time of the clock at which its last sample was there."""

    def __init__(self, server, ended, sink):
        super().__init__(server, ended)
        self.sink = sink
        self._pieces = []

    def _stream(self):
        with pulse_stream.Listening(self.server, pulse.monitor(self.sink), 10) as source:
            blocks, times = [], []
            self._pieces.append((blocks, times))
            while not self._ended.is_set():
                blocks.append(source.read())
                times.append(time.monotonic())
                self.flows.set()

    def save(self, folder):
        pieces = [(numpy.concatenate(blocks), numpy.array(times)) for blocks, times in self._pieces if blocks and times]
        for number, (samples, times) in enumerate(pieces):
            numpy.savez(folder / f"{self.sink}.{number}.npz", samples=samples, times=times)


def _limited(samples):
    return numpy.clip(samples * 32_768, -32_768, 32_767).astype(numpy.int16)


def main():
    options = _options()
    sys.setswitchinterval(0.001)
    ended = threading.Event()
    room, far = Room(options.server, ended, numpy.load(options.acoustics)), Far(options.server, ended)
    recorders = [Recorder(options.server, ended, sink) for sink in pulse.SINKS]
    parts = (*recorders, room, far)
    for part in parts:
        part.start()
    # A sink without listeners has played silence up to two seconds ahead, and takes nothing until those are over.
    for part in parts:
        part.flows.wait(START)
    _obey({"near": room.voice, "far": far.voice})
    ended.set()
    for part in parts:
        part.join(timeout=2)
    for part in (*recorders, room):
        part.save(options.folder)
    _answer("end")


def _obey(voices):
    _answer("ready")
    for line in sys.stdin:
        word, *path = line.split()
        if word == "end":
            return
        voices[word].say(path[0])
        _answer(word)


def _answer(word):
    print(json.dumps({"event": word, "at": time.monotonic()}), flush=True)


def _options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--acoustics", required=True, help="the room, as numpy's archive of drive, gain and taps")
    parser.add_argument("--folder", required=True, type=pathlib.Path, help="where to write what was heard")
    return parser.parse_args()


if __name__ == "__main__":
    main()

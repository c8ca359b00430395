"""What is said in a room and how the room sounds; made before a test runs. The rooms and the voices are those of Benchmarks/echo."""
import dataclasses
import pathlib
import sys

import numpy
from scipy.signal import oaconvolve, sosfilt

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "Benchmarks/echo"))
import rooms  # noqa: E402
import scenarios  # noqa: E402
import voices  # noqa: E402

RATE = 48_000
SIZE, DECAY = (4.3, 3.4, 2.6), 0.3
#: Where the microphone hangs, and where from there the loudspeaker and whoever speaks are; metres.
PLACE, LOUDSPEAKER, TALKER = (1.2, 0.9, 1.4), (0.04, 0.03, -0.12), (0.5, 0.35, 0.1)
#: Decibels of full scale, of speech without its pauses: of whoever calls, of its echo, of whoever speaks in the room.
FAR, ECHO, NEAR = -22, -26, -26
DISTORTION = 0.05


@dataclasses.dataclass(frozen=True)
class Room:
    """From what the loudspeaker is given to what the microphone hears of it."""

    #: Samples are multiplied by `drive`, bent by `tanh`, and divided by `gain`.
    drive: float
    gain: float
    taps: numpy.ndarray


def far_speech(seconds):
    return voices.leveled(voices.speak("en-us", "m3", seconds, pitch=45), FAR)


def near_speech(seconds):
    """As the microphone hears it, with the room's reverberation."""
    said = voices.speak("en-gb", "f2", seconds, speed=145, pitch=60)
    taps = rooms.response(SIZE, numpy.array(PLACE) + TALKER, PLACE, DECAY)
    return voices.leveled(oaconvolve(said, taps)[:len(said)], NEAR)


def room(far):
    """The room in which the far speech's echo has the level and the distortion that are wanted."""
    drive, gain = scenarios.clipping(far, DISTORTION)
    taps = sosfilt(scenarios.CABINET, rooms.response(SIZE, numpy.array(PLACE) + LOUDSPEAKER, PLACE, DECAY))
    echo = oaconvolve(numpy.tanh(far * drive) / gain, taps)[:len(far)]
    level = numpy.sqrt((echo[voices.active(echo)] ** 2).mean())
    return Room(drive, gain, taps * 10 ** (ECHO / 20) / level)

"""What the sinks of a :mod:`pulse` server played, on one timeline, and how alike two sounds are."""
import dataclasses
import pathlib

import numpy

from interop import pulse
from interop.pulse_stream import BLOCK, RATE

#: Of what is compared piece by piece, since jitter buffers stretch sound.
WINDOW = RATE // 2
#: By how much a jitter buffer may have moved sound meanwhile.
SHIFT = RATE * 60 // 1000


@dataclasses.dataclass(frozen=True)
class Heard:
    """Sounds as floats of full scale 1. Their first samples are of the same instant, `begin` of CLOCK_MONOTONIC."""

    begin: float
    #: By sink.
    sinks: dict
    #: What of the microphone's sound came from the loudspeaker, and from whoever spoke in the room.
    echo: numpy.ndarray
    near: numpy.ndarray

    def part(self, begin, end):
        """The samples between two times of CLOCK_MONOTONIC."""
        return slice(*(round((at - self.begin) * RATE) for at in (begin, end)))


def read(folder: pathlib.Path):
    """What :mod:`room` wrote."""
    pieces = {sink: [_placed(path) for path in sorted(folder.glob(f"{sink}.*.npz"))] for sink in pulse.SINKS}
    begin = min(at for placed in pieces.values() for at, _ in placed)
    end = max(at + len(samples) / RATE for placed in pieces.values() for at, samples in placed)
    sinks = {}
    for sink, placed in pieces.items():
        sinks[sink] = numpy.zeros(round((end - begin) * RATE))
        for at, samples in placed:
            first = round((at - begin) * RATE)
            sinks[sink][first:first + len(samples)] = samples[:len(sinks[sink]) - first] / 32_768
    return Heard(begin, sinks, *_components(folder, sinks[pulse.MICROPHONE]))


def _placed(path):
    """When the first sample was there, and the samples.

    A sink plays at the pace of the clock; a reader that comes late finds several blocks at once, so the earliest counts.
    """
    with numpy.load(path) as kept:
        times, samples = kept["times"], kept["samples"]
    return float((times - (numpy.arange(len(times)) + 1) * BLOCK / RATE).min()), samples


def _components(folder, microphone):
    echo, near = (numpy.fromfile(folder / f"{name}.raw", numpy.int16) / 32_768 for name in ("echo", "near"))
    at = lag(echo + near, microphone)
    return tuple(shifted(samples, at, len(microphone)) for samples in (echo, near))


def shifted(samples, by, length):
    """So many samples, with the first one at the place `by`."""
    result = numpy.zeros(length)
    first, last = max(0, by), min(length, by + len(samples))
    if last > first:
        result[first:last] = samples[first - by:last - by]
    return result


def lag(source, heard):
    """By how many samples `heard` is later than `source`."""
    size = 1 << (len(source) + len(heard)).bit_length()
    products = numpy.fft.irfft(numpy.fft.rfft(heard, size) * numpy.conj(numpy.fft.rfft(source, size)), size)
    found = int(numpy.argmax(products))
    return found if found < size // 2 else found - size


def follow(source, heard, part, expected):
    """`heard` where `source` is in the slice `part`, moved so that both are in step in each window.

    `expected` is the lag from which it differs by :data:`SHIFT` at most. Returns the samples and the likeness in each window.
    """
    moved, likenesses = numpy.zeros(part.stop - part.start), []
    for begin in range(part.start, part.stop - WINDOW + 1, WINDOW):
        original = source[begin:begin + WINDOW]
        copy = _cut(heard, begin + expected - SHIFT, WINDOW + 2 * SHIFT)
        products = numpy.fft.irfft(numpy.fft.rfft(copy, 2 * WINDOW) * numpy.conj(numpy.fft.rfft(original, 2 * WINDOW)))
        shift = int(numpy.argmax(numpy.abs(products[:2 * SHIFT])))
        matching = copy[shift:shift + WINDOW]
        moved[begin - part.start:begin - part.start + WINDOW] = matching
        likenesses.append(abs(matching @ original) / numpy.sqrt((matching @ matching) * (original @ original) + 1e-12))
    return moved, numpy.array(likenesses)


def _cut(samples, begin, count):
    return shifted(samples[max(0, begin):begin + count], max(0, -begin), count)


def times_of_tone(samples, frequency, share=0.2):
    """Seconds from the first sample at which blocks of 10 ms begin that hold the tone at a share of its greatest strength."""
    blocks = samples[:len(samples) // BLOCK * BLOCK].reshape(-1, BLOCK)
    strengths = numpy.abs(blocks @ numpy.exp(-2j * numpy.pi * frequency / RATE * numpy.arange(BLOCK)))
    return numpy.flatnonzero(strengths > share * strengths.max()) * BLOCK / RATE


def decibels(samples):
    """The mean level, of full scale."""
    return 10 * numpy.log10((samples ** 2).mean() + 1e-12) if len(samples) else -120.0

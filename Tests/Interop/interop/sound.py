"""Tones: made as files, and found again in what was received."""
import pathlib
import wave

import numpy


def write_tone(path: pathlib.Path, frequency, seconds=10, rate=48_000):
    """A mono tone of whole periods, so that a loop has no click."""
    samples = numpy.sin(2 * numpy.pi * frequency * numpy.arange(seconds * rate) / rate) * 0.4 * 32767
    with wave.open(str(path), "wb") as output:
        output.setnchannels(1)
        output.setsampwidth(2)
        output.setframerate(rate)
        output.writeframes(samples.astype("<i2").tobytes())


def strongest_tone(samples, rate):
    """The frequency with the most power, and the share of all power within 20 Hz of it."""
    samples = numpy.asarray(samples, dtype=numpy.float64)
    if len(samples) < rate // 2:
        raise AssertionError(f"{len(samples)} samples are too few to find a tone in")
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples)))) ** 2
    frequencies = numpy.fft.rfftfreq(len(samples), 1 / rate)
    audible = frequencies > 40
    peak = frequencies[audible][numpy.argmax(spectrum[audible])]
    total = spectrum[audible].sum()
    near = spectrum[audible & (numpy.abs(frequencies - peak) <= 20)].sum()
    return float(peak), float(near / total) if total else 0.0


def tones(samples, rate, least=0.02):
    """The frequencies of all tones, to 10 Hz, that have at least that share of the strongest one's power."""
    samples = numpy.asarray(samples, dtype=numpy.float64)
    spectrum = numpy.abs(numpy.fft.rfft(samples * numpy.hanning(len(samples)))) ** 2
    frequencies = numpy.fft.rfftfreq(len(samples), 1 / rate)
    power = numpy.bincount(numpy.rint(frequencies / 10).astype(int), weights=spectrum)
    power[:5] = 0
    return [10 * int(index) for index in numpy.flatnonzero(power >= least * power.max())]


def require_tone(samples, rate, frequency, what, share=0.8):
    """Raises unless `samples` are mostly a tone of `frequency`."""
    peak, found = strongest_tone(samples, rate)
    if abs(peak - frequency) > 5 or found < share:
        raise AssertionError(f"{what}: strongest at {peak:.1f} Hz with {found:.0%} of the power, not {frequency} Hz")

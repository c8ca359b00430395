"""Figures of one run: what is left of echo and what has become of near speech."""
import numpy

from scenarios import JUMP, PARTS, RATE
from voices import active


def decibels(ratio):
    return 10 * numpy.log10(max(ratio, 1e-12))


def power(samples):
    return float((samples ** 2).mean()) if len(samples) else 0.0


def part(samples, name, skip=0.0):
    begin, end = PARTS[name]
    return samples[int((begin + skip) * RATE):int(end * RATE)]


def latency(output, near):
    """Samples by which the output lags, where near speech is alone."""
    begin, end = int(PARTS["near"][0] * RATE), int(PARTS["near"][1] * RATE)
    reference, measured = near[begin:end], output[begin:end + 9_600]
    size = 1 << 18
    spectrum = numpy.fft.rfft(measured, size) * numpy.conj(numpy.fft.rfft(reference, size))
    return int(numpy.argmax(numpy.fft.irfft(spectrum)[:9_600]))


def worst_second(echo, output):
    """The least reduction of echo over any second in which there is some."""
    found = []
    for begin in range(0, len(echo) - RATE + 1, RATE // 4):
        if power(echo[begin:begin + RATE]) > power(echo) / 10:
            found.append(decibels(power(echo[begin:begin + RATE]) / power(output[begin:begin + RATE])))
    return min(found)


def measure(echo, near, output, parts=None):
    """`parts`: near speech and echo in the output, where the canceller tells them apart, aligned with the output."""
    lag = latency(output, near)
    aligned = lambda samples: numpy.concatenate([samples[lag:], numpy.zeros(lag)])
    output = aligned(output)
    found = {"latency": lag / RATE * 1_000}
    found["erle"] = decibels(power(part(echo, "far", 2)) / power(part(output, "far", 2)))
    found["erle worst s"] = worst_second(part(echo, "far", 2), part(output, "far", 2))
    for name, label in (("both", ""), ("late", " late")):
        said, heard, echoed = (part(samples, name, 0.2) for samples in (near, output, echo))
        spoken = active(said)
        found["near" + label] = decibels(power(heard[spoken]) / power(said[spoken]))
        gain = (heard[spoken] @ said[spoken]) / (said[spoken] @ said[spoken])
        found["correlation" + label] = gain * numpy.sqrt((said[spoken] @ said[spoken]) / (heard[spoken] @ heard[spoken] + 1e-20))
        silent = pauses(said)
        found["echo in pauses" + label] = decibels(power(echoed[silent]) / power(heard[silent])) if silent.any() else numpy.nan
        if parts is not None:
            left = part(aligned(parts[1]), name, 0.2)
            found["echo down" + label] = decibels(power(echoed) / power(left))
    said, heard = part(near, "near"), part(output, "near")
    found["near alone"] = decibels(power(heard) / power(said))
    begin = int((JUMP + 2) * RATE)
    end = int(PARTS["again"][1] * RATE)
    found["after jump"] = decibels(power(echo[begin:end]) / power(output[begin:end]))
    return found


def pauses(said):
    """Where near speech has been silent for 60 ms, and is for 20 ms more."""
    loud = active(said, depth=32).astype(float)
    window = numpy.ones(int(0.08 * RATE))
    return numpy.convolve(loud, window)[int(0.02 * RATE):][:len(said)] < 0.5

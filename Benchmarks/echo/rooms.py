"""Rooms: impulse responses of shoebox rooms by the image-source method (Allen and Berkley, 1979), and paths that change."""
import numpy
from scipy.signal import butter, firwin, oaconvolve, sosfilt

RATE = 48_000
SOUND = 343.0
OVERSAMPLED = 4
LOW_CUT = butter(2, 60, "highpass", fs=RATE, output="sos")
CUT = firwin(8 * 33 + 1, 0.95 / OVERSAMPLED)


def reflection(size, decay):
    """The walls' reflection coefficient that gives a room of this size this RT60 (Eyring)."""
    volume, surface = numpy.prod(size), 2 * (size[0] * size[1] + size[1] * size[2] + size[0] * size[2])
    return numpy.sqrt(numpy.exp(-0.161 * volume / (surface * decay)))


def response(size, source, microphone, decay, length=None):
    """The impulse response from source to microphone, all in metres and seconds; a source at 1 m has gain 1."""
    length = length or decay
    walls = reflection(size, decay)
    reach = SOUND * length
    counts = [int(numpy.ceil(reach / (2 * side))) for side in size]
    axes = []
    for side, here, there, count in zip(size, source, microphone, counts):
        index = numpy.arange(-count, count + 1)
        distance = numpy.concatenate([2 * index * side + here - there, 2 * index * side - here - there])
        bounces = numpy.concatenate([2 * abs(index), abs(index - 1) + abs(index)])
        axes.append((distance, bounces))
    grid = numpy.zeros(int(length * RATE * OVERSAMPLED) + len(CUT))
    (x, bx), (y, by), (z, bz) = axes
    for first, bounces in zip(x, bx):
        distance = numpy.sqrt(first ** 2 + y[:, None] ** 2 + z[None, :] ** 2)
        gain = walls ** (bounces + by[:, None] + bz[None, :]) / numpy.maximum(distance, 0.02)
        place = (distance / SOUND * RATE * OVERSAMPLED).round().astype(int)
        near = distance < reach
        grid += numpy.bincount(place[near], gain[near], len(grid))
    taps = numpy.convolve(grid, CUT * OVERSAMPLED)[(len(CUT) - 1) // 2::OVERSAMPLED][:int(length * RATE)] / OVERSAMPLED
    # Images that are all positive sum up at the lowest frequencies, which no room does (Allen and Berkley, section II).
    return sosfilt(LOW_CUT, taps)


def moving(signal, responses, starts, fade):
    """Convolves with one response after the other, cross-faded over `fade` samples at the given starts."""
    result = numpy.zeros(len(signal))
    for index, taps in enumerate(responses):
        begin = starts[index]
        end = starts[index + 1] + fade if index + 1 < len(starts) else len(signal)
        weight = numpy.zeros(len(signal))
        weight[begin:end] = 1
        if index > 0:
            weight[begin:begin + fade] = numpy.linspace(0, 1, fade)
        if index + 1 < len(starts):
            weight[starts[index + 1]:end] = numpy.linspace(1, 0, fade)[:len(weight[starts[index + 1]:end])]
        low = max(0, begin - len(taps))
        result[low:end] += weight[low:end] * oaconvolve(signal[low:end], taps)[:end - low]
    return result


def shifted(signal, partsPerMillion, taps=48):
    """The signal as a clock that runs faster by so much would sample it."""
    if partsPerMillion == 0:
        return signal.copy()
    place = numpy.arange(len(signal)) * (1 - partsPerMillion * 1e-6)
    whole = numpy.floor(place).astype(int)
    rest = place - whole
    padded = numpy.concatenate([numpy.zeros(taps), signal, numpy.zeros(2 * taps)])
    result = numpy.zeros(len(signal))
    for tap in range(-taps // 2 + 1, taps // 2 + 1):
        distance = rest - tap
        result += padded[numpy.clip(whole + tap + taps, 0, len(padded) - 1)] * numpy.sinc(distance) * numpy.cos(numpy.pi * distance / (taps + 2)) ** 2
    return result

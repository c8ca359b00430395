"""A tone to play into the guest's sound card, and how well it comes out of a recording."""
import array
import cmath
import math
import random
import statistics
import subprocess
import wave

RATE = 48_000
FREQUENCY = 1_000
WINDOW = RATE // 50


def write_tone(path, seconds):
    """Writes a sine of 1,000 Hz as a mono WAV file of 16 bits at 48 kHz."""
    cycle = [round(12_000 * math.sin(2 * math.pi * FREQUENCY * index / RATE)) for index in range(RATE // FREQUENCY)]
    _write(path, array.array("h", cycle * (seconds * FREQUENCY)))


def _write(path, samples):
    """Mono, 16 bits, 48 kHz."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def write_bursts(path, seconds, bursts, length=1.5):
    """Writes quiet noise with loud noise from each of `bursts`, in seconds, for `length` seconds."""
    draw = random.Random(7)
    samples = array.array("h", (draw.randrange(-150, 151) for _ in range(seconds * RATE)))
    for begin in bursts:
        for index in range(round(begin * RATE), round((begin + length) * RATE)):
            samples[index] = draw.randrange(-9_000, 9_001)
    _write(path, samples)


def decode(path):
    """The samples of a recording's sound track, from -1 to 1."""
    result = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(path), "-map", "0:a:0", "-f", "f32le", "-ac", "1", "-ar", str(RATE), "-"],
        check=True, capture_output=True, timeout=120)
    samples = array.array("f")
    samples.frombytes(result.stdout)
    return samples


class ToneAnalysis:
    """Compares samples with the tone in windows of 20 ms.

    The phase against an ideal sine moves by the difference of the frequencies; its slope over many windows is exact
    to thousandths of a hertz, where an FFT of the same time would be to a twentieth.
    """

    def __init__(self, samples):
        reference = [cmath.exp(-2j * math.pi * FREQUENCY * index / RATE) for index in range(WINDOW)]
        self.energies = []
        self.purities = []
        self.phases = []
        for start in range(0, len(samples) - WINDOW + 1, WINDOW):
            window = samples[start : start + WINDOW]
            energy = sum(value * value for value in window)
            tone = sum(value * factor for value, factor in zip(window, reference))
            self.energies.append(energy)
            self.purities.append(2 * abs(tone) ** 2 / WINDOW / energy if energy > 0 else 0)
            self.phases.append(cmath.phase(tone))

    @property
    def usual_energy(self):
        """That of a window with the tone, as long as a tenth of them have it."""
        return statistics.quantiles(self.energies, n=10)[-1]

    def silent_windows(self, first=0, last=None):
        """The numbers of the windows with less than half of the usual energy."""
        limit = self.usual_energy / 2
        return [index for index, energy in enumerate(self.energies[first:last], first) if energy < limit]

    @property
    def purity(self):
        """The tone's share of all energy, as the median of the windows."""
        return statistics.median(self.purities)

    @property
    def frequency(self):
        """Hertz."""
        steps = [(after - before + math.pi) % (2 * math.pi) - math.pi
                 for before, after in zip(self.phases, self.phases[1:])]
        return FREQUENCY + statistics.mean(sorted(steps)[len(steps) // 10 : -len(steps) // 10]) * 50 / (2 * math.pi)

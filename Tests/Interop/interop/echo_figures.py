"""What has become of echo and of near speech on the way from a room's microphone to whoever listens."""
import dataclasses

import numpy

from interop import hearing
from interop.pulse_stream import RATE

#: Samples of a frame in which frequencies are told apart: 40 ms.
FRAME = 1_920
#: In double talk, echo is measured at the times and frequencies at which it is louder than near speech by so many decibels.
DOMINANT = 25
#: Below this share of the strongest, a frequency of the echo says nothing.
FAINT = 45


@dataclasses.dataclass(frozen=True)
class Figures:
    """Decibels, but for likenesses (correlations, 0 to 1)."""

    #: The reduction of echo while the far end speaks alone.
    erle: float
    #: The same while both speak, where near speech is fainter by far.
    echo_down: float
    #: The correlation of what is heard with echo while both speak.
    echo_likeness: float
    #: The level of near speech while both speak, to what it was at the microphone, and the correlation with that.
    near: float
    near_likeness: float

    def __str__(self):
        return (f"ERLE {self.erle:.1f} dB, in double talk echo {self.echo_down:.1f} dB down (likeness {self.echo_likeness:.2f}), "
                f"near speech {self.near:+.1f} dB (likeness {self.near_likeness:.2f})")


def measure(echo, near, output, far_alone, both):
    """`output` is what came of `echo` and `near`, later by whatever there is; `far_alone` and `both` are slices of those."""
    reference = echo + near
    late = hearing.lag(near, output) if (near[both] ** 2).any() else hearing.lag(reference, output)
    alone = output[far_alone.start + late:far_alone.stop + late]
    heard, near_likeness = hearing.follow(near, output, both, late)
    spoken = _spoken(near[both])
    return Figures(
        erle=hearing.decibels(echo[far_alone]) - hearing.decibels(alone),
        echo_down=_echo_down(echo[both], near[both], heard),
        echo_likeness=float(hearing.follow(echo, output, both, late)[1].mean()),
        near=hearing.decibels(heard[spoken]) - hearing.decibels(near[both][spoken]),
        near_likeness=float(near_likeness.mean()))


def _spoken(samples, depth=35):
    """Which samples lie in blocks of 10 ms that are not more than `depth` dB below the loudest ones."""
    blocks = samples[:len(samples) // 480 * 480].reshape(-1, 480)
    power = (blocks ** 2).mean(1)
    loud = power > numpy.quantile(power, 0.95) * 10 ** (-depth / 10)
    return numpy.concatenate([numpy.repeat(loud, 480), numpy.zeros(len(samples) - 480 * len(blocks), bool)])


def _echo_down(echo, near, heard):
    echo, near, heard = (_spectrogram(samples) for samples in (echo, near, heard))
    telling = (echo > near * 10 ** (DOMINANT / 10)) & (echo > echo.max() * 10 ** (-FAINT / 10))
    return float(10 * numpy.log10(echo[telling].sum() / (heard[telling].sum() + 1e-12)))


def _spectrogram(samples):
    frames = numpy.lib.stride_tricks.sliding_window_view(samples, FRAME)[::FRAME // 2] * numpy.hanning(FRAME)
    power = numpy.abs(numpy.fft.rfft(frames, axis=1)) ** 2
    # Speech; little is left of what is above on the way through a codec.
    return power[:, 4:FRAME * 8_000 // RATE]

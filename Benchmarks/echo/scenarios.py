"""What the microphone hears: echo, near speech and noise apart, so that each can be measured in the output."""
import dataclasses

import numpy
from scipy.signal import butter, oaconvolve, sosfilt

import rooms
import voices

RATE = 48_000
#: Seconds: the far end alone, both, the near end alone, the far end alone, both.
PARTS = {"far": (0, 8), "both": (8, 18), "near": (18, 20), "again": (20, 28), "late": (28, 36)}
LENGTH = 36
#: When the delay jumps.
JUMP = 23
#: What a small loudspeaker lets through.
CABINET = butter(2, (120, 14_000), "bandpass", fs=RATE, output="sos")


@dataclasses.dataclass(frozen=True)
class Scenario:
    name: str
    decay: float = 0.3
    delay: float = 0.08
    told: float = 0.02          # by how much the delay that is told is wrong
    ppm: float = 0.0
    jump: float = 0.0           # by how much the delay changes
    jump_told: bool = False
    walking: bool = False       # the talker
    distortion: float = 0.05
    ratio: float = 0.0          # near end to echo, dB
    noise: float = -66.0
    level: float = -26.0        # the echo's
    far: tuple = ("en-us", "", 50)
    near: tuple = ("de", "f2", 60)
    seed: int = 1
    size: tuple = ()            # of the room, metres
    speaker: tuple = (0.04, 0.03, -0.12)  # from the microphone
    talker: tuple = (0.5, 0.35, 0.1)
    bias: float = 0.0           # of the clipping, which makes even harmonics, too


SCENARIOS = [
    Scenario("plain RT60 0.3"),
    Scenario("dry RT60 0.2", decay=0.2, delay=0.02, told=-0.01, far=("fr-fr", "f3", 60), near=("en-us", "", 45)),
    Scenario("hall RT60 0.6", decay=0.6, delay=0.14, told=0.04, far=("es", "f4", 55), near=("ru", "m3", 45)),
    Scenario("hall, long delay", decay=0.6, delay=0.2, told=-0.05, far=("ru", "m1", 40), near=("it", "f1", 60)),
    Scenario("5 ppm", ppm=5, decay=0.4, far=("pl", "f2", 50), near=("en-gb", "m2", 50)),
    Scenario("100 ppm", ppm=100, decay=0.4, far=("en-gb", "m4", 50), near=("es", "f3", 50)),
    Scenario("-100 ppm", ppm=-100, decay=0.3, far=("it", "f2", 50), near=("fr-fr", "m5", 50)),
    Scenario("jump +37 ms", jump=0.037, decay=0.3, far=("de", "m3", 40), near=("en-us", "f1", 60)),
    Scenario("jump -60 ms", jump=-0.06, delay=0.12, decay=0.4, far=("en-us", "f5", 60), near=("pl", "m1", 45)),
    Scenario("jump +150 ms", jump=0.15, delay=0.05, decay=0.3, far=("en-gb", "f1", 55), near=("de", "m7", 40)),
    Scenario("walking", walking=True, decay=0.4, far=("en-us", "m2", 45), near=("it", "f4", 60)),
    Scenario("quiet talker -6 dB", ratio=-6, decay=0.3, far=("fr-fr", "m2", 45), near=("en-gb", "f2", 60)),
    Scenario("quiet talker -10 dB", ratio=-10, decay=0.4, far=("en-us", "", 50), near=("de", "f2", 60)),
    Scenario("loud talker +6 dB", ratio=6, decay=0.4, far=("es", "m1", 45), near=("en-us", "f3", 60)),
    Scenario("noise 30 dB below", noise=-56, decay=0.3, far=("de", "f1", 60), near=("ru", "f2", 60)),
    Scenario("linear speaker", distortion=0.0, decay=0.4, far=("it", "m1", 45), near=("es", "f2", 60)),
    Scenario("worst: 0.6 s, walk, -6 dB, 5 ppm", decay=0.6, walking=True, ratio=-6, ppm=5, delay=0.17, told=0.05,
             far=("ru", "f2", 55), near=("en-us", "m3", 45)),
]


def unseen(count, seed=2_026):
    """Scenarios that nothing was tuned with: rooms, places, voices, levels, delays and clocks drawn at random."""
    generator = numpy.random.default_rng(seed)
    languages = list(voices.TEXTS)
    variants = ["m1", "m2", "m3", "m4", "m5", "m6", "m7", "f1", "f2", "f3", "f4", "f5"]
    for index in range(count):
        draw = generator.uniform
        first, second = generator.choice(languages, 2, replace=False)
        one, other = generator.choice(variants, 2, replace=False)
        distance, angle = draw(0.06, 0.25), draw(0, 2 * numpy.pi)
        jump = float(generator.choice([0, 0, 1])) * draw(-0.05, 0.12)
        scenario = Scenario(
            f"unseen {index + 1}", decay=draw(0.2, 0.6), delay=draw(0.06, 0.2), told=draw(-0.05, 0.05),
            ppm=float(generator.choice([0, 5, -5, 20, 100, -100])), jump=jump, walking=bool(generator.random() < 0.3),
            ratio=draw(-6, 6), noise=draw(-72, -58), level=draw(-34, -22), far=(str(first), str(one), int(draw(35, 65))),
            near=(str(second), str(other), int(draw(35, 65))), seed=100 + index, size=tuple(draw((2.5, 2.2, 2.3), (8, 6, 3.5))),
            speaker=(distance * numpy.cos(angle), 0.03, distance * numpy.sin(angle)),
            talker=(draw(0.3, 1), draw(0.1, 0.8), draw(-0.1, 0.3)), bias=draw(0, 0.5))
        yield scenario


def loudspeaker(samples, distortion, bias=0.0):
    """A small loudspeaker: no bass, and soft clipping whose products have this share of the amplitude."""
    samples = sosfilt(butter(2, 180, "highpass", fs=RATE, output="sos"), samples)
    if distortion > 0:
        drive, gain = clipping(samples, distortion, bias)
        samples = (numpy.tanh(samples * drive + bias) - numpy.tanh(bias)) / gain
        samples -= samples.mean()
    return sosfilt(CABINET, samples)


def clipping(samples, distortion, bias=0.0):
    """What samples are to be multiplied by before `tanh`, and divided by after it, for that distortion."""
    low, high = 0.01, 100.0
    scale = numpy.sqrt((samples ** 2).mean())
    for _ in range(30):
        drive = numpy.sqrt(low * high)
        clipped = numpy.tanh(samples / scale * drive + bias) - numpy.tanh(bias)
        clipped -= clipped.mean()
        gain = (clipped @ samples) / (samples @ samples)
        share = numpy.sqrt(((clipped - gain * samples) ** 2).mean() / (clipped ** 2).mean())
        low, high = (drive, high) if share < distortion else (low, drive)
    return drive / scale, gain


def within(samples, *parts):
    """Silence but in these parts, faded over 5 ms."""
    mask = numpy.zeros(len(samples))
    for part in parts:
        begin, end = (int(second * RATE) for second in PARTS[part])
        mask[begin:end] = 1
    return samples * numpy.convolve(mask, numpy.ones(480) / 480, "same")


def make(scenario):
    """Returns far end, and what it, the near end and noise are at the microphone, each as floats of full scale 1."""
    generator = numpy.random.default_rng(scenario.seed)
    size = scenario.size or ((4.3, 3.4, 2.6) if scenario.decay < 0.5 else (7.1, 5.2, 3.1))
    microphone = numpy.array([1.2, 0.9, 1.4])
    speaker = microphone + scenario.speaker
    far = voices.leveled(voices.speak(*scenario.far[:2], LENGTH, pitch=scenario.far[2]), -22)
    far = within(far, "far", "both", "again", "late")
    near = voices.leveled(voices.speak(*scenario.near[:2], LENGTH, speed=145, pitch=scenario.near[2]), -26)
    near = within(numpy.roll(near, RATE // 5), "both", "near", "late")

    echo = loudspeaker(far, scenario.distortion, scenario.bias)
    path = rooms.response(size, speaker, microphone, scenario.decay)
    if scenario.walking:
        places = [microphone + (0.5 + 0.9 * abs(numpy.sin(0.35 * step)), 0.9 * numpy.sin(0.23 * step), 0.1)
                  for step in range(2 * LENGTH)]
        starts = [step * RATE // 2 for step in range(2 * LENGTH)]
        heard = rooms.moving(near, [rooms.response(size, place, microphone, scenario.decay, 0.25) for place in places],
                             starts, RATE // 2)
        # A body reflects the loudspeaker: half a square metre that scatters into all directions.
        scattered = []
        for place in places:
            way = numpy.linalg.norm(place - speaker) + numpy.linalg.norm(place - microphone)
            taps = numpy.zeros(2_048)
            at = way / rooms.SOUND * RATE
            span = numpy.arange(int(at) - 20, int(at) + 21)
            taps[span] = numpy.sinc(span - at) * numpy.hanning(41) * 0.2 / (numpy.linalg.norm(place - speaker) * numpy.linalg.norm(place - microphone))
            scattered.append(taps)
        echo = oaconvolve(echo, path)[:len(far)] + rooms.moving(echo, scattered, starts, RATE // 2)
    else:
        heard = oaconvolve(near, rooms.response(size, microphone + scenario.talker, microphone, scenario.decay))[:len(near)]
        echo = oaconvolve(echo, path)[:len(far)]
    echo = rooms.shifted(echo, scenario.ppm)
    echo = delayed(echo, scenario)
    echo = voices.leveled(echo, scenario.level)
    heard = voices.leveled(heard, scenario.level + scenario.ratio)
    noise = sosfilt(butter(1, 1_000, fs=RATE, output="sos"), generator.standard_normal(len(far)))
    noise *= 10 ** (scenario.noise / 20) / numpy.sqrt((noise ** 2).mean())
    return far, echo, heard, noise


def delayed(echo, scenario):
    """Delayed as sound cards do, with its jump."""
    before, after = (int(round(span * RATE)) for span in (scenario.delay, scenario.delay + scenario.jump))
    first = numpy.concatenate([numpy.zeros(before), echo])[:len(echo)]
    second = numpy.concatenate([numpy.zeros(after), echo])[:len(echo)]
    return numpy.where(numpy.arange(len(echo)) < JUMP * RATE, first, second)


def told_delays(scenario):
    """The delay in milliseconds that is told with each block."""
    blocks = numpy.arange(LENGTH * 100)
    jump = scenario.jump if scenario.jump_told else 0.0
    return 1_000 * (scenario.delay + scenario.told + jump * (blocks >= JUMP * 100))

"""The boot `echo`: what is recorded beside a loudspeaker."""
import json

import numpy

from . import room, sound

RATE = room.RATE
# The canceller knows the room after this time, in seconds.
CONVERGED = 3
WINDOW = RATE


def echo(results):
    facts = results.facts
    results.check(facts.text("echo.no_file") == "1", "a sound file that is absent is refused", facts.text("echo.no_file"))
    for mode in ("full-duplex", "off"):
        name = f"echo-{mode}"
        results.check_done(f"{name}.say", f"{name}: an announcement is played")
        results.check(facts.text(f"{name}.losses") == "0", f"{name}: the room loses no sound", facts.text(f"{name}.losses"))
        results.report.note(f"{name}: processor time: {facts.text(f'{name}.processor')}")
        manifest, recording = results.whole_recording(name)
        if manifest is None:
            continue
        scene = Scene(results.out / f"{name}.heard.raw", recording)
        judge = with_echo if mode == "off" else without_echo
        judge(results, scene)
    sound_figures(results)


class Scene:
    """What the microphone heard, by who was the source, and what was recorded of it, brought into step."""

    def __init__(self, path, recording):
        heard = numpy.fromfile(path, dtype=numpy.int16).reshape(-1, 2).astype(float) / 32_768
        recorded = numpy.array(sound.decode(recording.path), dtype=float)
        self.echo, self.near = heard[:, 0], heard[:, 1]
        self.begin = int(numpy.argmax(self.echo != 0))
        self.near_begin = int(numpy.argmax(self.near != 0))
        lag = best_lag(self.near, recorded)
        self.recorded = numpy.zeros(len(heard))
        first, last = max(0, lag), min(len(heard), lag + len(recorded))
        self.recorded[first:last] = recorded[first - lag:last - lag]

    def far_alone(self):
        return slice(self.begin + CONVERGED * RATE, self.near_begin - RATE // 4)

    def double_talk(self):
        return slice(self.near_begin + RATE // 2, self.near_begin + (room.NEAR_AFTER - 1) * RATE)

    def level(self, samples, part):
        return 10 * numpy.log10((samples[part] ** 2).mean() + 1e-12)

    def likeness(self, source, part):
        """How well what was recorded correlates with a source, second by second, since clocks drift; the mean."""
        values = []
        for begin in range(part.start, part.stop - WINDOW, WINDOW):
            original, copy = source[begin:begin + WINDOW], self.recorded[begin - 240:begin + WINDOW + 240]
            products = numpy.correlate(copy, original, "valid")
            powers = numpy.convolve(copy ** 2, numpy.ones(WINDOW), "valid") * (original ** 2).sum()
            values.append(numpy.abs(products / numpy.sqrt(powers + 1e-12)).max())
        return float(numpy.mean(values))


def best_lag(source, recorded):
    """The sample of `source` at which `recorded` begins."""
    size = 1 << (len(source) + len(recorded)).bit_length()
    products = numpy.fft.irfft(numpy.fft.rfft(source, size) * numpy.conj(numpy.fft.rfft(recorded, size)), size)
    lag = int(numpy.argmax(products))
    return lag if lag < size // 2 else lag - size


def without_echo(results, scene):
    far, both = scene.far_alone(), scene.double_talk()
    reduction = scene.level(scene.echo, far) - scene.level(scene.recorded, far)
    results.check(reduction >= 30, "the announcement's echo goes down by 30 dB", f"{reduction:.1f} dB")
    near, rest = scene.likeness(scene.near, both), scene.likeness(scene.echo, both)
    loss = scene.level(scene.near, both) - scene.level(scene.recorded, both)
    results.check(near >= 0.9, "whoever speaks near is recorded meanwhile", f"correlation {near:.3f}")
    results.check(loss <= 3, "and loses 3 dB at most", f"{loss:.1f} dB")
    results.check(rest <= 0.15, "the announcement is not in it", f"correlation {rest:.3f}")


def with_echo(results, scene):
    far, both = scene.far_alone(), scene.double_talk()
    reduction = scene.level(scene.echo, far) - scene.level(scene.recorded, far)
    results.check(abs(reduction) <= 2, "switched off, the echo is recorded as loud as it is", f"{reduction:.1f} dB down")
    rest = scene.likeness(scene.echo, both)
    results.check(rest >= 0.4, "also while somebody speaks near", f"correlation {rest:.3f}")


def sound_figures(results):
    path = results.out / "echo-full-duplex.stats.json"
    figures = json.loads(path.read_text()) if path.exists() else {}
    told = figures.get("media", {}).get("sound") or {}
    results.check(
        told.get("echoReturnLossEnhancement", 0) > 20 and "echoDelay" in told,
        "stats tells echo and delay", json.dumps(told))

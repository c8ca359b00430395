"""Sound and picture of a file in which white pictures and loud tones belong together, as gstreamer_peer's do."""
import dataclasses
import json
import subprocess

import numpy

from interop import webm

#: Samples in which the loudness is taken, at :data:`webm.RATE`.
WINDOW = 96


@dataclasses.dataclass(frozen=True)
class Recording:
    """What is known of one file, in seconds of it."""

    #: `(when the picture turns white, how much later the tone gets loud)`.
    pairs: list
    longest_hole: float
    #: Of the first packets of sound and of the pictures.
    begins: tuple

    def skew(self, since):
        """The largest difference between sound and picture from then on; infinite where there are no marks."""
        return max((abs(late) for at, late in self.pairs if at >= since), default=float("inf"))

    def __str__(self):
        late = " ".join(f"{1e3 * late:+.0f}" for _, late in self.pairs)
        return (f"sound behind the picture by {late} ms, longest hole {1e3 * self.longest_hole:.0f} ms, "
                f"sound from {self.begins[0]:.2f} s, pictures from {self.begins[1]:.2f} s")


def examine(path):
    flashes, tones = _rises(_brightness(path)), _rises(_loudness(path))
    if not flashes or not tones:
        raise AssertionError(f"{path.name}: {len(flashes)} white pictures, {len(tones)} loud tones")
    pairs = [(at, min((tone - at for tone in tones), key=abs)) for at in flashes]
    sound = [at for at, _ in webm.packets(path, "a")]
    hole = max(later - earlier for earlier, later in zip(sound, sound[1:]))
    return Recording(pairs, hole, (sound[0], webm.frame_times(path)[0]))


def _rises(levels):
    """When the level passes the middle between the lowest and the highest."""
    times, values = zip(*levels)
    middle = (min(values) + max(values)) / 2
    return [times[index] for index in range(1, len(values)) if values[index - 1] < middle <= values[index]]


def _brightness(path):
    data = _run(["ffmpeg", "-nostdin", "-v", "error", "-r", "30", "-i", path, "-map", "0:v:0", "-vf", "scale=16:16",
                 "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "gray", "-"])
    pictures = numpy.frombuffer(data, numpy.uint8).reshape(-1, 256)
    return list(zip(webm.frame_times(path), pictures.mean(axis=1)))


def _loudness(path):
    """By the times of the decoded frames, since a hole is not in the samples."""
    told = json.loads(_run(["ffprobe", "-v", "error", "-select_streams", "a", "-show_entries",
                            "frame=pts_time,nb_samples", "-of", "json", path]))["frames"]
    samples, levels, place = webm.samples(path).astype(float), [], 0
    for frame in told:
        count = int(frame["nb_samples"])
        for offset in range(0, count - WINDOW + 1, WINDOW):
            window = samples[place + offset:place + offset + WINDOW]
            if len(window) == WINDOW:
                levels.append((float(frame["pts_time"]) + offset / webm.RATE, float(numpy.abs(window).max())))
        place += count
    return levels


def _run(command):
    return subprocess.run([str(part) for part in command], capture_output=True, timeout=120, check=True).stdout

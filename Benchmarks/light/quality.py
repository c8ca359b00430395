"""How near a recording is to what the camera saw, frame by frame: PSNR and SSIM of luma, by ffmpeg's filters."""
import dataclasses
import json
import pathlib
import re
import subprocess
import tempfile

import numpy

from light.scenes import FRAME_RATE

#: The mean square error that stands for none at all, so that decibels stay finite.
LEAST_ERROR = 1e-3
#: Recorded frames are put this much before the frame that they show, so that rounding never makes them late.
LEAD = 0.005


@dataclasses.dataclass(frozen=True)
class Packets:
    """The video of a file: the number of the source's frame that each packet shows, octets, and which are key frames."""

    numbers: numpy.ndarray
    sizes: numpy.ndarray
    is_key: numpy.ndarray
    #: Seconds at which the first one is shown.
    begin: float

    @classmethod
    def read(cls, path: pathlib.Path, frames):
        """Those of the first `frames` frames: a source that repeats may have begun again before the recording ended."""
        command = ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,size,flags", "-of", "json", path]
        packets = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)["packets"]
        times = numpy.array([float(packet["pts_time"]) for packet in packets])
        numbers = numpy.rint((times - times[0]) * FRAME_RATE).astype(int)
        kept = numbers < frames
        sizes = numpy.array([int(packet["size"]) for packet in packets])
        is_key = numpy.array(["K" in packet["flags"] for packet in packets])
        return cls(numbers[kept], sizes[kept], is_key[kept], float(times[0]))

    @property
    def bytes(self):
        return int(self.sizes.sum())

    @property
    def dropped(self):
        """Frames that are missing before the last one."""
        return int(self.numbers[-1]) + 1 - len(self.numbers)

    @property
    def keys(self):
        """Numbers of the key frames."""
        return self.numbers[self.is_key]


@dataclasses.dataclass(frozen=True)
class Likeness:
    """For each frame of the source: the mean square error and the structural similarity of luma. A missing frame counts as the one before it."""

    errors: numpy.ndarray
    similarity: numpy.ndarray

    @property
    def decibels(self):
        """PSNR of all frames together."""
        return decibels(self.errors.mean())

    def by_second(self):
        """PSNR and SSIM of each whole second."""
        whole = len(self.errors) // FRAME_RATE * FRAME_RATE
        seconds = [values[:whole].reshape(-1, FRAME_RATE).mean(1) for values in (self.errors, self.similarity)]
        return decibels(seconds[0]), seconds[1]

    def in_second_from(self, frame):
        """PSNR of the second that begins with a frame."""
        return decibels(self.errors[frame:frame + FRAME_RATE].mean())


@dataclasses.dataclass(frozen=True)
class Judged:
    """A recording of a clip."""

    path: pathlib.Path
    packets: Packets
    #: Beside the scene without noise, and beside what the camera delivered.
    clean: Likeness
    source: Likeness


def decibels(errors):
    return 10 * numpy.log10(255 ** 2 / numpy.maximum(errors, LEAST_ERROR))


def judge(path: pathlib.Path, files) -> Judged:
    """Decodes a recording of the clip and compares all its frames."""
    packets = Packets.read(path, files.clip.frames)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{measure}-{which}" for which in ("clean", "source") for measure in ("psnr", "ssim")]
        _compare(path, files, packets.begin, {name: pathlib.Path(folder) / name for name in names})
        found = {name: _values(pathlib.Path(folder) / name) for name in names}
    frames = files.clip.frames
    return Judged(path, packets, *(Likeness(found[f"psnr-{which}"][:frames], found[f"ssim-{which}"][:frames]) for which in ("clean", "source")))


def aligned(begin):
    """The filter that gives each recorded frame the time of the source's frame that it shows."""
    return f"setpts=(round((PTS*TB-{begin})*{FRAME_RATE})/{FRAME_RATE}-{LEAD})/TB"


def _compare(path, files, begin, outputs):
    measures = "".join(f";[{name}-wanted][{name}-shown]{name.split('-')[0]}=stats_file={output}[{name}-out]" for name, output in outputs.items())
    shown = "".join(f"[{name}-shown]" for name in outputs)
    wanted = {which: "".join(f"[{name}-wanted]" for name in outputs if name.endswith(which)) for which in ("clean", "source")}
    graph = (f"[0:v]extractplanes=y,split=2{wanted['clean']};[1:v]extractplanes=y,split=2{wanted['source']};"
             f"[2:v]extractplanes=y,{aligned(begin)},split=4{shown}" + measures)
    maps = [part for name in outputs for part in ("-map", f"[{name}-out]", "-f", "null", "-")]
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", files.clean, "-i", files.source, "-i", path, "-filter_complex", graph, *maps]
    finished = subprocess.run(command, capture_output=True, timeout=300, text=True)
    if finished.returncode:
        raise RuntimeError(f"ffmpeg cannot compare {path}: {finished.stderr.strip()}")


def _values(path):
    """The filters' figure of each frame."""
    return numpy.array([float(value) for value in re.findall(r"(?:mse_avg| All):(\S+)", path.read_text())])

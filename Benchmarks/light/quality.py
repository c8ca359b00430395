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
#: How many frames a recording may begin after its source; by how many frames, so long after something entered, that is
#: found out.
LATEST, COMPARED, SETTLED = 5, 8, 45


@dataclasses.dataclass(frozen=True)
class Packets:
    """The video of a file: the number of the source's frame that each packet shows, octets, and which are key frames.
    """

    numbers: numpy.ndarray
    sizes: numpy.ndarray
    is_key: numpy.ndarray
    #: Seconds at which the first one is shown.
    begin: float

    @classmethod
    def read(cls, path: pathlib.Path, files):
        """Those of the clip's frames: a source that repeats may have begun again before the recording ended."""
        command = [
            "ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=pts_time,size,flags", "-of",
            "json", path
        ]
        packets = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)["packets"]
        times = numpy.array([float(packet["pts_time"]) for packet in packets])
        numbers = numpy.rint((times - times[0]) * FRAME_RATE).astype(int)
        numbers += _first_frame(path, numbers, files)
        kept = numbers < files.clip.frames
        sizes = numpy.array([int(packet["size"]) for packet in packets])
        is_key = numpy.array(["K" in packet["flags"] for packet in packets])
        return cls(numbers[kept], sizes[kept], is_key[kept], float(times[0]))

    @property
    def bytes(self):
        return int(self.sizes.sum())

    @property
    def dropped(self):
        """Frames that are missing between the first one and the last one."""
        return int(self.numbers[-1] - self.numbers[0]) + 1 - len(self.numbers)

    @property
    def keys(self):
        """Numbers of the key frames."""
        return self.numbers[self.is_key]


@dataclasses.dataclass(frozen=True)
class Likeness:
    """For each frame of the source: the mean square error and the structural similarity of luma. A missing frame
    counts as the one before it.
    """

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
    return 10 * numpy.log10(255**2 / numpy.maximum(errors, LEAST_ERROR))


def judge(path: pathlib.Path, files) -> Judged:
    """Decodes a recording of the clip and compares all its frames."""
    packets = Packets.read(path, files)
    with tempfile.TemporaryDirectory() as folder:
        names = [f"{measure}-{which}" for which in ("clean", "source") for measure in ("psnr", "ssim")]
        _compare(path, files, packets, {name: pathlib.Path(folder) / name for name in names})
        found = {name: _values(pathlib.Path(folder) / name, packets, files.clip.frames) for name in names}
    return Judged(path, packets,
                  *(Likeness(found[f"psnr-{which}"], found[f"ssim-{which}"]) for which in ("clean", "source")))


def _first_frame(path, numbers, files):
    """The number of the source's frame that the first packet shows: a recording may begin some frames after its source.

    It is the one with which some frames, in which something moves if it ever does, are most like the source's.
    """
    clip = files.clip
    begin = next((frame + SETTLED for frame in files.entrances if frame + SETTLED + COMPARED + LATEST < clip.frames),
                 clip.frames // 3)
    indices = numpy.flatnonzero((numbers >= begin) & (numbers < begin + COMPARED))
    if not indices.size:
        raise ValueError(
            f"{path}: no frame from number {begin} to {begin + COMPARED - 1} is recorded; "
            "the machine may be too busy for this size"
        )
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf",
        f"select=between(n\\,{indices[0]}\\,{indices[-1]}),extractplanes=y", "-vsync", "passthrough", "-frames:v",
        str(len(indices)), "-f", "rawvideo", "-"
    ]
    decoded = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    shown = numpy.frombuffer(decoded, numpy.uint8).reshape(len(indices), -1).astype(numpy.float32)
    errors = [
        sum(
            numpy.square(frame - _source_luma(files, number + late)).sum()
            for frame, number in zip(shown, numbers[indices])) for late in range(LATEST + 1)
    ]
    return int(numpy.argmin(errors))


def _source_luma(files, number):
    clip = files.clip
    with open(files.source, "rb") as source:
        begin = len(source.readline()) + len(b"FRAME\n")
        source.seek(begin + number * (len(b"FRAME\n") + clip.width * clip.height * 3 // 2))
        return numpy.frombuffer(source.read(clip.width * clip.height), numpy.uint8).astype(numpy.float32)


def _aligned(packets):
    """The filter that gives each recorded frame the time of the source's frame that it shows; the first one is shown
    from the beginning on.
    """
    number = f"round((PTS*TB-{packets.begin})*{FRAME_RATE})+{packets.numbers[0]}"
    return f"setpts=(if(N\\,({number})/{FRAME_RATE}\\,0)-{LEAD})/TB"


def _compare(path, files, packets, outputs):
    measures = "".join(f";[{name}-wanted][{name}-shown]{name.split('-')[0]}=stats_file={output}[{name}-out]"
                       for name, output in outputs.items())
    shown = "".join(f"[{name}-shown]" for name in outputs)
    wanted = {
        which: "".join(f"[{name}-wanted]" for name in outputs if name.endswith(which))
        for which in ("clean", "source")
    }
    graph = (f"[0:v]extractplanes=y,split=2{wanted['clean']};[1:v]extractplanes=y,split=2{wanted['source']};"
             f"[2:v]extractplanes=y,{_aligned(packets)},split=4{shown}" + measures)
    maps = [part for name in outputs for part in ("-map", f"[{name}-out]", "-f", "null", "-")]
    command = [
        "ffmpeg", "-nostdin", "-v", "error", "-i", files.clean, "-i", files.source, "-i", path, "-filter_complex",
        graph, *maps
    ]
    finished = subprocess.run(command, capture_output=True, timeout=300, text=True)
    if finished.returncode:
        raise RuntimeError(f"ffmpeg cannot compare {path}: {finished.stderr.strip()}")


def _values(path, packets, frames):
    """The filters' figure of each of the clip's frames; those before the recording began count as its first one."""
    values = numpy.array([float(value) for value in re.findall(r"(?:mse_avg| All):(\S+)", path.read_text())][:frames])
    values[:packets.numbers[0]] = values[packets.numbers[0]]
    return values

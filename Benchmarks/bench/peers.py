"""ffmpeg and GStreamer, which read, encode and mux the same pictures and samples at the pace of a camera."""
import dataclasses
import pathlib
import resource
import shutil
import subprocess
import time

from bench import usage
from bench.media import PICTURE_BYTES
from bench.settings import FFMPEG_AUDIO, FFMPEG_VIDEO, GSTREAMER_AUDIO, GSTREAMER_VIDEO

#: Between two looks at a program's memory.
LOOK_INTERVAL = 0.5


@dataclasses.dataclass(frozen=True)
class Run:
    """What one recording took."""

    cpu: float
    #: Bytes, the greatest that was seen.
    anonymous: int


class Peers:
    """The programs that are installed, by name."""

    def __init__(self, folder: pathlib.Path, reference):
        self._folder = folder
        self._commands = {}
        if shutil.which("ffmpeg"):
            self._commands["ffmpeg"] = _ffmpeg(reference.bars, reference.tone, self.file("ffmpeg"))
        if shutil.which("gst-launch-1.0"):
            self._commands["GStreamer"] = _gstreamer(_headless(reference.bars), reference.tone, self.file("GStreamer"))

    @property
    def names(self):
        return list(self._commands)

    def file(self, name):
        """What the program recorded last."""
        return self._folder / f"{name}.webm"

    def record(self, name, limit):
        """Lets a program record all pictures once; waits `limit` seconds at most."""
        before = _children_time()
        anonymous = _run(self._commands[name], limit)
        return Run(_children_time() - before, anonymous)


def _run(command, limit):
    """Waits until the program ends; returns its greatest RssAnon."""
    end, greatest = time.monotonic() + limit, 0
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        while process.poll() is None:
            if time.monotonic() > end:
                raise TimeoutError(f"{command[0]} did not end in {limit} s")
            greatest = max(greatest, usage.anonymous_memory(process.pid, absent=0))
            time.sleep(LOOK_INTERVAL)
    finally:
        process.kill()
        process.wait()
    if process.returncode:
        raise RuntimeError(f"{command[0]} ended with status {process.returncode}")
    return greatest


def _children_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _headless(bars):
    """Writes the pictures of a Y4M file alone, and returns that file."""
    raw = bars.with_suffix(".yuv")
    with open(bars, "rb") as source, open(raw, "wb") as sink:
        source.readline()
        while source.readline():
            sink.write(source.read(PICTURE_BYTES))
    return raw


def _ffmpeg(bars, tone, output):
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", "-re", "-i", str(bars), "-re", "-i", str(tone), "-map", "0:v",
            "-map", "1:a", *FFMPEG_VIDEO, *FFMPEG_AUDIO, "-cluster_time_limit", "1000", str(output)]


def _gstreamer(bars, tone, output):
    """`bars` without any header: GStreamer's plugins in Debian's base and good sets read no Y4M."""
    return ["gst-launch-1.0", "-q", "webmmux", "name=mux", "!", "filesink", f"location={output}",
            "filesrc", f"location={bars}", *GSTREAMER_VIDEO, "!", "queue", "!", "mux.",
            "filesrc", f"location={tone}", "!", *GSTREAMER_AUDIO, "!", "queue", "!", "mux."]

"""Programs that record a clip at a camera's pace with equal settings, and what each takes."""
import dataclasses
import fcntl
import os
import pathlib
import shutil
import subprocess
import threading
import time

from bench.settings import FFMPEG_AUDIO, FFMPEG_VIDEO, GSTREAMER_AUDIO, GSTREAMER_VIDEO, OPUSENC, VPXENC, changed
from light.scenes import FRAME_RATE

FRAME_LINE = b"FRAME\n"
PIPE_BYTES = 1 << 20
#: Octets of 20 ms of sound, and of a WAV file's header.
SOUND_BYTES, SOUND_RATE, WAV_HEADER = 1920, 50, 44


@dataclasses.dataclass(frozen=True)
class Material:
    """What a clip's recorders read: the camera's frames, and sound as long."""

    files: object
    tone: pathlib.Path
    kilobits: int
    threads: int

    @property
    def clip(self):
        return self.files.clip

    @property
    def frame_bytes(self):
        return self.clip.width * self.clip.height * 3 // 2


def vpxenc(material: Material, source, output, kilobits=None):
    return [*changed(VPXENC, kilobits or material.kilobits, material.threads), "-o", str(output), str(source)]


@dataclasses.dataclass(frozen=True)
class Peer:
    """A program that does the whole job, and the file that it writes."""

    command: list
    output: pathlib.Path
    #: A Y4M file whose frames it reads from its standard input.
    frames: pathlib.Path = None

    def start(self):
        if not self.frames:
            return Child(self.command)
        with open(self.frames, "rb", buffering=0) as file:
            os.lseek(file.fileno(), len(file.readline()), os.SEEK_SET)
            return Child(self.command, stdin=file)


def peers(material: Material, folder: pathlib.Path):
    """The programs that are installed, by name."""
    found = {}
    if shutil.which("ffmpeg"):
        found["ffmpeg"] = Peer(_ffmpeg(material, folder / "ffmpeg.webm"), folder / "ffmpeg.webm")
    if shutil.which("gst-launch-1.0"):
        found["GStreamer"] = Peer(_gstreamer(material, folder / "gstreamer.webm"), folder / "gstreamer.webm",
                                  material.files.source)
    return found


def _ffmpeg(material, output):
    return [
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-re", "-i",
        str(material.files.source), "-re", "-i",
        str(material.tone), "-map", "0:v", "-map", "1:a", *changed(FFMPEG_VIDEO, material.kilobits, material.threads),
        *FFMPEG_AUDIO, "-cluster_time_limit", "1000",
        str(output)
    ]


def _gstreamer(material, output):
    """GStreamer's plugins in Debian's base and good sets read no Y4M: it gets the file behind the header, and skips
    each frame's line.
    """
    width, height, line = material.clip.width, material.clip.height, len(FRAME_LINE)
    sizes = {"blocksize": line + material.frame_bytes, "width": width, "height": height}
    video = [
        f"{name}={sizes[name]}" if (name := option.partition("=")[0]) in sizes else option
        for option in changed(GSTREAMER_VIDEO, material.kilobits, material.threads)
    ]
    planes = [line, line + width * height, line + width * height * 5 // 4]
    place = video.index("rawvideoparse") + 1
    video[place:place] = [
        f"frame-size={line + material.frame_bytes}", f"plane-strides=<{width},{width // 2},{width // 2}>",
        "plane-offsets=<{},{},{}>".format(*planes)
    ]
    return [
        "gst-launch-1.0", "-q", "webmmux", "name=mux", "!", "filesink", f"location={output}", "fdsrc", *video, "!",
        "queue", "!", "mux.", "filesrc", f"location={material.tone}", "!", *GSTREAMER_AUDIO, "!", "queue", "!", "mux."
    ]


class Encoders:
    """vpxenc and opusenc, or `cat` in their place, which get frames and sound through pipes."""

    def __init__(self, material: Material, video, audio):
        frame_bytes = len(FRAME_LINE) + material.frame_bytes
        self._children = [
            Fed(video, material.files.source, lambda file: file.readline(), frame_bytes, FRAME_RATE),
            Fed(audio, material.tone, lambda file: file.read(WAV_HEADER), SOUND_BYTES, SOUND_RATE)
        ]

    def finish(self, limit):
        """CPU seconds of both."""
        return sum(child.finish(limit) for child in self._children)

    def kill(self):
        for child in self._children:
            child.kill()


class Child:
    """A program whose CPU time is wanted."""

    def __init__(self, command, **pipes):
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, **({"stdin": subprocess.DEVNULL} | pipes))

    def finish(self, limit):
        """Waits until it ends, for `limit` seconds at most; returns its CPU seconds."""
        end = time.monotonic() + limit
        while os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            if time.monotonic() > end:
                self.kill()
                raise TimeoutError(f"{self._process.args[0]} did not end in {limit} s")
            time.sleep(0.02)
        _, status, used = os.wait4(self._process.pid, 0)
        self._process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            raise RuntimeError(f"{self._process.args[0]} ended with status {self._process.returncode}")
        return used.ru_utime + used.ru_stime

    def kill(self):
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()


class Fed(Child):
    """A program into whose pipe a file is written, a block each time one is due."""

    def __init__(self, command, path, read_header, block, rate):
        super().__init__(command, stdin=subprocess.PIPE)
        # So that a frame goes in at once, and the program does not wake for every part of it.
        fcntl.fcntl(self._process.stdin, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._path, self._read_header, self._block, self._rate = path, read_header, block, rate
        threading.Thread(target=self._write, daemon=True).start()

    def _write(self):
        try:
            with open(self._path, "rb") as source, self._process.stdin as sink:
                sink.write(self._read_header(source))
                begin = time.monotonic()
                for index, block in enumerate(iter(lambda: source.read(self._block), b"")):
                    time.sleep(max(0, begin + index / self._rate - time.monotonic()))
                    sink.write(block)
                    sink.flush()
        except BrokenPipeError:
            # The program ended early; its status says so.
            return

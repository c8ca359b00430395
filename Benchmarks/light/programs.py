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

PIPE_BYTES = 1 << 20
#: Octets of 20 ms of sound, and of a WAV file's header.
SOUND_BYTES, SOUND_RATE, WAV_HEADER = 1920, 50, 44


@dataclasses.dataclass(frozen=True)
class Material:
    """What a clip's recorders read: the camera's frames, with and without Y4M's headers, and sound as long."""

    files: object
    raw: pathlib.Path
    tone: pathlib.Path
    kilobits: int
    threads: int

    @property
    def clip(self):
        return self.files.clip

    @property
    def frame_bytes(self):
        return self.clip.width * self.clip.height * 3 // 2


def write_raw(source: pathlib.Path, frame_bytes, raw: pathlib.Path):
    """Writes the frames of a Y4M file alone."""
    with open(source, "rb") as frames, open(raw, "wb") as sink:
        frames.readline()
        while frames.readline():
            sink.write(frames.read(frame_bytes))


def vpxenc(material: Material, source, output, kilobits=None):
    return [*changed(VPXENC, kilobits or material.kilobits, material.threads), "-o", str(output), str(source)]


def peers(material: Material, folder: pathlib.Path):
    """The commands of the programs that are installed, by name, and the file that each writes."""
    found = {}
    if shutil.which("ffmpeg"):
        found["ffmpeg"] = _ffmpeg(material, folder / "ffmpeg.webm"), folder / "ffmpeg.webm"
    if shutil.which("gst-launch-1.0"):
        found["GStreamer"] = _gstreamer(material, folder / "gstreamer.webm"), folder / "gstreamer.webm"
    return found


def _ffmpeg(material, output):
    return ["ffmpeg", "-nostdin", "-v", "error", "-y", "-re", "-i", str(material.files.source), "-re", "-i", str(material.tone),
            "-map", "0:v", "-map", "1:a", *changed(FFMPEG_VIDEO, material.kilobits, material.threads), *FFMPEG_AUDIO,
            "-cluster_time_limit", "1000", str(output)]


def _gstreamer(material, output):
    sizes = {"blocksize": material.frame_bytes, "width": material.clip.width, "height": material.clip.height}
    video = [f"{name}={sizes[name]}" if (name := option.partition("=")[0]) in sizes else option
             for option in changed(GSTREAMER_VIDEO, material.kilobits, material.threads)]
    return ["gst-launch-1.0", "-q", "webmmux", "name=mux", "!", "filesink", f"location={output}",
            "filesrc", f"location={material.raw}", *video, "!", "queue", "!", "mux.",
            "filesrc", f"location={material.tone}", "!", *GSTREAMER_AUDIO, "!", "queue", "!", "mux."]


class Encoders:
    """vpxenc and opusenc, or `cat` in their place, which get frames and sound through pipes."""

    def __init__(self, material: Material, video, audio):
        frame_bytes = len(b"FRAME\n") + material.frame_bytes
        self._children = [Fed(video, material.files.source, lambda file: file.readline(), frame_bytes, FRAME_RATE),
                          Fed(audio, material.tone, lambda file: file.read(WAV_HEADER), SOUND_BYTES, SOUND_RATE)]

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

"""vpxenc and opusenc with the settings of the device's encoders."""
import fcntl
import pathlib
import resource
import subprocess
import threading
import time

from bench import media
from bench.settings import OPUSENC, VPXENC

PIPE_BYTES = 1 << 20


class Reference:
    """Encodes the same pictures and samples as the device, from files and through pipes."""

    def __init__(self, folder: pathlib.Path, seconds):
        self._seconds = seconds
        self.bars, self.tone = folder / "bars.y4m", folder / "tone.wav"
        self.video, self.audio = folder / "reference.webm", folder / "reference.opus"
        media.write_bars(self.bars, seconds)
        media.write_tone(self.tone, seconds)

    def in_one_go(self):
        """CPU seconds of both, one after the other, as fast as they can."""
        return [_cpu_time(lambda command=command: subprocess.run(command, check=True, timeout=60))
                for command in (self._vpxenc(self.bars), self._opusenc(self.tone))]

    def in_real_time(self):
        """CPU seconds of both, side by side, fed at the pace of a camera and a microphone."""
        return self._feed(self._vpxenc("-"), self._opusenc("-"))

    def pipes_alone(self):
        """CPU seconds of programs that are fed likewise and do nothing with it."""
        return self._feed(["cat"], ["cat"])

    def _feed(self, video, audio):
        def run():
            feeds = [_Feed(video, self.bars, lambda file: file.readline(), 6 + media.PICTURE_BYTES, media.FRAME_RATE),
                     _Feed(audio, self.tone, lambda file: file.read(44), 1920, 50)]
            for feed in feeds:
                feed.finish(self._seconds + 30)
        return _cpu_time(run)

    def _vpxenc(self, source):
        return [*VPXENC, "-o", str(self.video), str(source)]

    def _opusenc(self, source):
        return [*OPUSENC, str(source), str(self.audio)]


def _cpu_time(run):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    run()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


class _Feed:
    """Writes a file into a program, a block each time one is due."""

    def __init__(self, command, path, read_header, block, rate):
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
        # So that a picture goes in at once, and the program does not wake for every part of it.
        fcntl.fcntl(self._process.stdin, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._path, self._read_header, self._block, self._rate = path, read_header, block, rate
        self._thread = threading.Thread(target=self._write, daemon=True)
        self._thread.start()

    def _write(self):
        with open(self._path, "rb") as source, self._process.stdin as sink:
            sink.write(self._read_header(source))
            begin = time.monotonic()
            for index, block in enumerate(iter(lambda: source.read(self._block), b"")):
                time.sleep(max(0, begin + index / self._rate - time.monotonic()))
                sink.write(block)
                sink.flush()

    def finish(self, limit):
        try:
            code = self._process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise
        self._thread.join(timeout=5)
        if code != 0:
            raise RuntimeError(f"{self._process.args[0]} ended with status {code}")

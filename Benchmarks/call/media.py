"""What is shown and said in a call: pictures, speech near the device, and what the caller sends."""
import pathlib
import subprocess

from bench import media
from bench.settings import FFMPEG_AUDIO, FFMPEG_VIDEO

#: Of pictures; they begin anew.
SECONDS = 20
NEAR = """Good morning, this is the front door. A parcel has arrived for the third floor, and the driver would like somebody
to sign for it before he leaves again. I can wait for five more minutes, then I have to go on to the next house."""
FAR = """Hello, who is there? I cannot come down at once. Please put the parcel behind the door, I will open it for you. If that
is not possible, ask the lady on the ground floor, she is nearly always at home. Thank you very much, and goodbye."""
#: Samples from what is played to its echo in what is captured, and thousandths of it that come back.
DELAY, GAIN = 1200, 300


class CallMedia:
    """The files of a call. Speech is in samples of 16 bits at 48 kHz, mono; both texts differ in length, so that they meet
    in another place each time."""

    def __init__(self, folder: pathlib.Path):
        self.bars = folder / "bars.y4m"
        media.write_bars(self.bars, SECONDS)
        self.near, self.far = _speech(folder / "near", "en-us", NEAR, 2), _speech(folder / "far", "en-gb+f3", FAR, 4)
        self.sent = folder / "sent.webm"
        _ffmpeg("-i", self.bars, *_raw(self.far), *FFMPEG_VIDEO, "-drop-threshold", "0", *FFMPEG_AUDIO, self.sent)


def _speech(path, voice, text, pause):
    wav, raw = path.with_suffix(".wav"), path.with_suffix(".raw")
    subprocess.run(["espeak-ng", "-v", voice, "-s", "150", "-w", wav, text], check=True, timeout=60)
    _ffmpeg("-i", wav, "-af", f"apad=pad_dur={pause}", "-ar", "48000", "-ac", "1", "-f", "s16le", raw)
    return raw


def _raw(path):
    return ["-f", "s16le", "-ar", "48000", "-ac", "1", "-i", path]


def _ffmpeg(*arguments):
    subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-y", *map(str, arguments)], check=True, timeout=120)

"""The pictures and the tone of the device's `test:bars` and `test:tone`, drawn anew as files for other encoders.

The layout is that of docs/internals/test-pattern.md and of Sources/Device/MediaPipeline/Video/Sources/TestBars.swift. That both draw the same
is not taken on trust: :func:`peak_signal_to_noise` compares with what the device recorded.
"""
import dataclasses
import pathlib
import subprocess
import wave

import numpy

from interop import pattern

WIDTH, HEIGHT, FRAME_RATE, SAMPLE_RATE = 640, 480, 30, 48_000
FREQUENCY = 1000
PICTURE_BYTES = WIDTH * HEIGHT * 3 // 2
#: Luma and both chroma values of the bars, from left to right.
COLOURS = ((180, 128, 128), (162, 44, 142), (131, 156, 44), (112, 72, 58), (84, 184, 198), (65, 100, 212),
           (35, 212, 114), (16, 128, 128))
MARK_BOTTOM = pattern.ROWS * HEIGHT // pattern.HEIGHT_PARTS
BAND_TOP = HEIGHT * 3 // 4 // 2 * 2
SCROLL, ROW_SHIFT = 2, 37


class TestBars:
    """Draws numbered pictures as planes of I420."""

    def __init__(self):
        self._texture = _texture(WIDTH)
        self.luma = numpy.full((HEIGHT, WIDTH), 16, numpy.uint8)
        self._chroma = numpy.full((2, HEIGHT // 2, WIDTH // 2), 128, numpy.uint8)
        for index, (luma, *chroma) in enumerate(COLOURS):
            left, right = index * WIDTH // len(COLOURS), (index + 1) * WIDTH // len(COLOURS)
            self.luma[MARK_BOTTOM:BAND_TOP, left:right] = luma
            for plane, value in zip(self._chroma, chroma):
                plane[MARK_BOTTOM // 2:BAND_TOP // 2, left // 2:right // 2] = value

    def draw(self, mark):
        """Draws one picture and returns its bytes."""
        pattern.draw(self.luma, mark)
        for row in range(BAND_TOP, HEIGHT):
            start = (mark.number * SCROLL + row // 8 * ROW_SHIFT) % WIDTH
            self.luma[row] = self._texture[start:start + WIDTH]
        return self.luma.tobytes() + self._chroma.tobytes()


def _texture(period):
    """Two periods of smoothed noise from a fixed seed."""
    seed, knots = 12_345, []
    for _ in range(period // 8 + 1):
        seed = (seed * 1_664_525 + 1_013_904_223) & 0xFFFFFFFF
        knots.append(40 + (seed >> 24) * 160 // 255)
    one = [(knots[x // 8] * (8 - x % 8) + knots[(x // 8 + 1) % (len(knots) - 1)] * (x % 8)) // 8 for x in range(period)]
    return numpy.array(one + one, numpy.uint8)


def write_bars(path: pathlib.Path, seconds):
    """A Y4M file of the first pictures."""
    bars = TestBars()
    with open(path, "wb") as output:
        output.write(f"YUV4MPEG2 W{WIDTH} H{HEIGHT} F{FRAME_RATE}:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(seconds * FRAME_RATE):
            output.write(b"FRAME\n" + bars.draw(pattern.Mark(number, number * 1000 // FRAME_RATE)))


def write_tone(path: pathlib.Path, seconds):
    """A WAV file of the tone at −12 dBFS."""
    positions = numpy.arange(seconds * SAMPLE_RATE) * FREQUENCY % SAMPLE_RATE
    samples = numpy.rint(32767 / 4 * numpy.sin(2 * numpy.pi * positions / SAMPLE_RATE))
    with wave.open(str(path), "wb") as output:
        output.setnchannels(1)
        output.setsampwidth(2)
        output.setframerate(SAMPLE_RATE)
        output.writeframes(samples.astype("<i2").tobytes())


def peak_signal_to_noise(path: pathlib.Path, step=5):
    """Decibels between the pictures of a recording, every fifth, and those drawn here with the same marks."""
    command = ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-vf", f"select=not(mod(n\\,{step}))",
               "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "yuv420p", "-"]
    decoded = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
    bars, errors = TestBars(), []
    for picture in numpy.frombuffer(decoded, numpy.uint8).reshape(-1, PICTURE_BYTES):
        mark = pattern.read(picture[:WIDTH * HEIGHT].reshape(HEIGHT, WIDTH))
        if mark is None:
            raise AssertionError(f"{path.name}: a picture without a mark")
        drawn = numpy.frombuffer(bars.draw(mark), numpy.uint8)
        errors.append(numpy.square(picture.astype(numpy.int32) - drawn).mean())
    return float(10 * numpy.log10(255 ** 2 / numpy.mean(errors)))


@dataclasses.dataclass(frozen=True)
class CodedVideo:
    """What an encoder made of the pictures."""

    name: str
    pictures: int
    size: int
    #: Decibels.
    likeness: float

    @classmethod
    def of(cls, name, path):
        return cls(name, *_packets(path), peak_signal_to_noise(path))


def _packets(path):
    prober = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=size", "-of", "csv=p=0", path],
        capture_output=True, check=True, text=True, timeout=60)
    sizes = [int(line.strip(",")) for line in prober.stdout.split()]
    return len(sizes), sum(sizes)

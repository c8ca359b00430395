"""What a fixed camera sees, without noise: scenes that follow from a seed, as planes of I420.

A plane is an array of float32 with values of 0 to 255; chroma has both planes in one array, at half the width and
height. Sizes are given for a frame 480 samples high, and grow with it. Everything that moves does so in fractions of
a sample, as before a real lens.
"""
import dataclasses

import numpy

FRAME_RATE = 30
#: The height for which sizes and speeds are given.
BASE_HEIGHT = 480


@dataclasses.dataclass
class Planes:
    """One frame: luma (height, width) and chroma (2, height/2, width/2)."""

    luma: numpy.ndarray
    chroma: numpy.ndarray

    def copy(self):
        return Planes(self.luma.copy(), self.chroma.copy())

    def scaled(self, gain):
        """The same in other light: a number, or an array for each row or sample of luma."""
        half = gain[::2, ::2] if numpy.ndim(gain) == 2 and gain.shape[1] > 1 else gain[::2] if numpy.ndim(
            gain) else gain
        return Planes(self.luma * gain, (self.chroma - 128) * half + 128)

    def rounded(self):
        """Bytes of both, as a file has them."""
        return b"".join(
            numpy.clip(numpy.rint(plane), 0, 255).astype(numpy.uint8).tobytes() for plane in (self.luma, self.chroma))


def texture(random, height, width, slope, deviation):
    """A field whose spectrum falls as natural ones do, with the power `slope`."""
    spectrum = numpy.fft.rfft2(random.standard_normal((height, width), dtype=numpy.float32))
    spectrum /= (numpy.hypot(numpy.fft.fftfreq(height)[:, None], numpy.fft.rfftfreq(width)[None]) + 1e-3)**slope
    field = numpy.fft.irfft2(spectrum, (height, width)).astype(numpy.float32)
    return (field - field.mean()) / field.std() * numpy.float32(deviation)


def yard(random, height, width):
    """A sky, walls with windows, and ground, all with texture."""
    scale = height / BASE_HEIGHT
    rows = numpy.arange(height, dtype=numpy.float32)[:, None]
    horizon = int(random.uniform(0.22, 0.42) * height)
    below = rows >= horizon
    luma = numpy.where(below, random.uniform(80, 130) + 25 * (rows - horizon) / height, 190 - 20 * rows / height)
    luma = luma + texture(random, height, width, 1.4, 22) * numpy.where(below, 1, 0.35)
    luma = luma + texture(random, height, width, 0.6, 5) * below
    chroma = numpy.stack(
        [texture(random, height // 2, width // 2, 1.8, 5) + random.uniform(116, 136) for _ in range(2)])
    for _ in range(random.integers(3, 6)):
        _draw_wall(random, luma, chroma, horizon, scale)
    return Planes(numpy.clip(luma, 14, 238).astype(numpy.float32), numpy.clip(chroma, 60, 196).astype(numpy.float32))


def _draw_wall(random, luma, chroma, horizon, scale):
    height, width = luma.shape
    left, high, wide = (int(random.uniform(*span) * scale) for span in ((-40, 560), (50, 170), (70, 260)))
    top, bottom = max(horizon - high, 0), min(horizon + int(random.uniform(0, 50) * scale), height)
    left, right = max(left * width * 3 // (height * 4), 0), 0
    right = min(left + wide, width)
    tone = random.uniform(70, 200)
    luma[top:bottom, left:right] = tone + texture(random, height, width, 0.9, 6)[top:bottom, left:right]
    chroma[:, top // 2:bottom // 2, left // 2:right // 2] = random.uniform(112, 144, (2, 1, 1))
    pitch = int(random.uniform(26, 48) * scale)
    window = random.uniform(30, 80)
    for y in range(top + pitch // 3, bottom - pitch // 2, pitch):
        for x in range(left + pitch // 3, right - pitch // 2, pitch):
            luma[y:y + pitch // 2, x:x + pitch // 2] = window


def shifted(plane, y, x, height, width):
    """A window of a greater plane at a place between its samples (bilinear)."""
    row, column = int(numpy.floor(y)), int(numpy.floor(x))
    down, right = numpy.float32(y - row), numpy.float32(x - column)
    window = plane[..., row:row + height + 1, column:column + width + 1]
    across = window[..., :, :-1] + right * (window[..., :, 1:] - window[..., :, :-1])
    return across[..., :-1, :] + down * (across[..., 1:, :] - across[..., :-1, :])


def draw_over(frame: Planes, tones, alpha, colour, top, left):
    """Draws tones (height, width) with their opacity where it meets the frame; `left` may lie between samples."""
    height, width = frame.luma.shape
    column = int(numpy.floor(left))
    part = numpy.float32(left - column)
    tones, alpha = (numpy.pad(one, ((0, 0), (1, 1)), mode) for one, mode in ((tones, "edge"), (alpha, "constant")))
    tones, alpha = (one[:, 1:] + part * (one[:, :-1] - one[:, 1:]) for one in (tones, alpha))
    y0, y1 = max(top, 0), min(top + alpha.shape[0], height)
    x0, x1 = max(column, 0), min(column + alpha.shape[1], width)
    if y0 >= y1 or x0 >= x1:
        return
    inner = slice(y0 - top, y1 - top), slice(x0 - column, x1 - column)
    target = frame.luma[y0:y1, x0:x1]
    target += alpha[inner] * (tones[inner] - target)
    y0, x0 = y0 + y0 % 2, x0 + x0 % 2
    small = alpha[y0 - top:y1 - top:2, x0 - column:x1 - column:2]
    target = frame.chroma[:, y0 // 2:y0 // 2 + small.shape[0], x0 // 2:x0 // 2 + small.shape[1]]
    target += small * (numpy.float32(colour)[:, None, None] - target)


class Figure:
    """A person who walks: head, trunk, and legs that swing."""

    def __init__(self, random, scale, height=160):
        self.height, self.width = int(height * scale), int(height * scale * 0.6)
        tone = random.choice([random.uniform(30, 70), random.uniform(170, 220)])
        self._tones = tone + texture(random, self.height, self.width, 1.0, 14)
        self._tones[self.height // 2:] += random.uniform(-40, 40)
        self._colour = random.uniform(100, 156, 2)
        self._v, self._u = numpy.mgrid[0:self.height, 0:self.width].astype(numpy.float32) / numpy.float32(self.height)
        self._u -= self.width / self.height / 2

    def draw(self, frame, top, left, phase):
        draw_over(frame, self._tones, self._opacity(phase), self._colour, top, left)

    def _opacity(self, phase):
        swing = 0.13 * numpy.sin(phase)
        head = numpy.hypot(self._u, self._v - 0.09) - 0.075
        trunk = numpy.maximum(abs(self._u) - 0.11, abs(self._v - 0.36) - 0.2)
        reach = numpy.maximum(self._v - 0.5, 0) * 2
        legs = [
            numpy.maximum(abs(self._u - side * swing * reach) - 0.05,
                          abs(self._v - 0.75) - 0.25) for side in (-1, 1)
        ]
        distance = numpy.minimum(numpy.minimum(head, trunk), numpy.minimum(*legs))
        return numpy.clip(0.5 - distance * self.height, 0, 1).astype(numpy.float32)


@dataclasses.dataclass(frozen=True)
class Visit:
    """A figure that crosses the frame from `first` on, `step` samples a frame."""

    figure: Figure
    first: int
    top: int
    step: float
    width: int

    @property
    def last(self):
        return self.first + int((self.width + self.figure.width) / abs(self.step))

    def draw(self, frame, number):
        if self.first <= number <= self.last:
            gone = (number - self.first) * abs(self.step)
            left = gone - self.figure.width if self.step > 0 else self.width - gone
            self.figure.draw(frame, self.top, left, number * 0.35)


class Still:
    """A yard where nothing moves but a figure, which is there for a third of the time."""

    #: Of all frames, where the figure's way begins and ends.
    visit = (1 / 3, 2 / 3)

    def __init__(self, random, height, width, frames):
        self.height, self.width, self.frames = height, width, frames
        self.scale = height / BASE_HEIGHT
        self.backdrop = yard(random, height, width)
        self.visits = self._visits(random)

    def _visits(self, random):
        figure = Figure(random, self.scale)
        first, last = (int(share * self.frames) for share in self.visit)
        step = (self.width + figure.width) / (last - first)
        return [Visit(figure, first, int(0.42 * self.height), step, self.width)]

    @property
    def entrances(self):
        """Frames with which something new begins, the first frame left out."""
        return sorted(visit.first for visit in self.visits)

    def draw(self, number):
        """The frame of that number, without noise."""
        frame = self.backdrop.copy()
        for visit in self.visits:
            visit.draw(frame, number)
        return frame

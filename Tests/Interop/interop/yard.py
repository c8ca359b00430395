"""What a camera sees of a yard, in which something moves after a while."""
import numpy

from interop import pattern

WIDTH, HEIGHT, RATE = 320, 240, 15
#: Seconds. The detector learns for six of them.
STILL, WALK = 7, 4


def write(path):
    """The clip as .y4m."""
    pattern.write_pictures(path, _pictures(), WIDTH, HEIGHT, RATE)


def write_evening(path, bright=4, dark=8):
    """A clip as .y4m in which it is bright, then dark, for so many seconds."""
    chance = numpy.random.default_rng(1)
    lights = [120] * bright * RATE + [24] * dark * RATE
    frames = ((light + chance.integers(-3, 4, (HEIGHT, WIDTH))).astype(numpy.uint8) for light in lights)
    pattern.write_pictures(path, frames, WIDTH, HEIGHT, RATE)


def _pictures():
    """A yard with pillars, in which a light box goes from left to right after a while."""
    chance = numpy.random.default_rng(1)
    columns, rows = numpy.arange(WIDTH) // 40 % 2, numpy.arange(HEIGHT) // 60 % 2
    yard = numpy.where((columns[None, :] == 0) & (rows[:, None] == 0), 130, 90)
    yard = yard + chance.integers(-8, 9, (HEIGHT // 2, WIDTH // 2)).repeat(2, 0).repeat(2, 1)
    for number in range((STILL + WALK) * RATE):
        luma = yard + chance.integers(-1, 2, yard.shape)
        if number >= STILL * RATE:
            left = (number - STILL * RATE) * (WIDTH - 20) // (WALK * RATE)
            luma[100:140, left:left + 16] = 200
        yield luma.astype(numpy.uint8)

"""Frame numbers drawn as black and white cells into a picture, and read back after lossy coding.

The mark is that of the device's `test:bars`: 64 cells in two rows of 32 across the top of the picture, most significant
bit first: 24 bits of picture number, 24 bits of milliseconds, a CRC-16/CCITT-FALSE of both. `test:street` has the same,
smaller, in the lower left corner.
"""
import pathlib
import typing

import numpy

COLUMNS, ROWS, HEIGHT_PARTS = 32, 2, 16
BLACK, WHITE, THRESHOLD = 16, 235, 126


class Mark(typing.NamedTuple):
    """What a picture says about itself."""

    number: int
    #: Of CLOCK_MONOTONIC, modulo 2²⁴.
    milliseconds: int


def encode(mark):
    """The 64 bits of a mark."""
    value = (mark.number & 0xFFFFFF) << 24 | mark.milliseconds & 0xFFFFFF
    whole = value << 16 | _checksum(value.to_bytes(6, "big"))
    return [whole >> (63 - index) & 1 for index in range(64)]


def decode(bits):
    """The mark in 64 bits, or None when the checksum does not fit."""
    whole = int("".join("1" if int(bit) else "0" for bit in bits), 2)
    value = whole >> 16
    if whole & 0xFFFF != _checksum(value.to_bytes(6, "big")):
        return None
    return Mark(value >> 24, value & 0xFFFFFF)


def _checksum(data):
    remainder = 0xFFFF
    for byte in data:
        remainder ^= byte << 8
        for _ in range(8):
            remainder = (remainder << 1 ^ 0x1021 if remainder & 0x8000 else remainder << 1) & 0xFFFF
    return remainder


def _cells(width, height):
    """`(left, right, top, bottom)` of each cell, in the order of the bits."""
    for row in range(ROWS):
        for column in range(COLUMNS):
            yield (column * width // COLUMNS, (column + 1) * width // COLUMNS, row * height // ROWS, (row + 1) * height // ROWS)


def _top(luma):
    """The part of a picture with the mark of `test:bars`."""
    return luma[:ROWS * luma.shape[0] // HEIGHT_PARTS]


def _corner(luma):
    """The part of a picture with the mark of `test:street`."""
    height, width = luma.shape
    return luma[height - height // 20:, :2 * width // 5]


def draw(luma, mark):
    """Draws the mark into a two-dimensional array of luma samples."""
    area = _top(luma)
    height, width = area.shape
    for bit, (left, right, top, bottom) in zip(encode(mark), _cells(width, height)):
        area[top:bottom, left:right] = WHITE if bit else BLACK


def read(luma):
    """The mark in a two-dimensional array of luma samples, wherever it is, or None."""
    return _read(_top(luma)) or _read(_corner(luma))


def _read(area):
    height, width = area.shape
    bits = []
    for left, right, top, bottom in _cells(width, height):
        margin_x, margin_y = (right - left) // 4, (bottom - top) // 4
        bits.append(area[top + margin_y:bottom - margin_y, left + margin_x:right - margin_x].mean() >= THRESHOLD)
    return decode(bits)


def caller_picture(mark, width=320, height=240):
    """The luma of one frame of a caller: a slowly moving shade with the mark on it."""
    shade = numpy.linspace(60, 160, width) + 20 * numpy.sin(mark.number / 15)
    luma = numpy.tile(shade, (height, 1)).astype(numpy.uint8)
    draw(luma, mark)
    return luma


def busy_pictures(frames, width, height, rate):
    """The luma of pictures that move and are grainy, as in the evening: an encoder can use whatever it is given."""
    chance = numpy.random.default_rng(0)
    scene = chance.normal(128, 60, (height // 16 + 1, 2 * width // 16)).repeat(16, 0).repeat(16, 1)
    grain = [chance.normal(0, 7, (height, width)) for _ in range(8)]
    for number in range(frames):
        left = int(width / 2 * (1 + numpy.sin(2 * numpy.pi * number / frames)))
        luma = scene[:height, left:left + width] + grain[number % len(grain)][::1 - 2 * (number // 8 % 2)]
        luma = numpy.clip(luma, 16, 235).astype(numpy.uint8)
        draw(luma, Mark(number, number * 1000 // rate))
        yield luma


def write_busy_y4m(path: pathlib.Path, frames, width=640, height=480, rate=30):
    """A clip of :func:`busy_pictures`; a camera that plays it begins anew at its end."""
    write_pictures(path, busy_pictures(frames, width, height, rate), width, height, rate)


def write_y4m(path: pathlib.Path, frames, width=320, height=240, rate=30):
    """A clip of `frames` numbered frames; a camera that plays it begins anew at its end."""
    marks = (Mark(number, number * 1000 // rate) for number in range(frames))
    write_pictures(path, (caller_picture(mark, width, height) for mark in marks), width, height, rate)


def write_pictures(path: pathlib.Path, pictures, width, height, rate):
    """A clip of grey pictures, arrays of luma; a camera that plays it begins anew at its end."""
    chroma = bytes([128]) * (width * height // 2)
    with open(path, "wb") as output:
        output.write(f"YUV4MPEG2 W{width} H{height} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        for luma in pictures:
            output.write(b"FRAME\n" + luma.tobytes() + chroma)

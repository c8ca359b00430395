"""Frame numbers drawn as black and white cells into a picture, and read back after lossy coding.

The mark is that of the device's `test:bars`: 64 cells in two rows of 32 across the top of the picture, most significant
bit first: 24 bits of picture number, 24 bits of milliseconds, a CRC-16/CCITT-FALSE of both.
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
            yield (column * width // COLUMNS, (column + 1) * width // COLUMNS,
                   row * height // HEIGHT_PARTS, (row + 1) * height // HEIGHT_PARTS)


def draw(luma, mark):
    """Draws the mark into a two-dimensional array of luma samples."""
    height, width = luma.shape
    for bit, (left, right, top, bottom) in zip(encode(mark), _cells(width, height)):
        luma[top:bottom, left:right] = WHITE if bit else BLACK


def read(luma):
    """The mark in a two-dimensional array of luma samples, or None."""
    height, width = luma.shape
    bits = []
    for left, right, top, bottom in _cells(width, height):
        margin_x, margin_y = (right - left) // 4, (bottom - top) // 4
        bits.append(luma[top + margin_y:bottom - margin_y, left + margin_x:right - margin_x].mean() >= THRESHOLD)
    return decode(bits)


def caller_picture(mark, width=320, height=240):
    """The luma of one frame of a caller: a slowly moving shade with the mark on it."""
    shade = numpy.linspace(60, 160, width) + 20 * numpy.sin(mark.number / 15)
    luma = numpy.tile(shade, (height, 1)).astype(numpy.uint8)
    draw(luma, mark)
    return luma


def write_y4m(path: pathlib.Path, frames, width=320, height=240, rate=30):
    """A clip of `frames` numbered frames; a camera that plays it begins anew at its end."""
    chroma = bytes([128]) * (width * height // 2)
    with open(path, "wb") as output:
        output.write(f"YUV4MPEG2 W{width} H{height} F{rate}:1 Ip A1:1 C420jpeg\n".encode())
        for number in range(frames):
            mark = Mark(number, number * 1000 // rate)
            output.write(b"FRAME\n" + caller_picture(mark, width, height).tobytes() + chroma)

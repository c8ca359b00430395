"""A caller that sends pictures of a megabyte without end; `python -m abuse.loud_caller`, options as interop.caller."""
import asyncio
import fractions
import time

import aiortc
import av
import numpy

from interop import caller

#: As many bytes as go into a picture, and pictures into a second: 24 Mbit/s.
PICTURE, RATE = 100_000, 30


class LoudVideo(aiortc.MediaStreamTrack):
    """Key frames of VP8 with a tail of noise that no decoder misses, already encoded."""

    kind = "video"

    def __init__(self):
        super().__init__()
        self._picture = key_frame() + bytes(numpy.random.default_rng(1).integers(0, 256, PICTURE, numpy.uint8))
        self._begin = None
        self._number = 0

    async def recv(self):
        self._begin = self._begin or time.monotonic()
        await asyncio.sleep(max(0.0, self._begin + self._number / RATE - time.monotonic()))
        packet = av.Packet(self._picture)
        packet.pts, packet.time_base = self._number * 90_000 // RATE, fractions.Fraction(1, 90_000)
        self._number += 1
        return packet


def key_frame():
    """One picture of 640×480 as libvpx encodes it."""
    encoder = av.CodecContext.create("libvpx", "w")
    encoder.width, encoder.height, encoder.pix_fmt = 640, 480, "yuv420p"
    encoder.time_base = fractions.Fraction(1, RATE)
    frame = av.VideoFrame.from_ndarray(numpy.full((720, 640), 128, numpy.uint8), format="yuv420p")
    frame.pts, frame.time_base = 0, encoder.time_base
    packets = encoder.encode(frame) or encoder.encode(None)
    return bytes(packets[0])


if __name__ == "__main__":
    caller.NumberedVideo = LoudVideo
    caller.main()

"""What a party made of aiortc sends and receives, and how it tells of it; see caller.py."""
import asyncio
import fractions
import json
import threading
import time

import aiortc
import aiortc.rtcrtpreceiver
import av
import numpy

from interop import pattern, sound

VIDEO_CLOCK = 90_000
SOUND_RATE = 48_000
SOUND_SAMPLES = SOUND_RATE // 50

_output = threading.Lock()


def tell(event, **values):
    with _output:
        print(json.dumps({"event": event, "at": time.monotonic(), **values}), flush=True)


class NumberedVideo(aiortc.MediaStreamTrack):
    """Pictures with their number on them, at 30 a second."""

    kind = "video"

    def __init__(self):
        super().__init__()
        self._begin = None
        self._number = 0

    async def recv(self):
        self._begin = self._begin or time.monotonic()
        await _sleep_until(self._begin + self._number / 30)
        luma = pattern.caller_picture(pattern.Mark(self._number, int(time.monotonic() * 1000)))
        chroma = numpy.full((luma.shape[0] // 2, luma.shape[1]), 128, numpy.uint8)
        frame = av.VideoFrame.from_ndarray(numpy.vstack([luma, chroma]), format="yuv420p")
        frame.pts, frame.time_base = self._number * VIDEO_CLOCK // 30, fractions.Fraction(1, VIDEO_CLOCK)
        tell("sent", number=self._number)
        self._number += 1
        return frame


class Tone(aiortc.MediaStreamTrack):
    """A sine tone in packets of 20 ms."""

    kind = "audio"

    def __init__(self, frequency):
        super().__init__()
        self._frequency = frequency
        self._begin = None
        self._count = 0

    async def recv(self):
        self._begin = self._begin or time.monotonic()
        await _sleep_until(self._begin + self._count / SOUND_RATE)
        positions = numpy.arange(self._count, self._count + SOUND_SAMPLES)
        samples = numpy.sin(2 * numpy.pi * self._frequency * positions / SOUND_RATE) * 0.4 * 32767
        frame = av.AudioFrame.from_ndarray(samples.astype(numpy.int16)[None, :], format="s16", layout="mono")
        frame.sample_rate, frame.pts = SOUND_RATE, self._count
        frame.time_base = fractions.Fraction(1, SOUND_RATE)
        self._count += SOUND_SAMPLES
        return frame


class Recorded(aiortc.MediaStreamTrack):
    """The packets of a file's sound or pictures as they are, again and again; sound has 50 a second, pictures are 30."""

    def __init__(self, path, kind):
        super().__init__()
        self.kind = kind
        with av.open(path) as container:
            stream = container.streams.get(**{kind: 0})[0]
            self._packets = [bytes(packet) for packet in container.demux(stream) if packet.size]
        self._rate = 50 if kind == "audio" else 30
        self._begin = None
        self._count = 0

    async def recv(self):
        self._begin = self._begin or time.monotonic()
        await _sleep_until(self._begin + self._count / self._rate)
        packet = av.Packet(self._packets[self._count % len(self._packets)])
        packet.pts, packet.time_base = self._count, fractions.Fraction(1, self._rate)
        self._count += 1
        return packet


async def receive_pictures(track, kept=None):
    """Tells each picture's number; with `kept` the luma of each is appended to that file."""
    while True:
        frame = await track.recv()
        luma = frame.to_ndarray(format="gray")
        mark = pattern.read(luma)
        if kept:
            await asyncio.to_thread(_append, kept, frame)
        tell("received", number=mark and mark.number, milliseconds=mark and mark.milliseconds, size=luma.shape)


def _append(path, frame):
    plane = frame.planes[0]
    samples = numpy.frombuffer(plane, numpy.uint8).reshape(plane.height, plane.line_size)[:, :plane.width]
    with open(path, "ab") as file:
        file.write(samples.tobytes())


async def receive_sound(track, warm_up=2.0, window=2.0):
    """Tells about the sound once, after the jitter buffers have settled."""
    begin, heard, count = time.monotonic(), [], 0
    while True:
        frame = await track.recv()
        if time.monotonic() < begin + warm_up or heard is None:
            continue
        channels = len(frame.layout.channels)
        heard.append(frame.to_ndarray().reshape(-1)[::channels])
        count += len(heard[-1])
        if count >= window * frame.sample_rate:
            # Elsewhere: while the loop stands still, what comes meanwhile overflows the socket's buffer.
            await asyncio.to_thread(_tell_sound, numpy.concatenate(heard), frame.sample_rate)
            heard = None


def _tell_sound(samples, rate):
    tone, share = sound.strongest_tone(samples, rate)
    tell("sound", tone=tone, share=share, tones=sound.tones(samples, rate))


def count_frames():
    """From now on the process tells `frame`, with its `octets`, of each whole picture that comes, and decodes nothing."""
    def count(_, frames, *__):
        while task := frames.get():
            codec, frame = task
            if codec.name == "VP8":
                tell("frame", octets=len(frame.data))

    aiortc.rtcrtpreceiver.decoder_worker = count


async def _sleep_until(moment):
    await asyncio.sleep(max(0.0, moment - time.monotonic()))

"""A caller made of aiortc: a process of its own, since aiortc is best ended from outside.

Writes one JSON object a line to standard output: `{"event": …, "at": seconds of CLOCK_MONOTONIC, …}`, where `event` is
`connected`, `sent` or `received` (with the frame's `number`, null when it cannot be read), `sound` (with `tone` and
`share`), `signal`, and at last `ended`.
"""
import argparse
import asyncio
import fractions
import json
import sys
import threading
import time
import uuid

import aioice.ice
import aiortc
import av
import numpy

from interop import pattern, sound
from interop.hub_client import EventQueue, HubClient

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


async def receive_pictures(track):
    while True:
        frame = await track.recv()
        luma = frame.to_ndarray(format="gray")
        mark = pattern.read(luma)
        tell("received", number=mark and mark.number, milliseconds=mark and mark.milliseconds)


async def receive_sound(track, warm_up=2.0, window=2.0):
    """Tells about the sound once, after the jitter buffers have settled."""
    begin, samples = time.monotonic(), []
    while True:
        frame = await track.recv()
        if time.monotonic() < begin + warm_up or samples is None:
            continue
        channels = len(frame.layout.channels)
        samples.extend(frame.to_ndarray().reshape(-1)[::channels])
        if len(samples) >= window * frame.sample_rate:
            tone, share = sound.strongest_tone(samples, frame.sample_rate)
            tell("sound", tone=tone, share=share)
            samples = None


async def call(options):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
    hub = HubClient(options.hub)
    hub.login(options.title, options.password)
    events = EventQueue(hub)
    _, hello = await events.next("hello")
    await asyncio.to_thread(hub.request, "PUT", "/v1/presence", {
        "kind": "person", "status": "busy", "isAudio": True, "isVideo": True, "eventStreamID": hello["eventStreamID"]})
    receiver = await _find(hub, options.receiver)
    session = str(uuid.uuid4())
    connection, tasks = _connection(options)
    await connection.setLocalDescription(await connection.createOffer())
    await asyncio.to_thread(hub.request, "PUT", f"/v1/sessions/{session}", {
        "receiverID": receiver, "isAudio": True, "isVideo": True, "offer": connection.localDescription.sdp})
    name, payload = await events.next("call.answered", "call.rejected", "call.ended", session=session)
    if name != "call.answered":
        raise ConnectionError(f"{name}: {payload}")
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(payload["sdp"], "answer"))
    tell("answered", session=session)
    reason = await _stay(events, session, options.seconds)
    if reason is None:
        await asyncio.to_thread(hub.request, "DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})
    tell("ended", reason=reason or "own hangup")
    for task in tasks:
        task.cancel()


def _connection(options):
    connection = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[]))
    tasks = []

    @connection.on("track")
    def on_track(track):
        receive = receive_pictures if track.kind == "video" else receive_sound
        tasks.append(asyncio.ensure_future(receive(track)))

    @connection.on("connectionstatechange")
    def on_state():
        tell(connection.connectionState)

    connection.addTrack(Tone(options.tone))
    connection.addTrack(NumberedVideo())
    return connection, tasks


async def _stay(events, session, seconds):
    """Waits; returns the reason when the other side ends the call, None when the time is over."""
    try:
        async with asyncio.timeout(seconds):
            while True:
                name, payload = await events.next("signal", "call.ended", session=session, limit=seconds + 5)
                if name == "call.ended":
                    return payload["reason"]
                tell("signal", type=payload["type"], data=payload["data"])
    except TimeoutError:
        return None


async def _find(hub, title, limit=15.0):
    deadline = time.monotonic() + limit
    while not (found := await asyncio.to_thread(hub.find, title)):
        if time.monotonic() > deadline:
            raise TimeoutError(f"{title} is not online")
        await asyncio.sleep(0.1)
    return found


async def _sleep_until(moment):
    await asyncio.sleep(max(0.0, moment - time.monotonic()))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hub", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--receiver", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--tone", type=float, default=440)
    options = parser.parse_args()

    async def bounded():
        async with asyncio.timeout(options.seconds + 40):
            await call(options)

    asyncio.run(bounded())
    sys.stdout.flush()


if __name__ == "__main__":
    main()

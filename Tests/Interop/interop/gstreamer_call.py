"""A call of the device by GStreamer's webrtcbin, seen from a test; see gstreamer_peer.py."""
import asyncio
import contextlib
import json
import uuid

from interop import whep
from interop.hub_client import EventQueue, HubClient
from interop.world import DEVICE, DEVICE_TONE, OPERATOR

#: GStreamer's Python module is Debian's, and so is the Python that has it.
PYTHON = "/usr/bin/python3"
#: GStreamer passes over the loopback interface.
ADDRESS = "192.0.2.1"


class Outcome:
    """What a call came to, at the caller's end."""

    def __init__(self, received, warnings):
        self.pictures, self._tone = received["pictures"], received["tone"]
        self.warnings = warnings

    @property
    def is_heard(self):
        return self._tone is not None and abs(self._tone - DEVICE_TONE) < 0.05 * DEVICE_TONE

    def __str__(self):
        tone = f"{self._tone:.0f} Hz" if self._tone else "no sound"
        return f"{tone}, {self.pictures} pictures, warnings {self.warnings}"


async def call(context, world, seconds, *options):
    """Calls the device for so long; `options` are those of gstreamer_peer.py."""
    hub = HubClient(world.url)
    hub.login(*OPERATOR)
    events = EventQueue(hub)
    _, hello = await events.next("hello")
    await asyncio.to_thread(hub.request, "PUT", "/v1/presence", {
        "kind": "person", "status": "busy", "isAudio": True, "isVideo": True, "eventStreamID": hello["eventStreamID"]})
    async with _peer(context, options) as peer:
        offer = await _next(peer, "offer")
        session = f"/v1/sessions/{uuid.uuid4()}"
        await asyncio.to_thread(hub.request, "PUT", session, {
            "receiverID": hub.find(DEVICE), "isAudio": True, "isVideo": True, "offer": offer["sdp"]})
        talk = asyncio.create_task(_exchange(peer, events))
        async with asyncio.timeout(seconds + 30):
            while (received := await _next(peer, "received"))["seconds"] < seconds:
                pass
        warnings = await _end(talk)
        await asyncio.to_thread(hub.request, "DELETE", session, {"reason": "hangup"})
    return Outcome(received, warnings)


async def view(context, link, seconds):
    """Views the device by WHEP until there are so many seconds of sound."""
    async with _peer(context, ["--receive-only", "--bundle-policy", "max-bundle"]) as peer:
        offer = await _next(peer, "offer")
        seen = await asyncio.to_thread(whep.View, link, offer["sdp"])
        peer.stdin.write(json.dumps({"answer": seen.answer}).encode() + b"\n")
        async with asyncio.timeout(seconds + 30):
            while (received := await _next(peer, "received"))["seconds"] < seconds:
                pass
        (await asyncio.to_thread(seen.end)).require(200)
    return Outcome(received, [])


@contextlib.asynccontextmanager
async def _peer(context, options):
    path = context.scratch / "gstreamer.log"
    with path.open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            PYTHON, "-m", "interop.gstreamer_peer", "--tone", str(context.tone), *options,
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, stderr=log)
    try:
        yield process
    except Exception:
        print(path.read_text())
        raise
    finally:
        process.kill()
        await process.wait()


async def _next(peer, name, limit=30):
    """The next event of this name."""
    async with asyncio.timeout(limit):
        while line := await peer.stdout.readline():
            event = json.loads(line)
            if event["event"] == name:
                return event
    raise RuntimeError(f"GStreamer's peer ended before {name!r}; are its packages installed?")


async def _exchange(peer, events):
    """Hands the answer and candidates on until it is cancelled; returns what the device warned of."""
    warnings = []
    try:
        while True:
            name, payload = await events.next(
                "call.answered", "call.candidates", "call.rejected", "call.ended", "signal", limit=60)
            if name in ("call.rejected", "call.ended"):
                raise ConnectionError(f"{name}: {payload}")
            if name == "signal":
                warnings += [json.loads(payload["data"])] if payload["type"] == "warning" else []
                continue
            for message in _messages(payload):
                peer.stdin.write(json.dumps(message).encode() + b"\n")
    except asyncio.CancelledError:
        return warnings


def _messages(payload):
    if "sdp" in payload:
        return [{"answer": payload["sdp"]}]
    return [{"candidate": one["candidate"], "index": one.get("sdpMLineIndex") or 0}
            for one in payload["candidates"] if one["candidate"]]


async def _end(task):
    task.cancel()
    return await task

"""A party made of aiortc, a process of its own, since aiortc is best ended from outside. It calls, or is called.

Writes one JSON object a line to standard output: `{"event": …, "at": seconds of CLOCK_MONOTONIC, …}`, where `event` is
`answered` (with the `session`, and the answer's `sections` as `[kind, whether it is accepted]`), `connected`, `sent` or
`received` (with the frame's `number`, null when it cannot be read), `sound` (with `tone`, `share` and `tones`), `signal`, and at
last `ended`. Before it is called it tells that it is `online`; with `--count` it tells `frame`, with `--lite` `check`.
"""
import argparse
import asyncio
import sys
import time
import uuid

import aioice.ice
import aiortc

from interop import aiortc_keypad, ice_lite, whep
from interop.aiortc_media import NumberedVideo, Recorded, Tone, count_frames, receive_pictures, receive_sound, tell
from interop.hub_client import EventQueue, HubClient

#: What is offered: sound and pictures, unless another of these is asked for.
OFFERS = ["usual", "audio-only", "h264-only", "two-videos", "receive-only"]
#: Those of which one description will be refused.
PARTLY_REFUSED = ("h264-only", "two-videos")


async def call(options):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: [options.address]
    if options.lite:
        ice_lite.install()
    if options.count:
        count_frames()
    if options.whep:
        return await _view(options)
    hub = HubClient(options.hub)
    hub.login(options.title, options.password)
    events = EventQueue(hub)
    await _come_online(hub, events, options)
    connection, tasks = _connection(options)
    session = await (_place if options.receiver else _take)(connection, hub, events, options)
    reason = await _stay(events, session, options.seconds)
    if reason is None:
        await asyncio.to_thread(hub.request, "DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})
    tell("ended", reason=reason or "own hangup")
    for task in tasks:
        task.cancel()


async def _view(options):
    """Views by WHEP until the time is over."""
    options.offer = "receive-only"
    connection, tasks = _connection(options)
    await connection.setLocalDescription(await connection.createOffer())
    offer = connection.localDescription.sdp
    asked = time.monotonic()
    view = await asyncio.to_thread(whep.View, options.whep, offer)
    tell("answered", session=view.url, sections=_sections(view.answer), asked=asked)
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(view.answer, "answer"))
    candidates = [line[2:] for line in offer.splitlines() if line.startswith("a=candidate:")]
    await asyncio.to_thread(view.trickle, candidates, whep.fragment_of(offer))
    await asyncio.sleep(options.seconds)
    ended = await asyncio.to_thread(view.end)
    tell("ended", reason=f"DELETE was answered with {ended.status}")
    for task in tasks:
        task.cancel()


async def _come_online(hub, events, options):
    _, hello = await events.next("hello")
    await asyncio.to_thread(hub.request, "PUT", "/v1/presence", {
        "kind": "person", "status": "busy" if options.receiver else "available", "isAudio": True, "isVideo": True,
        "eventStreamID": hello["eventStreamID"]})


async def _place(connection, hub, events, options):
    """Calls, and returns the session's id once the call is answered."""
    receiver = await _find(hub, options.receiver)
    session = str(uuid.uuid4())
    await connection.setLocalDescription(await connection.createOffer())
    await asyncio.to_thread(hub.request, "PUT", f"/v1/sessions/{session}", {
        "receiverID": receiver, "isAudio": True, "isVideo": options.offer != "audio-only",
        "offer": _local_text(connection, options)})
    name, payload = await events.next("call.answered", "call.rejected", "call.ended", session=session)
    if name != "call.answered":
        raise ConnectionError(f"{name}: {payload}")
    tell("answered", session=session, sections=_sections(payload["sdp"]))
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(payload["sdp"], "answer"))
    return session


async def _take(connection, hub, events, options):
    """Waits for a call, answers it, and returns the session's id.

    Candidates that come later are not taken: those that the checks come from are enough.
    """
    tell("online")
    _, payload = await events.next("call.incoming", limit=options.seconds)
    await connection.setRemoteDescription(aiortc.RTCSessionDescription(payload["offer"], "offer"))
    await connection.setLocalDescription(await connection.createAnswer())
    text, session = _local_text(connection, options), payload["sessionID"]
    await asyncio.to_thread(hub.request, "POST", f"/v1/sessions/{session}/answer", {"sdp": text})
    tell("answered", session=session, sections=_sections(text))
    return session


def _local_text(connection, options):
    text = connection.localDescription.sdp
    if options.dial:
        text = aiortc_keypad.offered(text)
    return ice_lite.marked(text) if options.lite else text


def _sections(text):
    lines = [line.split() for line in text.splitlines() if line.startswith("m=")]
    return [[line[0].removeprefix("m="), line[1] != "0"] for line in lines]


def _connection(options):
    # aiortc would wait for ever for a refused description's own transport.
    policy = (aiortc.RTCBundlePolicy.MAX_BUNDLE if options.offer in PARTLY_REFUSED
              else aiortc.RTCBundlePolicy.BALANCED)
    connection = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[], bundlePolicy=policy))
    tasks = []

    @connection.on("track")
    def on_track(track):
        received = receive_pictures(track, options.keep) if track.kind == "video" else receive_sound(track, options.listen_after)
        tasks.append(asyncio.ensure_future(received))

    @connection.on("connectionstatechange")
    def on_state():
        tell(connection.connectionState)

    _add_media(connection, options)
    if options.dial:
        tasks.append(asyncio.ensure_future(aiortc_keypad.dial(connection, options.dial)))
    return connection, tasks


def _add_media(connection, options):
    if options.offer == "receive-only":
        for kind in ("audio", "video"):
            connection.addTransceiver(kind, direction="recvonly")
        return
    connection.addTrack(Recorded(options.media, "audio") if options.media else Tone(options.tone))
    videos = {"audio-only": 0, "two-videos": 2}.get(options.offer, 1)
    for _ in range(videos):
        connection.addTrack(Recorded(options.media, "video") if options.media else NumberedVideo())
    if options.offer == "h264-only":
        codecs = aiortc.RTCRtpSender.getCapabilities("video").codecs
        connection.getTransceivers()[-1].setCodecPreferences(
            [codec for codec in codecs if codec.mimeType == "video/H264"])


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


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hub", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--receiver", help="the title of who is called; without, it waits for a call")
    parser.add_argument("--seconds", type=float, required=True, help="of the call, and to wait for one")
    parser.add_argument("--tone", type=float, default=440)
    parser.add_argument("--listen-after", type=float, default=2.0, help="seconds before sound is looked at")
    parser.add_argument("--offer", choices=OFFERS, default="usual")
    parser.add_argument("--media", help="a file of VP8 and Opus that is sent as it is, again and again")
    parser.add_argument("--keep", help="a file for the luma of all pictures that are received")
    parser.add_argument("--dial", default="", help="keys that are pressed, two a second, once it is connected")
    parser.add_argument("--whep", help="a link by which the device is viewed, in place of a call")
    parser.add_argument("--lite", action="store_true", help="ICE-lite: send no connectivity checks")
    parser.add_argument("--count", action="store_true", help="decode nothing, and tell each `frame` and its `octets`")
    parser.add_argument("--address", default="127.0.0.1", help="the only one that is used")
    options = parser.parse_args()

    async def bounded():
        async with asyncio.timeout(2 * options.seconds + 40):
            await call(options)

    asyncio.run(bounded())
    sys.stdout.flush()


if __name__ == "__main__":
    main()

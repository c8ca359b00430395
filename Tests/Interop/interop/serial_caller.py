"""Somebody made of aiortc who calls the device again and again as planned (see vanishing.py); a process of its own.

Writes JSON as caller.py does: of each call `placed` and at last `ended`, `vanished` or `failed`, with its `number`; `action`
with the `outcome`. A call in which the caller is killed ends the process. Nothing that is received is decoded.
"""
import argparse
import asyncio
import contextlib
import json
import os
import pathlib
import signal
import threading
import time

import aioice.ice
import aiortc
import aiortc.rtcrtpreceiver

from interop import aiortc_keypad, vanishing
from interop.aiortc_media import NumberedVideo, Tone, tell
from interop.hub_client import EventQueue, HubClient

#: What is asked for by name.
ACTION = "open-door"
#: From call to call: the hub lets nobody place more than thirty a minute.
PACE = 2.1
LIMIT = 20.0

#: Set when the first picture of a call is whole.
_pictured = threading.Event()


class Person:
    """A logged-in person with an event stream, whose calls come one after the other."""

    def __init__(self, hub, events, receiver):
        self._hub, self._events, self._receiver = hub, events, receiver
        #: Connections whose datagrams have stopped: closing their sockets would tell the device that nobody is there.
        self._silent = []

    async def play(self, plan):
        """One call as planned."""
        begin = time.monotonic()
        tell("placed", number=plan.number)
        connection, tracks = _connection(plan)
        call = Call(plan, connection, self._hub, self._events, self._receiver)
        try:
            async with asyncio.timeout(3 * LIMIT):
                await call.run()
            tell("ended", number=plan.number)
        except asyncio.CancelledError:
            _silence(connection, tracks)
            self._silent.append(connection)
            tell("vanished", number=plan.number)
        except Exception as error:
            call.stay()
            tell("failed", number=plan.number, words=f"{type(error).__name__}: {error}")
        if connection not in self._silent:
            await connection.close()
        await asyncio.sleep(begin + PACE - time.monotonic())


class Call:
    """One call, from the offer to the hang-up, or until the caller vanishes."""

    def __init__(self, plan, connection, hub, events, receiver):
        self._plan, self._connection = plan, connection
        self._hub, self._events, self._receiver = hub, events, receiver
        #: What will end it.
        self._end = None

    async def run(self):
        """Returns after the hang-up; raises CancelledError where the caller is to fall silent."""
        _pictured.clear()
        await self._place()
        if self._plan.action:
            await self._act()
        await asyncio.sleep(self._plan.seconds)
        if self._plan.vanishes:
            # The moment may lie behind the call's planned end.
            await asyncio.Event().wait()
        await self._request("DELETE", "", {"reason": "hangup"})

    async def _place(self):
        connection = self._connection
        await connection.setLocalDescription(await connection.createOffer())
        self._reach("placed")
        await self._request("PUT", "", {
            "receiverID": self._receiver, "isAudio": True, "isVideo": True,
            "offer": aiortc_keypad.offered(connection.localDescription.sdp)})
        answer = await self._next("call.answered")
        self._reach("answered")
        await connection.setRemoteDescription(aiortc.RTCSessionDescription(answer["sdp"], "answer"))
        async with asyncio.timeout(LIMIT):
            while connection.connectionState != "connected":
                await asyncio.sleep(0.02)
        self._reach("connected")
        if not await asyncio.to_thread(_pictured.wait, LIMIT):
            raise TimeoutError("no picture came")

    async def _act(self):
        self._reach("acting")
        if self._plan.action == "signal":
            await self._request("POST", "/signal", {"type": "action", "data": json.dumps({"name": ACTION})})
        else:
            await aiortc_keypad.dial(self._connection, self._plan.action)
        while (told := await self._next("signal"))["type"] != "action.result":
            pass
        outcome = json.loads(told["data"])
        tell("action", number=self._plan.number, outcome="done" if outcome["isDone"] else outcome["reason"])

    def _reach(self, moment):
        """Vanishes soon, if the plan says at this moment."""
        if self._plan.vanishes != moment:
            return
        if self._plan.way == "killed":
            self._end = threading.Timer(self._plan.delay, os.kill, (os.getpid(), signal.SIGKILL))
            self._end.start()
        else:
            self._end = asyncio.get_running_loop().call_later(self._plan.delay, asyncio.current_task().cancel)

    def stay(self):
        """Does not vanish any more: the call has failed before."""
        if self._end:
            self._end.cancel()

    async def _request(self, method, path, body):
        await asyncio.to_thread(self._hub.request, method, f"/v1/sessions/{self._plan.session}{path}", body)

    async def _next(self, name):
        told, payload = await self._events.next(
            name, "call.rejected", "call.ended", session=self._plan.session, limit=LIMIT)
        if told != name:
            raise ConnectionError(f"{told}: {payload}")
        return payload


def _connection(plan):
    connection = aiortc.RTCPeerConnection(
        aiortc.RTCConfiguration(iceServers=[], bundlePolicy=aiortc.RTCBundlePolicy.MAX_BUNDLE))
    tracks = [Tone(300 + plan.number), NumberedVideo()]
    for track in tracks:
        connection.addTrack(track)
    return connection, tracks


def _silence(connection, tracks):
    """From now on nothing leaves, and what comes is left in the sockets."""
    for track in tracks:
        track.stop()
    loop = asyncio.get_running_loop()
    for transceiver in connection.getTransceivers():
        ice = transceiver.sender.transport.transport
        for protocol in ice._connection._protocols:
            protocol.transport.sendto = lambda *_: None
            with contextlib.suppress(ValueError):
                loop._remove_reader(protocol.transport.get_extra_info("socket").fileno())


def _drop_pictures():
    def drop(_, frames, *__):
        while task := frames.get():
            if task[0].name == "VP8":
                _pictured.set()

    aiortc.rtcrtpreceiver.decoder_worker = drop


async def _play_all(options):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
    _drop_pictures()
    hub = HubClient(options.hub)
    hub.login(options.title, options.password)
    events = EventQueue(hub)
    _, hello = await events.next("hello")
    hub.request("PUT", "/v1/presence", {
        "kind": "person", "status": "busy", "isAudio": True, "isVideo": True, "eventStreamID": hello["eventStreamID"]})
    person = Person(hub, events, hub.find(options.receiver))
    for plan in vanishing.read(options.plans):
        # A task of its own, which ends where the caller falls silent.
        await asyncio.create_task(person.play(plan))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hub", required=True)
    parser.add_argument("--title", required=True)
    parser.add_argument("--password", required=True)
    parser.add_argument("--receiver", required=True, help="the title of who is called")
    parser.add_argument("--plans", type=pathlib.Path, required=True, help="what vanishing.write() has written")
    asyncio.run(_play_all(parser.parse_args()))
    # Sockets of those who have fallen silent stay open to the end.
    os._exit(0)


if __name__ == "__main__":
    main()

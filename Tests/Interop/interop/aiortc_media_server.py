"""What takes published media, made of aiortc: tells the number of each picture."""
import asyncio
import itertools
import threading

import aiortc

from interop import pattern


class AiortcServer:
    """Takes sessions while entered, in a thread of its own. It knows no restarts of ICE."""

    def __init__(self):
        self._loop = asyncio.new_event_loop()
        self._names, self._sessions = itertools.count(), {}
        #: Of each picture that came, None where it cannot be read.
        self.numbers = []
        #: States of connections, as they came.
        self.states = []

    def __enter__(self):
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        for name in list(self._sessions):
            self.end(name)
        self._loop.call_soon_threadsafe(self._loop.stop)

    def begin(self, offer):
        return self._run(self._begin(offer))

    def end(self, name):
        self._run(self._sessions.pop(name).close())

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(timeout=20)

    async def _begin(self, offer):
        name, session = str(next(self._names)), aiortc.RTCPeerConnection()
        self._sessions[name] = session
        session.on("track", lambda track: self._loop.create_task(self._receive(track)))
        session.on("connectionstatechange", lambda: self.states.append(session.connectionState))
        await session.setRemoteDescription(aiortc.RTCSessionDescription(offer, "offer"))
        await session.setLocalDescription(await session.createAnswer())
        return name, session.localDescription.sdp

    async def _receive(self, track):
        try:
            while True:
                frame = await track.recv()
                if track.kind == "video":
                    mark = pattern.read(frame.to_ndarray(format="gray"))
                    self.numbers.append(mark and mark.number)
        except aiortc.mediastreams.MediaStreamError:
            pass

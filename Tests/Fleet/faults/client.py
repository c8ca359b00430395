"""One program of a party: requests go to any node that answers, the event stream comes back on another when it breaks."""
import asyncio
import random
import time

from faults import http

#: Nobody believes in a stream that has been silent for longer: the hub writes every 8 s.
SILENCE = 35.0
_ATTEMPTS = 40
_OUTCOMES = {"session-ended": "ended", "session-unknown": "unknownSession", "wrong-state": "wrongState",
             "answered-elsewhere": "answeredElsewhere"}
_REQUESTS = {"place": ("PUT", ""), "ring": ("POST", "/ringing"), "answer": ("POST", "/answer"),
             "reject": ("POST", "/reject"), "hangUp": ("DELETE", ""), "probe": ("POST", "/signal")}


class Client:
    """`ports`: of the nodes. Several clients may log in with one key."""

    def __init__(self, title, key, party, number, ports, recorder):
        self.title, self._key, self.party, self._number = title, key, party, number
        self._ports, self._recorder = ports, recorder
        self._token = self.user_id = None
        #: Sessions that the client takes part in.
        self.current = set()
        self.is_online = False
        #: The longest time without event stream, in seconds, since somebody set this to 0.
        self.outage = 0.0
        self._offline_since = time.monotonic()

    async def log_in(self):
        body = {"userTitle": self.title, "enrolmentKey": self._key}
        status, answer = await http.request(self._ports[0], None, "POST", "/v1/login", body)
        if status != 200:
            raise RuntimeError(f"{self.title} cannot log in: {status} {answer}")
        self._token, self.user_id = answer["accessToken"], answer["userID"]

    async def listen(self):
        """Keeps an event stream open."""
        last = None
        while True:
            port = random.choice(self._ports)
            async for number, name, payload in http.events(port, self._token, last, SILENCE):
                last = number or last
                if name == "hello":
                    if payload["isReset"]:
                        self._recorder.reset(self.party, self._number, self.current)
                    if not await self._announce(port, payload["eventStreamID"]):
                        break
                    self.is_online = True
                    self.outage = max(self.outage, time.monotonic() - self._offline_since)
                else:
                    self._recorder.hear(self.party, self._number, name, payload)
            if self.is_online:
                self.is_online, self._offline_since = False, time.monotonic()
                self._recorder.disturb("partyGone")
            await asyncio.sleep(random.uniform(0.1, 0.5))

    async def _announce(self, port, stream):
        body = {"status": "available", "kind": "device", "isAudio": True, "isVideo": True, "eventStreamID": stream}
        try:
            status, _ = await http.request(port, self._token, "PUT", "/v1/presence", body)
        except http.Unreachable:
            return False
        return status == 204

    async def perform(self, action, history, mark=None, receiver=None):
        """Makes a request, again while it is unknown whether it took effect; returns the last outcome."""
        for _ in range(_ATTEMPTS):
            operation = {"party": self.party, "action": action, "mark": mark, "invokedAt": self._recorder.now(),
                         "completedAt": None, "outcome": "unknown"}
            history["operations"].append(operation)
            operation["outcome"] = await self._attempt(action, history["id"], mark, receiver)
            if operation["outcome"] != "unknown":
                operation["completedAt"] = self._recorder.now()
                return operation["outcome"]
            await asyncio.sleep(random.uniform(0.5, 1.5))
        return "unknown"

    async def _attempt(self, action, session, mark, receiver):
        method, path = _REQUESTS[action]
        body = {"place": {"receiverID": receiver, "isAudio": True, "isVideo": True, "offer": "offer"},
                "answer": {"sdp": mark}, "reject": {"reason": "declined"},
                "probe": {"type": "probe", "data": ""}}.get(action)
        try:
            status, answer = await http.request(
                random.choice(self._ports), self._token, method, f"/v1/sessions/{session}{path}", body)
        except http.Unreachable:
            return "unknown"
        if 200 <= status < 300:
            return "done"
        if status >= 500:
            return "unknown"
        return _OUTCOMES.get((answer or {}).get("type"), "refused")

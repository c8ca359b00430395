"""What the clients asked, were answered and received, by session; written for session-history-check."""
import json
import time

_EVENTS = {"call.incoming", "call.ringing", "call.answered", "call.rejected", "call.ended", "call.taken"}

#: How long after a fault a session may begin that it still touches, in microseconds: a user without event stream counts as
#: gone after a minute.
_AFTERMATH = {"partyGone": 90_000_000, "contentsLost": 20_000_000, "writesLost": 20_000_000}


class Recorder:
    """Times are microseconds of the monotonic clock."""

    def __init__(self, unanswered_timeout, ended_memory):
        self._rules = {"unansweredTimeout": int(unanswered_timeout * 1e6), "endedMemory": int(ended_memory * 1e6),
                       "tolerance": 200_000}
        self._histories, self._disturbances = {}, []

    @staticmethod
    def now():
        return time.monotonic_ns() // 1_000

    def begin(self, session):
        self._histories[session] = {"id": session, "operations": [], "received": [], "disturbances": []}
        return self._histories[session]

    def disturb(self, kind, since=None):
        self._disturbances.append({"kind": kind, "from": self.now() if since is None else since})

    def hear(self, party, client, name, payload):
        """Takes an event about a session; others are passed over."""
        history = self._histories.get(payload.get("sessionID"))
        if history is None or name not in _EVENTS:
            return
        word = payload.get("sdp") or payload.get("reason") or payload.get("outcome")
        history["received"].append(
            {"party": party, "client": client, "name": name, "word": word, "receivedAt": self.now()})

    def reset(self, party, client, sessions):
        for session in sessions:
            self._histories[session]["received"].append(
                {"party": party, "client": client, "name": "reset", "receivedAt": self.now()})

    def write(self, path):
        """The rules, then a session a line, each with the faults until its end. Returns how many sessions there are."""
        with open(path, "w", encoding="utf-8") as output:
            print(json.dumps(self._rules), file=output)
            for history in self._histories.values():
                times = [operation["completedAt"] or operation["invokedAt"] for operation in history["operations"]]
                span = min(times, default=0), max(times + [event["receivedAt"] for event in history["received"]], default=0)
                print(json.dumps(history | {"disturbances": self._touching(*span)}), file=output)
        return len(self._histories)

    def _touching(self, begin, end):
        """The faults that can matter to a session; of the streams that broke the first explains what a later one does."""
        near = [fault for fault in self._disturbances
                if begin - _AFTERMATH[fault["kind"]] <= fault["from"] <= end]
        gone = [fault for fault in near if fault["kind"] == "partyGone"][:1]
        return gone + [fault for fault in near if fault["kind"] != "partyGone"]

"""The real daemon in a call, with a hub of its own and the card of room.py."""
import dataclasses
import json
import re
import time

from bench import usage
from call.room import CARD
from interop.calling import Caller
from interop.world import World

POLICY = """
default = "reject"

[[rule]]
name = "everybody"
action = "answer"
record = {record}
"""
#: Seconds until rates are steady and the canceller knows the room.
SETTLING = 6
#: Of sound, a second.
PACKETS = 50


@dataclasses.dataclass(frozen=True)
class Stretch:
    """Some time in a call."""

    seconds: float
    #: CPU seconds of the whole process, and of its threads by name.
    total: float
    threads: dict
    #: Bytes of RssAnon, the greatest that was seen.
    anonymous: int


class CalledDevice(World):
    """A hub and a device that answers everybody."""

    microphone = CARD

    def __init__(self, context, media, variables, *, is_recorded=True, echo="full-duplex"):
        self.camera = f"file:{media.bars}"
        self._context, self._media, self._cancels_echo = context, media, echo != "off"
        super().__init__(
            context, settings={"audio": {"speaker": CARD, "echo_cancellation": echo}}, variables=variables,
            policy=POLICY.format(record=str(is_recorded).lower()))

    @property
    def pid(self):
        return self._device.pid

    def call(self, seconds, offer="usual"):
        """Has aiortc call, which sends what is recorded and decodes nothing; returns the :class:`Stretch` in the call."""
        options = ["--media", str(self._media.sent), "--count", "--offer", offer]
        with Caller(self._context, self, SETTLING + seconds + 5, options=options) as caller:
            caller.wait_for("connected")
            time.sleep(SETTLING)
            stretch = watch(self.pid, seconds)
            self._require_two_ways()
            caller.wait_for("ended", limit=seconds + 30)
            caller.require_no_errors()
        return stretch

    def _require_two_ways(self):
        """Raises unless sound is captured, sent and played, and its echo cancelled if the device has been told to."""
        media = json.loads(self.command("stats", "--json"))["media"]
        counts = {"captured": media["microphone"]["packetsEncoded"], "sent": media["sessions"][0]["packetsSent"],
                  "played": media["playout"]["packetsPlayed"]}
        is_cancelled = media.get("sound", {}).get("echoReturnLossEnhancement", 0) > 3
        if min(counts.values()) < PACKETS * SETTLING or is_cancelled != self._cancels_echo:
            raise AssertionError(f"the call is none of both ways, or its echo is not as it should be: {media}")


def watch(pid, seconds):
    """What a process uses from now on."""
    begin, before, threads = time.monotonic(), usage.cpu_time(pid), usage.thread_times(pid)
    anonymous = 0
    while time.monotonic() < begin + seconds:
        time.sleep(min(1, max(0, begin + seconds - time.monotonic())))
        anonymous = max(anonymous, usage.anonymous_memory(pid))
    total, took = usage.cpu_time(pid) - before, time.monotonic() - begin
    by_name = {}
    for thread, used in usage.thread_times(pid).items():
        name = re.sub(r"[-#\d]+$", "", thread[1])
        by_name[name] = by_name.get(name, 0) + used - threads.get(thread, 0)
    return Stretch(took, total, by_name, anonymous)

"""A caller with an account: rings again and again, sends giant candidates and forged lines, plays with mute."""
import time
import uuid

from interop.processes import wait_until
from interop.world import DEVICE, SECOND_OPERATOR, STRANGER

from abuse.client import Client
from abuse.events import Listeners
from abuse.ringing import POLICY, make_offer, status_seconds
from abuse.world import ATTACKER

__all__ = ["POLICY"]
CALLS = 16
SECONDS, GIANT = 3, 60_000
#: The daemon's memory may grow by that much for calls that only ring.
GROWTH = 16 << 20
ESCAPES = "\x1b]52;c;Zm9yZ2Vk\x07\x1b[2J\r\n<0>forged line\n<0>forged line\u2028\u0085\x9b31m\u202eforged"
#: As much of it as fits into a word.
SHORT = "mute\x1b[2J\u2028\r\n<0>forged line"
#: Bytes that a terminal or a journal acts on.
CONTROLS = (b"\x1b", b"\x07", b"\xc2\x85", b"\xc2\x9b", b"\xe2\x80\xa8", b"\xe2\x80\xae")


def variables(_context):
    """As under systemd, where each line begins with its priority."""
    return {"JOURNAL_STREAM": "1:1"}


def attack(stage):
    offer = make_offer()
    caller = _log_in(stage, "127.0.5.1", ATTACKER)
    device = next(user["userID"] for user in caller.request("GET", "/v1/users").json["items"]
                  if user["userTitle"] == DEVICE)
    with Listeners([caller.stream()]):
        rung = _ring(caller, device, offer)
        stage.note(f"{len(rung)} of {CALLS} calls of one caller rang")
        _others_get_through(stage, device, offer)
        with stage.world.monitor():
            wait_until(lambda: _is_heard(stage, caller, rung), "the monitor shows chat", limit=5, interval=0.3)
            _write(stage, caller, rung)
        _candidates(stage, caller, rung)
        for session in rung:
            caller.request("DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})
    _mutes(stage, device, offer)
    seconds = status_seconds(stage)
    stage.check(seconds < 1, f"status takes {seconds:.1f} s")


def _log_in(stage, source, who):
    client = Client(stage.port, source)
    client.login(*who)
    return client


def _place(caller, device, offer):
    """The session, if the hub takes the call."""
    session = str(uuid.uuid4())
    placed = caller.request("PUT", f"/v1/sessions/{session}", {
        "receiverID": device, "isAudio": True, "isVideo": True, "offer": offer})
    return session if placed.is_success else None


def _ring(caller, device, offer):
    """The sessions that the device lets ring."""
    placed = [session for _ in range(CALLS) if (session := _place(caller, device, offer))]
    time.sleep(1.5)
    return [session for session in placed if _say(caller, session, "chat", "hello").is_success]


def _say(caller, session, kind, data):
    return caller.request("POST", f"/v1/sessions/{session}/signal", {"type": kind, "data": data})


def _others_get_through(stage, device, offer):
    """An operator and another user are not told that the device is busy."""
    others = (("127.0.5.2", SECOND_OPERATOR, "call.answered"), ("127.0.5.3", STRANGER, "call.ringing"))
    for source, who, right in others:
        caller = _log_in(stage, source, who)
        with Listeners([caller.stream()]) as events:
            session = _place(caller, device, offer)
            outcome = _outcome(events)
            stage.check(outcome[0] == right, f"beside one user's {CALLS} calls {who[0]} meets {outcome}")
            caller.request("DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})


def _outcome(events):
    """The name of the event that decides a call, and its reason."""
    def find():
        names = ("call.answered", "call.ringing", "call.rejected", "call.ended")
        return next(((name, last.get("reason")) for name in names if (last := events.last(name))), None)
    try:
        return wait_until(find, "the call is decided", limit=8)
    except TimeoutError:
        return None, None


def _is_heard(stage, caller, sessions):
    _say(caller, sessions[0], "chat", "hello")
    return "hello" in (stage.world.folder / "monitor.log").read_text()


def _write(stage, caller, sessions):
    """Text that would be commands where it is shown or written down."""
    for session in sessions[:2]:
        _say(caller, session, "chat", ESCAPES)
        _say(caller, session, SHORT, "x")
        caller.request("POST", f"/v1/sessions/{session}/control", {"action": SHORT, "target": SHORT})
        caller.request("POST", f"/v1/sessions/{session}/candidates", {
            "candidates": [{"candidate": ESCAPES, "sdpMid": ESCAPES, "sdpMLineIndex": 0}]})
    time.sleep(1)
    _require_plain(stage, "device.log", "the journal")
    _require_plain(stage, "monitor.log", "the terminal of `livesessions monitor`")


def _require_plain(stage, name, what):
    text = (stage.world.folder / name).read_bytes()
    forged = [line for line in text.split(b"\n") if line.startswith(b"<0>")]
    stage.check(not forged, f"a caller writes a line of {what}: {(forged or [b''])[0]!r}")
    found = [control for control in CONTROLS if control in text]
    stage.check(not found, f"a caller's {found} reach {what}")


def _candidates(stage, caller, sessions):
    """Candidates of 60 kB, as many as the hub passes on."""
    before = stage.world.device_use().kilobytes << 10
    begin, sent, statuses = time.monotonic(), 0, set()
    while time.monotonic() < begin + SECONDS and sessions:
        for session in sessions:
            answer = caller.request("POST", f"/v1/sessions/{session}/candidates", {
                "candidates": [{"candidate": "x" * GIANT, "sdpMid": "0", "sdpMLineIndex": 0}]})
            statuses.add(answer.status)
            sent += answer.is_success
    time.sleep(0.5)
    growth = (stage.world.device_use().kilobytes << 10) - before
    stage.note(f"{sent} candidates of 60 kB were passed on ({sorted(statuses)}), the daemon grew by {growth >> 20} MB")
    stage.check(not sent, "the hub passes on candidates of 60 kB")
    stage.check(growth < GROWTH, f"candidates make the daemon grow by {growth >> 20} MB")


def _mutes(stage, device, offer):
    """A moderator takes back no mute made at the device, and leaves none behind."""
    world = stage.world
    moderator = _log_in(stage, "127.0.5.4", SECOND_OPERATOR)
    with Listeners([moderator.stream()]):
        session = _place(moderator, device, offer)
        time.sleep(1)
        world.command("mute", "microphone")
        _control(moderator, session, "unmute", "microphone")
        stage.check(_is_muted(world, "microphone"), "a moderator takes back a mute made at the device")
        world.command("unmute", "microphone")
        _control(moderator, session, "mute", "speaker")
        moderator.request("DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})
        time.sleep(1)
        stage.check(not _is_muted(world, "speaker"), "a remote mute outlives its call")
        world.try_command("unmute", "speaker")


def _control(caller, session, action, target):
    caller.request("POST", f"/v1/sessions/{session}/control", {"action": action, "target": target})
    time.sleep(1)


def _is_muted(world, target):
    return any(device["isMuted"] for device in world.status()["devices"] if device["target"] == target)

"""The hub itself is hostile: every event with every extreme value, huge ones, and as many as go through the line."""
import copy
import json
import time

from interop.processes import wait_until

from abuse.fake_hub import DEVICE_ID
from abuse.ringing import POLICY, make_offer, status_seconds

__all__ = ["POLICY"]
HAS_HUB = False
SECONDS = 4
LONG = 60_000
#: What is put in place of each value, as JSON.
EXTREMES = [
    "9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e308", "-1e308", "5e-324", "-1", "0",
    "null", "true", '""', '"' + "x" * LONG + '"', '"\\u0000\\u001b]52;c;AAAA\\u0007\\r\\n<0>forged"', "[]", "{}",
    "[" * 500 + "]" * 500, '{"sessionID":1}',
]


def variables(_context):
    """As under systemd, where each line begins with its priority."""
    return {"JOURNAL_STREAM": "1:1"}


def attack(stage):
    hub, world = stage.world.hub, stage.world
    hub.wait_for_request(lambda *_: False, limit=0.1)
    ringing = hub.call(offer=make_offer())
    if not _survives_ranges(stage):
        return
    sent = _extremes(hub, ringing)
    stage.note(f"{sent} events with extreme values")
    if not _still_there(stage, "after extreme values"):
        return
    stage.note(f"{_flood(hub, ringing)} MB of events")
    _still_there(stage, "after a flood")
    hub.tell(DEVICE_ID, "call.ended", {"sessionID": ringing, "reason": "hangup"})
    forged = [line for line in world.device_log().split("\n") if line.startswith("<0>")]
    stage.check(not forged, f"the hub writes a line of the journal: {(forged or [''])[0]!r}")


def _survives_ranges(stage):
    """Asks for parts of a recording that is there, with limits that no file has."""
    world, hub = stage.world, stage.world.hub
    path = wait_until(lambda: next(world.archive_folder.glob("*/*/*/*/*.webm"), None), "there is a recording")
    greatest, least = 2 ** 63 - 1, -2 ** 63
    ranges = (None, "bytes=1-", "bytes=0-", "bytes=-1", f"bytes={greatest}-", f"bytes=-{greatest}",
              f"bytes=0-{greatest}", f"bytes={greatest}-{greatest}", "bytes=1-0", "bytes=99999999999999999999-")
    for wanted in ranges:
        for maximum in (greatest, least, -1, 0, 1, greatest - 1):
            hub.tell(DEVICE_ID, "request", {
                "uploadID": f"upload-{abs(hash((wanted, maximum)))}", "range": wanted, "maximumBytes": maximum,
                "path": f"archives/{path.parent.name}/{path.name}"})
            hub.wait_for_request(lambda method, where, _: where.startswith("/v1/uploads/"), limit=2)
            if world.dead():
                return stage.check(False, f"range {wanted} with maximumBytes {maximum} ends the daemon")
    return _still_there(stage, "after ranges")


def _templates(session):
    candidate = {"candidate": "candidate:1 1 udp 1 127.0.0.1 9 typ host", "sdpMid": "0", "sdpMLineIndex": 0}
    server = {"urls": ["turn:127.0.0.1:9"], "username": "u", "credential": "c"}
    description = {"sessionID": session, "sdp": "v=0\r\n", "token": "t"}
    ended = {"sessionID": session, "reason": "hangup"}
    archive = {"sessionID": session, "archiveID": "a", "status": "started"}
    return {
        "call.incoming": {
            "sessionID": session, "callerID": "c", "callerTitle": "t", "callerRole": "user", "callerGroups": ["g"],
            "distance": 1.5, "isAudio": True, "isVideo": True, "offer": "v=0\r\n", "token": "t", "callerToken": "t",
            "iceServers": [server]},
        "call.ringing": {"sessionID": session}, "call.answered": description, "call.offer": description,
        "call.candidates": {"sessionID": session, "candidates": [candidate]},
        "call.rejected": ended, "call.ended": ended,
        "signal": {"sessionID": session, "userID": "u", "type": "chat", "data": "d"},
        "control": {"sessionID": session, "userID": "u", "role": "moderator", "action": "mute", "target": "camera"},
        "control.result": {"sessionID": session, "action": "mute", "target": "camera", "isDone": True, "reason": "r"},
        "presence": {"userID": "u", "userTitle": "t", "isOnline": True, "status": "busy", "kind": "person"},
        "archive.started": archive, "archive.stopped": {**archive, "status": "stopped"},
        "request": {"uploadID": "u", "path": "archives", "range": "bytes=0-", "maximumBytes": 1},
    }


def _extremes(hub, ringing):
    """Each value of each event replaced by each extreme; returns how many events were sent."""
    sent = 0
    for name, payload in _templates(ringing).items():
        # What ends a call comes for one that nobody knows.
        whole = {**payload, "sessionID": "unknown"} if name in ("call.ended", "call.rejected") else payload
        for place in _places(whole):
            for extreme in EXTREMES:
                hub.tell(DEVICE_ID, name, _replaced(whole, place, extreme))
                sent += 1
        for text in ("", "null", "[]", "{", "{}", '"x"', "\ufeff{}"):
            hub.tell(DEVICE_ID, name, text)
            sent += 1
    hub.tell_bytes(DEVICE_ID, b"event: " + b"x" * LONG + b"\ndata: {}\n\nid: \0\n\n\xff\xfe\n\n")
    wait_until(lambda: hub.is_drained(DEVICE_ID), "the device has read everything", limit=30)
    return sent


def _places(value, path=()):
    """The way to each value within a payload."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    yield from ([path] if path else [])
    for key, one in inner:
        yield from _places(one, (*path, key))


def _replaced(payload, place, extreme):
    mark = "@extreme@"
    changed = copy.deepcopy(payload)
    inner = changed
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = mark
    return json.dumps(changed).replace(f'"{mark}"', extreme)


def _flood(hub, ringing):
    """Events as fast as the device takes them; returns megabytes."""
    text = "x" * LONG
    events = [
        ("call.candidates", {"sessionID": ringing, "candidates": [{"candidate": text}] * 4}),
        ("signal", {"sessionID": ringing, "userID": "u", "type": "chat", "data": text}),
        ("nonsense", {"data": text}),
    ]
    packed = [f"event: {name}\ndata: {json.dumps(payload)}\n\n".encode() for name, payload in events]
    packed.append(b": " + text.encode() + b"\n")
    begin, sent = time.monotonic(), 0
    while time.monotonic() < begin + SECONDS and sent < 500 << 20:
        if not hub.is_drained(DEVICE_ID):
            time.sleep(0.001)
            continue
        for one in packed:
            hub.tell_bytes(DEVICE_ID, one)
            sent += len(one)
    hub.tell_bytes(DEVICE_ID, b"retry: 99999999999999999999\n\ndata: " + text.encode() * 100)
    return sent >> 20


def _still_there(stage, when):
    if not stage.check(not stage.world.dead(), f"the daemon died {when}"):
        return False
    seconds = status_seconds(stage)
    return stage.check(seconds < 1, f"the daemon takes {seconds:.1f} s to tell its status {when}")

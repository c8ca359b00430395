"""Calls with session tokens that are forged, and a subscriber that wants to be seen and heard."""
import json
import time

from abuse.fake_hub import DEVICE_ID, SigningKey
from abuse.ringing import make_offer

HAS_HUB = False
POLICY = """
default = "reject"

[[rule]]
name = "everybody"
action = "answer"
record = true
"""


def attack(stage):
    hub = stage.world.hub
    forger = SigningKey()
    forger.key_id = hub.key.key_id
    sign = hub.key.session_token
    for what, token in {
        "signed by another key": lambda session: forger.session_token(session, "stranger"),
        "without a signature": lambda session: (
            sign(session, "stranger", header={"alg": "none"}).rpartition(".")[0] + "."),
        "of an unknown key": lambda session: sign(session, "stranger", header={"kid": "nobody's"}),
        "of another session": lambda _: sign("00000000-0000-4000-8000-000000000000", "stranger"),
        "of somebody else": lambda session: sign(session, "somebody-else"),
        **_expired(stage, sign),
        "for another purpose": lambda session: sign(session, "stranger", aud="livesessions-hub"),
        "that is no token": lambda _: "." * 200,
        "of 100 kB": lambda session: sign(session, "stranger", jti="x" * 75_000),
    }.items():
        stage.check(not _is_answered(hub, token), f"a call with a token {what} is answered")
    stage.check(_is_answered(hub, lambda session: sign(session, "stranger")),
                "a call with a right token is not answered")
    _subscriber(stage, hub)


def _expired(stage, sign):
    """A device that does not know the time cannot tell what has expired."""
    if not stage.world.status()["clockSynchronized"]:
        stage.note("this machine's clock is not synchronised: no expired token is tried")
        return {}
    now = int(time.time())
    return {"that has expired": lambda session: sign(session, "stranger", iat=now - 9_000, exp=now - 5_000)}


def _is_answered(hub, make_token):
    return _answer(hub, make_token) is not None


def _answer(hub, make_token):
    """The device's SDP answer to a stranger's call; None when it refuses, or says nothing for 5 s."""
    offer = make_offer()
    session = "%08x-0000-4000-8000-%012x" % (int(time.time()), time.monotonic_ns() & 0xffffffffffff)
    hub.call(session, offer, token=make_token(session))
    request = hub.wait_for_request(
        lambda _, path, __: path in (f"/v1/sessions/{session}/answer", f"/v1/sessions/{session}/reject"), limit=5)
    hub.tell(DEVICE_ID, "call.ended", {"sessionID": session, "reason": "hangup"})
    return json.loads(request[2])["sdp"] if request and request[1].endswith("/answer") else None


def _subscriber(stage, hub):
    answer = _answer(hub, lambda session: hub.key.session_token(session, "stranger", role="subscriber"))
    if not stage.check(answer is not None, "a subscriber's call is not answered"):
        return
    directions = [line[2:] for line in answer.splitlines() if line in ("a=sendrecv", "a=recvonly")]
    stage.check(not directions, f"the device takes media from a subscriber: {', '.join(directions)}")

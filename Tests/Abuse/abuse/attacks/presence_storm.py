"""One user changes status as fast as the hub takes it, before 250 listeners of whom one reads nothing."""
import threading
import time
import uuid

from abuse import addresses
from abuse.client import Client
from abuse.events import Listeners, read_all

#: Seconds for which the hub keeps events for listeners that come back; until then their memory is in use.
KEPT_FOR = 65
HUB_SETTINGS = {"anonymous_login": True}
#: With more than 256 listeners, the bystanders among them, a hub tells nobody; with few, the storm is fastest.
LISTENERS, QUICK_LISTENERS = 250, 8
SENDERS = 8
#: How long the storm lasts.
SECONDS = 10
#: Updates a second from one user beyond which nobody needs to be heard.
FAIR = 50
#: What a listener may be told in a second.
TOLD = 20
#: So soon after the last change everybody knows how it is.
SETTLED = 3.0
#: As long as titles may be, since each announcement carries it.
TITLE = "Mallory " + "x" * 112
STATUSES = ("available", "busy", "do-not-disturb")
#: A description as long as that of a browser.
OFFER = "v=0\r\n" + "a=padding:" + "x" * 3_000 + "\r\n"


def prepare(stage):
    stage.clients = [Client(stage.port, source) for source in
                     addresses.strangers(QUICK_LISTENERS if stage.is_quick else LISTENERS, block=69)]
    for number, client in enumerate(stage.clients):
        client.login(f"Listener {number}")
    stage.attacker = Client(stage.port, addresses.ATTACKER)
    stage.attacker.login(TITLE)
    stage.slow = Client(stage.port, "127.0.6.6")
    stage.slow.login("Slow Listener")
    stage.slow_end = stage.slow.stream(receive_buffer=4_096)


def attack(stage):
    ends = [end for client in stage.clients if (end := client.stream())]
    stage.check(len(ends) == len(stage.clients), f"only {len(ends)} of {len(stage.clients)} listeners got a stream")
    own = stage.attacker.stream()
    _announce(stage.attacker, "available")
    _announce(stage.slow, "available")
    with Listeners(ends) as listeners:
        accepted = _storm(stage)
        told = max(listeners.count("presence"))
        stage.note(f"{accepted / SECONDS:.0f} updates a second were accepted, a listener was told {told / SECONDS:.0f} "
                   f"a second")
        stage.check(accepted <= FAIR * SECONDS, f"one user updates presence {accepted / SECONDS:.0f} times a second")
        stage.check(told <= TOLD * SECONDS, f"a listener is told {told / SECONDS:.0f} changes a second")
        _call_the_slow_one(stage)
        _settles(stage, listeners)
    own.close()


def _announce(client, status):
    return client.request("PUT", "/v1/presence", {
        "kind": "person", "status": status, "isAudio": True, "isVideo": True})


def _storm(stage):
    """How many updates the hub accepted."""
    accepted, deadline = [0] * SENDERS, time.monotonic() + SECONDS

    def send(number):
        client = Client(stage.port, addresses.ATTACKER)
        client.token = stage.attacker.token
        turn = number
        while time.monotonic() < deadline:
            turn += 1
            accepted[number] += _announce(client, STATUSES[turn % len(STATUSES)]).is_success
        client.close()

    senders = [threading.Thread(target=send, args=(number,), daemon=True) for number in range(SENDERS)]
    for sender in senders:
        sender.start()
    for sender in senders:
        sender.join()
    return sum(accepted)


def _call_the_slow_one(stage):
    """A call that comes in is not lost, however much presence lies before it."""
    caller = Client(stage.port, "127.0.6.7")
    caller.login("Caller")
    session = str(uuid.uuid4())
    placed = caller.request("PUT", f"/v1/sessions/{session}", {
        "receiverID": stage.slow.user_id, "isAudio": True, "isVideo": True, "offer": OFFER})
    stage.check(placed.is_success, f"a call to a slow listener is answered {placed.status} {placed.problem}")
    received, has_ended = read_all(stage.slow_end)
    calls = [payload for name, payload in received if name == "call.incoming" and payload["sessionID"] == session]
    stage.note(f"the slow listener read {len(received)} events{', then its stream ended' if has_ended else ''}")
    stage.check(calls, "a slow listener's incoming call is lost")


def _settles(stage, listeners):
    """After the storm the listeners know the last word."""
    deadline = time.monotonic() + 10
    while not _announce(stage.attacker, "do-not-disturb").is_success and time.monotonic() < deadline:
        time.sleep(0.5)
    time.sleep(SETTLED)
    last = listeners.last("presence")
    stage.check(last and last["status"] == "do-not-disturb",
                f"{SETTLED} s after the last change a listener knows {last and last['status']}")

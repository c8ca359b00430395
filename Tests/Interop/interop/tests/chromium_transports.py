"""Ways for a transport to come about: Chromium as DTLS client and as server, candidates that only come by and by."""
import time

from interop import measure
from interop.browser import Browser
from interop.connections import Connections
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 4

FORCE = "(sdp) => sdp.replaceAll('a=setup:actpass', 'a=setup:{role}')"
#: The offer names none, and the page hears of none of the device: checks from the device to what comes later must do.
WITHOUT_CANDIDATES = "(sdp) => sdp.replace(/^a=(candidate:.*|end-of-candidates)\\r\\n/gm, '')"

#: Words, changes to the page's connection, and Chromium's DTLS role that has to come of it.
WAYS = [
    ("as DTLS client", {"offer": FORCE.format(role="active")}, "client"),
    ("as DTLS server", {"offer": FORCE.format(role="passive")}, "server"),
    ("with candidates that come later", {
        "offer": WITHOUT_CANDIDATES, "answer": WITHOUT_CANDIDATES, "isDeaf": "true", "candidateDelay": "1000"}, None),
]


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    told = []
    with World(context) as world:
        for words, changes, role in WAYS:
            with Browser(**devices) as browser:
                try:
                    told.append(f"{words}: {_call(browser.page, world, changes, role)}")
                except Exception as error:
                    raise AssertionError(f"{words}: {error}") from error
    return "; ".join(told)


def _call(page, world, changes, role):
    connections = Connections(page, **changes)
    caller = CallPage(page, world.url, *OPERATOR)
    caller.log_in_and_wait()
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    measure.watch_frames(page, "#remote-video")
    time.sleep(SECONDS)
    seen = measure.frames_seen(page)
    seen.require("the device's pictures", at_least=SECONDS * 20)
    sample = connections.latest()
    if role and sample["dtls"] != role:
        raise AssertionError(f"Chromium is DTLS {sample['dtls']}")
    page.click("#hang-up")
    caller.require_no_complaints()
    return f"{seen}, DTLS {sample['dtls']}, {sample['srtp']}"

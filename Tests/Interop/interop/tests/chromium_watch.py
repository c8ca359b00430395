"""Somebody without a camera, or who may not use it, watches: the offer has no candidates, pictures come all the same."""
import time

from interop import measure
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 5


def run(context):
    with World(context) as world, Browser() as browser:
        for name in ("camera", "microphone"):
            browser.page.command("Browser.setPermission", permission={"name": name}, setting="denied")
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        denied = _see(caller, "video")
        if "You watch and listen only" not in denied:
            raise AssertionError(f"without a camera the page says {denied!r}")
        caller.page.click("#hang-up")
        caller.wait_for_state("ended")
        _see(caller, "watch")
        caller.require_no_complaints()
        return denied


def _see(caller, action):
    """Calls, requires pictures, and returns what the page says about the caller's own camera."""
    caller.choose(DEVICE, action)
    caller.wait_for_state("connected")
    caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    measure.watch_frames(caller.page, "#remote-video")
    time.sleep(SECONDS)
    measure.frames_seen(caller.page).require("the device's pictures", at_least=SECONDS * 20)
    return caller.page.text("#capture-words") or ""


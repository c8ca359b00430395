"""Somebody whose browser may not use the camera watches: the offer has no candidates, pictures come all the same."""
import time

from interop import archives, measure
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 5


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, Browser(**devices, is_allowed=False) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        denied = _see(caller, "video")
        if not denied.startswith("Watching only: the browser may not use your camera"):
            raise AssertionError(f"without permission the page says {denied!r}")
        caller.page.click("#hang-up")
        caller.wait_for_state("ended")
        words = _see(caller, "watch")
        if words != "Watching only. Your camera and microphone are off.":
            raise AssertionError(f"somebody who watches reads {words!r}")
        caller.page.click("#hang-up")
        for archive in archives.wait_for(world.archive_folder, 2):
            archive.require_faultless()
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


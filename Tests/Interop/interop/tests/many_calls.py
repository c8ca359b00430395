"""One page calls the device many times in a row: memory, descriptors and threads are afterwards what they were."""
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

CALLS = 50
#: The first calls fill pools and caches.
WARM_UP = 5
#: What may be left of all calls.
KILOBYTES = 1024


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        for _ in range(WARM_UP):
            _call(caller)
        before = _settled(world)
        begin = time.monotonic()
        for number in range(CALLS):
            try:
                _call(caller)
            except Exception as error:
                raise AssertionError(f"call {number + 1} of {CALLS}: {error}") from error
        seconds = (time.monotonic() - begin) / CALLS
        after = _settled(world)
        caller.require_no_complaints()
    words = f"{CALLS} calls of {seconds:.1f} s; {before} before, {after} after"
    if (after.descriptors > before.descriptors or after.threads > before.threads
            or after.kilobytes > before.kilobytes + KILOBYTES):
        raise AssertionError(words)
    return words


def _call(caller):
    """Calls until there is a picture, and hangs up."""
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    caller.page.click("#hang-up")
    caller.wait_for_state("ended")
    caller.page.click("#call-close")


def _settled(world):
    """What the daemon uses when no call is on and the camera is closed."""
    wait_until(lambda: not world.status()["sessions"], "no session is left")
    time.sleep(5)
    return world.device_use()

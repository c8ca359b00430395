"""The browser is killed in mid-call: the device ends the session and gives back what it took. Then the device is killed."""
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

#: Seconds until the session is over, and what may be left of its memory.
PERMITTED, KILOBYTES = 30.0, 1024


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, world.monitor() as monitor:
        # The first call opens what stays open.
        with Browser(**devices) as browser:
            caller = _call(browser, world)
            caller.page.click("#hang-up")
            monitor.wait_for("call.ended")
        before = _settled(world)
        with Browser(**devices) as browser:
            session = _call(browser, world).session
            browser.child.kill()
            killed = time.monotonic()
            line = monitor.wait_for_line(f"call.ended session={session}", limit=PERMITTED)
            took = time.monotonic() - killed
        after = _settled(world)
        if world.status()["sessions"]:
            raise AssertionError(f"a session is left: {world.status()['sessions']}")
        with Browser(**devices) as browser:
            words, noticed = _kill_device(_call(browser, world), world)
    told = (f"the session ended after {took:.1f} s ({line}); {before} before, {after} after; "
            f"{noticed:.1f} s after the device was killed the page says {words!r}")
    if after.descriptors > before.descriptors or after.kilobytes > before.kilobytes + KILOBYTES:
        raise AssertionError(f"something is left: {told}")
    return told


def _call(browser, world):
    caller = CallPage(browser.page, world.url, *OPERATOR)
    caller.log_in_and_wait()
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    time.sleep(3)
    return caller


def _settled(world):
    """What the daemon uses when no call is on and the camera is closed."""
    wait_until(lambda: not world.status()["sessions"], "no session is left", limit=10)
    time.sleep(5)
    return world.device_use()


def _kill_device(caller, world):
    """What the page says then, and after how many seconds."""
    world.kill_device()
    killed = time.monotonic()
    caller.wait_for_state("ended", limit=PERMITTED)
    words = caller.words
    if DEVICE not in words:
        raise AssertionError(f"after the device was killed the page says {words!r}")
    return words, time.monotonic() - killed

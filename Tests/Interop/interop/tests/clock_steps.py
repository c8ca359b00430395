"""The device's clock is set back a year during a handshake and forward an hour during a call: nothing happens."""
import time

from interop import archives, measure, sequence
from interop.browser import Browser
from interop.far_call import longest_pause
from interop.page import CallPage
from interop.wall_clock import WallClock
from interop.world import DEVICE, DEVICE_TONE, OPERATOR, World

YEAR, HOUR = 365 * 86_400, 3_600
#: Seconds between the steps, and without a picture at most.
PAUSE, FREEZE = 5.0, 0.5


def run(context):
    clock = WallClock(context.scratch)
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context, variables=clock.variables) as world, Browser(**devices) as browser:
        _require_steps(world, clock)
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        begin = time.monotonic()
        with clock.stepping(0, -YEAR):
            caller.choose(DEVICE, "video")
            caller.wait_for_state("connected")
        took = time.monotonic() - begin
        caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
        measure.watch_frames(browser.page, "#remote-video")
        for offset in (-YEAR + HOUR, HOUR, -YEAR, 0):
            time.sleep(PAUSE)
            clock.step(offset)
        time.sleep(PAUSE)
        pictures = measure.pictures_seen(browser.page)
        if caller.state != "connected":
            raise AssertionError(f"the page says {caller.words!r}")
        caller.page.click("#hang-up")
        recorded = _check_recording(context, world)
    seen = sequence.examine([number for _, number in pictures])
    times = [at for at, _ in pictures]
    pause = longest_pause(times, times[0], times[-1])
    words = f"set up in {took:.1f} s, {seen}, longest pause {pause * 1e3:.0f} ms; recorded {recorded}"
    if pause > FREEZE or seen.share < 0.95 or seen.reversals:
        raise AssertionError(words)
    return words


def _require_steps(world, clock):
    """Raises unless the daemon sees the steps: without them the test would say nothing."""
    world.stop_device()
    clock.step(-YEAR)
    world.start_device()
    age = time.time() - world.status()["startedAt"] / 1000
    clock.step(0)
    if not YEAR - HOUR < age < YEAR + HOUR:
        raise AssertionError(f"a daemon whose clock is a year late says that it started {age:.0f} s ago")


def _check_recording(context, world):
    """The recording has the length of the call, however often the clock stepped."""
    archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    archive.file_with_tone(DEVICE_TONE)
    path = archive.file_with_tone(context.tone)
    seen = f"{archive.manifest['duration']} s"
    return f"{path.stat().st_size >> 10} KB of the caller, {seen}"

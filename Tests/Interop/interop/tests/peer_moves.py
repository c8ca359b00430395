"""A NAT forgets in mid-call, so that the device sees the browser elsewhere; then the network is away for 5 s."""
import time

from interop import archives
from interop.far_call import SETTLING, FarCaller, a_second, back_after, far_world
from interop.world import DEVICE_TONE

#: Seconds after which pictures go on both ways.
PERMITTED = 3.0
DARK, WATCHED = 5.0, 8.0


def run(context):
    world = far_world(context)
    with FarCaller(context, world) as far, world:
        far.line.change(delay=0.02)
        far.open()
        far.call()
        time.sleep(SETTLING)
        events = _disturb(far.line)
        strays = far.line.strays()
        shown = [at for at, _ in far.pictures()]
        state, words = far.caller.state, far.caller.words
        if state != "ended":
            far.hang_up()
        archive = archives.wait_for(world.archive_folder, 1, limit=40)[0]
    recorded = archive.moments(archive.file_with_tone(context.tone), archive.file_with_tone(DEVICE_TONE))
    figures = {name: (back_after(shown, event), back_after(recorded, event)) for name, event in events.items()}
    told = "; ".join(f"{name}: in the browser after {_words(browser)}, in the recording after {_words(device)}"
                     for name, (browser, device) in figures.items())
    if any(after is None or after > PERMITTED for pair in figures.values() for after in pair):
        begin, end = min(events.values()) - 3, max(events.values()) + WATCHED
        raise AssertionError(
            f"{told}; at the end the page says {words!r}; pictures in each second from 3 s before the first event: "
            f"in the browser {a_second(shown, begin, end)}, in the recording {a_second(recorded, begin, end)}; "
            f"{strays} packets went to where the browser no longer is")
    return told


def _disturb(line):
    """What was done, and when (of CLOCK_MONOTONIC) pictures could come again."""
    events = {}
    line.rebind()
    events["another port"] = time.monotonic()
    time.sleep(WATCHED)
    line.rebind(line.alias)
    events["another address"] = time.monotonic()
    time.sleep(WATCHED)
    line.change(is_dark=True)
    time.sleep(DARK)
    line.change(is_dark=False)
    events["5 s of darkness"] = time.monotonic()
    time.sleep(WATCHED)
    return events


def _words(seconds):
    return "never" if seconds is None else f"{seconds:.2f} s"

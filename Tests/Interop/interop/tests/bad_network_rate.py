"""The line to the browser falls from 2 Mbit/s to 400 kbit/s and rises again: the device follows, the recording is spared."""
import time

from interop import archives, webm
from interop.far_call import FarCaller, far_world
from interop.world import DEVICE_TONE

WIDE, NARROW, QUEUE = 2e6, 400e3, 0.5
BITRATE, FLOOR = 1_500e3, 150e3
#: Seconds in which the rate has to be under the limit, the queue short, the rate full again.
UNDER_AFTER, SHORT_AFTER, FULL_AFTER = 2.0, 4.0, 20.0
SHORT = 0.15
RAMP, NARROW_SECONDS, WIDE_SECONDS, WINDOW = 25.0, 20.0, 30.0, 1.0
#: Full is this share of what was sent before.
FULL = 0.9


def run(context):
    settings = {"video": {"bitrate": f"{BITRATE / 1e3:.0f}kbit/s"}, "archive": {"min_bitrate": f"{FLOOR / 1e3:.0f}kbit/s"}}
    world = far_world(context, settings=settings)
    with FarCaller(context, world) as far, world:
        far.line.change("down", rate=WIDE, queue=QUEUE)
        far.line.change(delay=0.02)
        far.open()
        far.call()
        time.sleep(RAMP)
        narrowed = time.monotonic()
        far.line.change("down", rate=NARROW)
        time.sleep(NARROW_SECONDS)
        widened = time.monotonic()
        far.line.change("down", rate=WIDE)
        time.sleep(WIDE_SECONDS)
        history = far.line.history("down")
        far.hang_up()
        archive = archives.wait_for(world.archive_folder, 1)[0]
    before = _rate(history, narrowed - 5, narrowed)
    under = _first(history, narrowed, widened, lambda rate: rate < NARROW)
    waits = _longest_wait(history, narrowed + SHORT_AFTER, widened)
    full = _first(history, widened, widened + WIDE_SECONDS, lambda rate: rate >= FULL * before)
    start = archive.moments(archive.file_with_tone(DEVICE_TONE), archive.file_with_tone(DEVICE_TONE))[0]
    lowest = _lowest_rate(archive.file_with_tone(DEVICE_TONE), narrowed - start, widened - start)
    words = (f"{before / 1e3:.0f} kbit/s before; under {NARROW / 1e3:.0f} kbit/s after {_seconds(under)}, "
             f"{_rate(history, narrowed + 4, widened) / 1e3:.0f} kbit/s there with a queue of {waits * 1e3:.0f} ms at most "
             f"after {SHORT_AFTER:.0f} s, {sum(tenth['dropped'] for tenth in history)} dropped; full again after "
             f"{_seconds(full)}; recorded with {lowest / 1e3:.0f} kbit/s at least")
    if before < 0.6 * BITRATE:
        raise AssertionError(f"the wide line is not used: {words}")
    if under is None or under > UNDER_AFTER or waits > SHORT or full is None or full > FULL_AFTER or lowest < FLOOR:
        raise AssertionError(words)
    return words


def _rate(history, begin, end):
    """Bits a second that the device sent, with all headers."""
    return 8 * sum(tenth["bytes_in"] for tenth in history if begin <= tenth["begin"] < end) / (end - begin)


def _first(history, begin, end, condition):
    """Seconds until the rate over a :data:`WINDOW` that begins then, or later, fulfils the condition; None if never."""
    step = 0.1
    for index in range(int((end - begin - WINDOW) / step)):
        if condition(_rate(history, begin + index * step, begin + index * step + WINDOW)):
            return index * step
    return None


def _longest_wait(history, begin, end):
    return max((tenth["waited"] for tenth in history if begin <= tenth["begin"] < end), default=0.0)


def _lowest_rate(path, begin, end, window=4.0):
    """The fewest bits a second of pictures over some seconds of the recording."""
    pictures = [(at, size) for at, size in webm.packets(path, "v") if begin <= at < end]
    last = pictures[-1][0] - window
    return min(8 * sum(size for at, size in pictures if since <= at < since + window) / window
               for since, _ in pictures if since <= last)


def _seconds(value):
    return "never" if value is None else f"{value:.1f} s"

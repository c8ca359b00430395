"""The line to the browser falls from 2 Mbit/s to 400 kbit/s and rises again: the device follows at once."""
import time

from interop import archives, pattern, webm
from interop.far_call import FarCaller, far_world, longest_pause
from interop.world import DEVICE_TONE

WIDE, NARROW, QUEUE = 2e6, 400e3, 0.5
BITRATE, FLOOR = 1_500e3, 150e3
#: Seconds in which the rate has to be under the limit, the queue short, the rate full again.
UNDER_AFTER, SHORT_AFTER, FULL_AFTER = 2.0, 4.0, 20.0
SHORT = 0.15
RAMP, NARROW_SECONDS, WIDE_SECONDS, WINDOW = 12.0, 20.0, 30.0, 1.0
#: Once the device has followed, no picture stays longer than so many seconds.
PAUSE = 1.0
CLIP_FRAMES = 240
#: Full is this share of what was sent before.
FULL = 0.9
#: How far an encoder stays under the rate that it is set to, over some seconds.
UNDERSHOOT = 0.9


def run(context):
    clip = context.scratch / "busy.y4m"
    pattern.write_busy_y4m(clip, CLIP_FRAMES)
    world = far_world(context, settings={
        "video": {"bitrate": f"{BITRATE / 1e3:.0f}kbit/s", "camera": f"file:{clip}"},
        "archive": {"min_bitrate": f"{FLOOR / 1e3:.0f}kbit/s"}})
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
        history, late = far.line.history("down"), far.line.lateness()
        shown = [at for at, _ in far.pictures()]
        far.hang_up()
        archive = archives.wait_for(world.archive_folder, 1)[0]
    path = archive.file_with_tone(DEVICE_TONE)
    start = archive.began(path)
    recorded = _lowest_rate(path, narrowed - start, widened - start)
    try:
        return f"{_judge(history, shown, narrowed, widened, recorded)}; {late}"
    except AssertionError as error:
        begin = narrowed - RAMP
        rates = " ".join(f"{_rate(history, begin + second, begin + second + 1) / 1e3:.0f}"
                         for second in range(int(RAMP + NARROW_SECONDS + WIDE_SECONDS)))
        raise AssertionError(f"{error}; {late}; kbit/s in each second: {rates}") from None


def _judge(history, shown, narrowed, widened, recorded):
    before = _rate(history, narrowed - 5, narrowed)
    under = _first(history, narrowed, widened, lambda rate: rate < NARROW)
    narrow = _rate(history, narrowed + SHORT_AFTER, widened)
    waits = _longest_wait(history, narrowed + SHORT_AFTER, widened)
    at_first, later = (longest_pause(shown, *span) for span in (
        (narrowed, narrowed + SHORT_AFTER), (narrowed + SHORT_AFTER, widened + WIDE_SECONDS)))
    full = _first(history, widened, widened + WIDE_SECONDS, lambda rate: rate >= FULL * before)
    words = (f"{before / 1e3:.0f} kbit/s before; under {NARROW / 1e3:.0f} kbit/s after {_seconds(under)}; from "
             f"{SHORT_AFTER:.0f} s on {narrow / 1e3:.0f} kbit/s with a queue of {waits * 1e3:.0f} ms at most; "
             f"{sum(tenth['dropped'] for tenth in history)} packets dropped; full again after {_seconds(full)}; "
             f"one picture for {at_first:.1f} s at most, {later:.1f} s later on; "
             f"recorded with {recorded / 1e3:.0f} kbit/s at least")
    if before < 0.6 * BITRATE:
        raise AssertionError(f"the wide line is not used: {words}")
    is_soon_under, is_soon_full = under is not None and under <= UNDER_AFTER, full is not None and full <= FULL_AFTER
    is_kept = recorded >= UNDERSHOOT * FLOOR and later <= PAUSE
    if not is_soon_under or not is_soon_full or waits > SHORT or not is_kept:
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

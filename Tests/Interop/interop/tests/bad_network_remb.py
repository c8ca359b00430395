"""The line to aiortc, which knows REMB alone, falls from 2 Mbit/s to 400 kbit/s and rises again: the device follows."""
import contextlib
import time

from interop import pattern
from interop.bad_network import BadNetwork
from interop.calling import Caller
from interop.far_call import far_world
from interop.world import OPERATOR

WIDE, NARROW, QUEUE, DELAY = 2e6, 400e3, 0.8, 0.02
BITRATE = 1_500e3
RAMP, NARROW_SECONDS, WIDE_SECONDS, WINDOW = 20.0, 20.0, 20.0, 1.0
#: So long may the queue be from then on, in all but one tenth of a second in ten; full is this share of what was sent before.
SHORT_AFTER, SHORT, OFTEN = 3.0, 0.1, 0.9
FULL_AFTER, FULL = 8.0, 0.9
CLIP_FRAMES = 240


def run(context):
    clip = context.scratch / "busy.y4m"
    pattern.write_busy_y4m(clip, CLIP_FRAMES)
    world = far_world(context, settings={"video": {"bitrate": f"{BITRATE / 1e3:.0f}kbit/s", "camera": f"file:{clip}"}})
    with contextlib.ExitStack() as stack:
        line = stack.enter_context(BadNetwork(context, world, 0, context.seed))
        stack.enter_context(world)
        line.change("down", rate=WIDE, queue=QUEUE)
        line.change(delay=DELAY)
        aiortc = stack.enter_context(Caller(
            context, world, 600, person=OPERATOR, network=line, options=["--offer", "receive-only", "--count"]))
        aiortc.wait_for("frame")
        time.sleep(RAMP)
        narrowed = _change(line, NARROW)
        time.sleep(NARROW_SECONDS)
        widened = _change(line, WIDE)
        time.sleep(WIDE_SECONDS)
        history, late = line.history("down"), line.lateness()
    return _judge(history, narrowed, widened, late)


def _change(line, rate):
    line.change("down", rate=rate)
    return time.monotonic()


def _judge(history, narrowed, widened, late):
    before = _rate(history, narrowed - 5, narrowed)
    waits = [(tenth["begin"] - narrowed, tenth["waited"]) for tenth in history if narrowed <= tenth["begin"] < widened]
    first = next((at for at, waited in waits if at > 0.3 and waited <= SHORT), float("inf"))
    later = sorted(waited for at, waited in waits if at >= SHORT_AFTER)
    often, narrow = later[int(OFTEN * len(later))], _rate(history, narrowed + SHORT_AFTER, widened)
    full = next((0.1 * step for step in range(int(10 * (WIDE_SECONDS - WINDOW)))
                 if _rate(history, widened + 0.1 * step, widened + 0.1 * step + WINDOW) >= FULL * before), float("inf"))
    words = (f"{before / 1e3:.0f} kbit/s before; a queue of {1e3 * max(waited for _, waited in waits):.0f} ms at most, "
             f"under {SHORT * 1e3:.0f} ms after {first:.1f} s; from {SHORT_AFTER:.0f} s on {1e3 * often:.0f} ms in nine of ten, "
             f"{1e3 * later[-1]:.0f} ms at most, {narrow / 1e3:.0f} kbit/s; "
             f"{sum(tenth['dropped'] for tenth in history)} packets dropped; full again after {full:.1f} s; {late}")
    if before < 0.6 * BITRATE:
        raise AssertionError(f"the wide line is not used: {words}")
    if first > SHORT_AFTER or often > SHORT or full > FULL_AFTER or narrow < 0.5 * NARROW:
        raise AssertionError(words)
    return words


def _rate(history, begin, end):
    """Bits a second that the device sent, with all headers."""
    return 8 * sum(tenth["bytes_in"] for tenth in history if begin <= tenth["begin"] < end) / (end - begin)

"""Somebody watches on a line of 150 kbit/s, another on one of 2 Mbit/s: the second does not suffer."""
import contextlib
import time

from interop import archives, pattern, sequence, webm
from interop.far_call import FarCaller, far_world
from interop.world import DEVICE_TONE, OPERATOR, SECOND_OPERATOR

NARROW, WIDE = 150e3, 2e6
#: What the one on the wide line keeps of its frames and its rate.
KEPT = 0.95
SETTLING, SECONDS = 15.0, 15.0
#: So many pictures that no number comes twice.
CLIP_FRAMES = 2_700


def run(context):
    clip = context.scratch / "busy.y4m"
    pattern.write_busy_y4m(clip, CLIP_FRAMES, width=320, height=240)
    world = far_world(context, lines=2, settings={"video": {"temporal_layers": 3, "camera": f"file:{clip}"}})
    with contextlib.ExitStack() as stack:
        wide = stack.enter_context(FarCaller(context, world, number=0, person=OPERATOR))
        narrow = stack.enter_context(FarCaller(context, world, number=1, person=SECOND_OPERATOR))
        stack.enter_context(world)
        wide.line.change("down", rate=WIDE)
        narrow.line.change("down", rate=NARROW)
        for far in (wide, narrow):
            far.line.change(delay=0.02)
        wide.open()
        wide.call("watch")
        alone = _span(SETTLING, SECONDS)
        narrow.open()
        narrow.call("watch")
        beside = _span(SETTLING, SECONDS)
        late = wide.line.lateness()
        history, other_history = wide.line.history("down"), narrow.line.history("down")
        pictures = wide.pictures()
        others = [(at, number) for at, number in narrow.pictures() if beside[0] <= at < beside[1]]
        for far in (wide, narrow):
            far.hang_up()
        archive = archives.wait_for(world.archive_folder, 2)[0]
    rates = [_rate(history, *span) for span in (alone, beside)]
    counts = [sum(begin <= at < end for at, _ in pictures) for begin, end in (alone, beside)]
    numbers = [number for at, number in pictures if beside[0] <= at < beside[1]]
    missed = sequence.missed(webm.frame_numbers(archive.file_with_tone(DEVICE_TONE)), numbers)
    words = (f"on the wide line {rates[0] / 1e3:.0f} kbit/s and {counts[0]} pictures alone, "
             f"{rates[1] / 1e3:.0f} kbit/s and {counts[1]} beside the other, where {len(missed)} are missed; "
             f"on the narrow line {len(others)} pictures at {_rate(other_history, *beside) / 1e3:.0f} kbit/s; {late}")
    if rates[1] < KEPT * rates[0] or counts[1] < KEPT * counts[0] or len(missed) > (1 - KEPT) * counts[1]:
        raise AssertionError(words)
    return words


def _span(settling, seconds):
    time.sleep(settling)
    begin = time.monotonic()
    time.sleep(seconds)
    return begin, begin + seconds


def _rate(history, begin, end):
    return 8 * sum(tenth["bytes_out"] for tenth in history if begin <= tenth["begin"] < end) / (end - begin)

"""Two Chromiums and aiortc watch side by side on lines that lose packets, one by one and in bursts: what each of them shows."""
import contextlib
import dataclasses
import time

from interop import archives, sequence, webm
from interop.bad_network import BadNetwork
from interop.calling import Caller
from interop.far_call import SETTLING, FarCaller, a_second, far_world
from interop.world import DEVICE_TONE, OPERATOR, SECOND_OPERATOR

#: A packet and its answer take 80 ms.
DELAY = 0.04
LINES = {"a tenth lost": {"loss": 0.1, "burst": 1}, "bursts of 5, 3 % lost": {"loss": 0.03, "burst": 5}}
SECONDS, FRAME_RATE = 60.0, 30
#: The share of pictures shown, and the longest time without one.
SHOWN, PAUSE = 0.95, 0.5
THIRD_OPERATOR = ("Oscar Operator", "yet another long pass phrase")


@dataclasses.dataclass
class Viewer:
    """Somebody who watches, and what has come."""

    name: str
    line: BadNetwork
    pictures: list = ()


def run(context):
    world = far_world(context, lines=3)
    with contextlib.ExitStack() as stack:
        browsers = [stack.enter_context(FarCaller(context, world, number=number, person=person))
                    for number, person in enumerate((OPERATOR, THIRD_OPERATOR))]
        line = stack.enter_context(BadNetwork(context, world, 2, context.seed + 2))
        stack.enter_context(world)
        title, password = THIRD_OPERATOR
        world.change_accounts(
            "add-user", "--title", title, "--role", "operator", "--password-file", "-", words=password + "\n")
        viewers = [Viewer(f"Chromium {number}", browser.line) for number, browser in enumerate(browsers, 1)]
        viewers.append(Viewer("aiortc", line))
        for viewer in viewers:
            viewer.line.change(delay=DELAY)
        aiortc = stack.enter_context(Caller(
            context, world, 600, person=SECOND_OPERATOR, network=line,
            options=["--offer", "receive-only", "--count"]))
        for browser in browsers:
            browser.open()
            browser.call("watch")
        aiortc.wait_for("frame")
        spans = {name: _lose(viewers, conditions) for name, conditions in LINES.items()}
        for viewer, browser in zip(viewers, browsers):
            viewer.pictures = browser.pictures()
        # Decoding takes aiortc more than a core has left beside browsers; whole frames tell as much.
        viewers[-1].pictures = [(event["at"], None) for event in aiortc.events("frame")]
        for browser in browsers:
            browser.hang_up()
        world.command("hangup", aiortc.events("answered")[0]["session"])
        archive = archives.wait_for(world.archive_folder, 3)[0]
        made = webm.frame_numbers(archive.file_with_tone(DEVICE_TONE))
        problems = []
        words = [_judge(viewer, made, name, *span, problems) for name, span in spans.items() for viewer in viewers]
        words = "; ".join([*words, *(f"{viewer.name}: {viewer.line.lateness()}" for viewer in viewers)])
    if problems:
        raise AssertionError(f"{', '.join(problems)}: {words}")
    return words


def _lose(viewers, conditions):
    for viewer in viewers:
        viewer.line.change(**conditions)
    time.sleep(SETTLING)
    begin = time.monotonic()
    time.sleep(SECONDS)
    return begin, time.monotonic()


def _share(made, numbers, count):
    """How many pictures came, and of how many that were made; without numbers, of those of the frame rate."""
    if not numbers:
        return count, round(SECONDS * FRAME_RATE)
    shown, missed = len(set(numbers)), len(sequence.missed(made, numbers))
    return shown, shown + missed


def _judge(viewer, made, conditions, begin, end, problems):
    pictures = [(at, number) for at, number in viewer.pictures if begin <= at <= end]
    shown, count = _share(made, [number for _, number in pictures if number is not None], len(pictures))
    times = [begin, *(at for at, _ in pictures), end]
    pauses = [later - earlier for earlier, later in zip(times, times[1:])]
    passed = viewer.line.history("down", begin, end)
    rate = 8 * sum(tenth["bytes_in"] for tenth in passed) / SECONDS
    if shown < SHOWN * count or max(pauses) > PAUSE:
        problems.append(f"{viewer.name} suffers from {conditions}, pictures in each second "
                        f"{a_second([at for at, _ in pictures], begin, end)}")
    return (f"{conditions}, {viewer.name}: {shown / count:.1%} of {count} pictures, longest pause "
            f"{max(pauses) * 1e3:.0f} ms, {sum(pause > PAUSE for pause in pauses)} over {PAUSE * 1e3:.0f} ms, "
            f"{rate / 1e3:.0f} kbit/s")

"""What a viewer by WHEP costs the device beside one who watches in a call: processor time, in interleaved rounds."""
import contextlib
import os
import pathlib
import statistics
import time

from interop.calling import Caller
from interop.processes import wait_until
from interop.tests.whep import VIEWERS_ARE_ANSWERED
from interop.world import DEVICE, OPERATORS_ARE_RECORDED, World

VIEWERS, ROUNDS, SECONDS, SETTLING = 6, 4, 8.0, 2.0
#: Between the costs of the two. On a machine that does other things, too, single rounds differ by more.
LIMIT = 0.05
POLICY = VIEWERS_ARE_ANSWERED + OPERATORS_ARE_RECORDED.replace('default = "reject"', "").replace("record = true", "record = false")


def run(context):
    settings = {"calls": {"max_sessions": 2 * VIEWERS}}
    with World(context, settings=settings, policy=POLICY) as world:
        link = world.hub_command("view-link", "--device", DEVICE, "--url", world.url).strip()
        # One watches all the time, so that camera and encoder run.
        with Caller(context, world, 3600, name="first", options=["--offer", "receive-only", "--count"]) as first:
            first.wait_for("frame")
            nothing, called, viewed = [], [], []
            for number in range(ROUNDS):
                nothing.append(_cost(context, world, f"none-{number}", None))
                called.append(_cost(context, world, f"call-{number}", ["--offer", "receive-only"]))
                viewed.append(_cost(context, world, f"view-{number}", ["--whep", link]))
    base, call, view = (statistics.median(one) for one in (nothing, called, viewed))
    call, view = ((one - base) / VIEWERS for one in (call, view))
    words = (f"of a core, each of {VIEWERS}: a call {call:.3%}, a view {view:.3%} ({view / call:.2f} times; medians of {ROUNDS} "
             f"rounds of {SECONDS:.0f} s; {os.getloadavg()[0]:.1f} processes want to run)")
    if call <= 0 or view > call * (1 + LIMIT):
        raise AssertionError(words)
    return words


def _cost(context, world, name, options):
    """The share of a core that the device uses while they are there, and nobody of the round before."""
    wait_until(lambda: len(world.status()["sessions"]) == 1, "the others are gone", limit=90, interval=0.5)
    with contextlib.ExitStack() as stack:
        for number in range(VIEWERS if options else 0):
            viewer = stack.enter_context(Caller(
                context, world, 3600, name=f"{name}-{number}", options=[*options, "--count"]))
            viewer.wait_for("frame", limit=60)
        time.sleep(SETTLING)
        before, begin = _used(world), time.monotonic()
        time.sleep(SECONDS)
        return (_used(world) - before) / (time.monotonic() - begin)


def _used(world):
    """Seconds of processor time of the daemon."""
    fields = (pathlib.Path("/proc") / str(world.device_process) / "stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

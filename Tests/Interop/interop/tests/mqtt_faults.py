"""A broker that stands still, floods, sends endless or malformed packets, during a call that loses nothing of it; what the daemon's
memory makes of that, and what an idle connection costs."""
import pathlib
import time

from interop import sequence
from interop.calling import Caller
from interop.mqtt_broker import ODDITIES, HostileBroker, Mosquitto
from interop.processes import wait_until
from interop.world import World

#: Seconds for each oddity, and for which a broker stands still: more than the client's patience of 20.
ODD, FROZEN = 6, 26
#: Oddities during the call.
IN_CALL = 4
#: Of the frames, since on a busy machine the newest one wins.
SHARE = 0.9
#: Kilobytes; see docs/internals/threat-model.md for a packet of 256 MiB.
GROWTH = 64 << 10


def run(context):
    told = [_idle(context)]
    with Mosquitto(context.scratch) as broker, World(_own(context, "frozen"), settings=broker.settings()) as world:
        wait_until(lambda: world.status()["mqtt"]["isConnected"], "the broker is connected")
        told.append(_call(context, world, lambda: _freeze(broker, world), FROZEN + 10, "beside a broker that stands still"))
    with HostileBroker("closing") as hostile:
        settings = {"mqtt": {"broker": f"mqtt://127.0.0.1:{hostile.port}", "keep_alive": "10s"}}
        with World(_own(context, "odd"), settings=settings) as world:
            before = world.device_use().kilobytes
            told.append(_call(
                context, world, lambda: _disturb(hostile, world, ODDITIES[:IN_CALL]), 80, "beside a hostile broker"))
            # The pauses between attempts have grown to a minute by now.
            _disturb(hostile, world, ODDITIES[IN_CALL:])
            grown = world.device_use().kilobytes - before
            if grown > GROWTH:
                raise AssertionError(f"the daemon has grown by {grown} kB")
    return "; ".join(told)


def _own(context, name):
    own = type(context).__new__(type(context))
    own.__dict__.update(context.__dict__)
    own.scratch = context.scratch / name
    own.scratch.mkdir()
    return own


def _call(context, world, disturb, seconds, what):
    with Caller(context, world, seconds=seconds, name=what.replace(" ", "-")) as caller:
        caller.wait_for("connected")
        time.sleep(2)
        disturb()
        seen = sequence.examine([event["number"] for event in caller.events("received")])
        seen.require(what, share=SHARE, at_least=100)
    return f"{what}: {seen}"


def _freeze(broker, world):
    with broker.frozen():
        time.sleep(FROZEN)
        wait_until(lambda: "it does not answer" in world.device_log(), "the journal says that it does not answer")
    wait_until(lambda: world.status()["mqtt"]["isConnected"], "the broker is connected again", limit=60)
    if (said := world.device_log().count("it does not answer")) != 1:
        raise AssertionError(f"that is said {said} times")


def _disturb(hostile, world, modes):
    for mode in modes:
        hostile.mode, before = mode, hostile.served
        wait_until(lambda: hostile.served > before, f"it is connected to while {mode}", limit=90)
        time.sleep(ODD)
    if "isOnline" not in world.status():
        raise AssertionError("the daemon does not answer")


def _idle(context):
    """Wake-ups of the thread, and memory of an idle connection beside none."""
    with Mosquitto(_own(context, "idle").scratch) as broker:
        without = _kilobytes(_own(context, "without"), {})
        settings = broker.settings(keep_alive="30s")
        with World(_own(context, "with"), settings=settings) as world:
            wait_until(lambda: world.status()["mqtt"]["isConnected"], "the broker is connected")
            time.sleep(5)
            task = _thread(world, "mqtt")
            before = _switches(task)
            time.sleep(60)
            woken = _switches(task) - before
            grown = world.device_use().kilobytes - without
    if woken > 8:
        raise AssertionError(f"the thread was woken {woken} times in two keep-alive times")
    return f"woken {woken} times in two keep-alive times, {grown} kB more"


def _kilobytes(context, settings):
    with World(context, settings=settings) as world:
        time.sleep(8)
        return world.device_use().kilobytes


def _thread(world, name):
    tasks = pathlib.Path("/proc", str(world._device.pid), "task").iterdir()
    return next(task for task in tasks if (task / "comm").read_text().strip() == name)


def _switches(task):
    return int((task / "status").read_text().split("nonvoluntary_ctxt_switches")[0].rsplit(":", 1)[1])

"""Several people call the device at once, again and again, all recorded; one call in five ends with the caller gone."""
import collections
import contextlib
import pathlib
import random
import subprocess
import time

from interop import archives, vanishing
from interop.background import Background
from interop.calling import Caller
from interop.processes import wait_until
from interop.serial_calling import SerialCaller
from interop.world import OPERATOR, OPERATORS_ARE_RECORDED, World

#: Half of them are operators, who are answered at once; for the others it rings. What each calls beforehand fills pools.
#: libdispatch keeps up to 1,024 small blocks for each of its threads, which are full after some 150 calls.
PEOPLE, WARM_UP = 6, 25
PASSWORD = "a pass phrase for those who vanish"
#: Seconds until the last call with nobody behind it is over.
PATIENCE = 90.0
#: What may be left of all calls.
KILOBYTES = 1024
#: What pools may have grown by, which have bounds: SQLite's connections (two descriptors each) and Swift's threads.
DESCRIPTORS, THREADS = 4, 2
#: Of archives, for ffprobe and mkvmerge to look at.
SAMPLE = 20

POLICY = OPERATORS_ARE_RECORDED + """
[[rule]]
name = "everybody else"
action = "ring"
ring_timeout = "15s"
record = true

[limits]
calls_per_caller = 16

[[action_rule]]
action = ["open-door"]
caller = ["role:operator", "role:user", "local"]

[[action_rule]]
action = ["alarm-off"]
caller = ["local"]

[[action_rule]]
action = ["alarm-off"]
caller = ["role:operator", "role:user"]
pin = "{pin}"
"""


class Doors:
    """The device's actions: programs that note when they begin and end."""

    def __init__(self, folder):
        self._notes = folder / "actions"
        pin = folder / "pin"
        pin.touch(mode=0o600)
        pin.write_text("4711\n")
        self.policy = POLICY.format(pin=pin)
        program = ["/bin/sh", "-c", f"echo begin >>{self._notes}; sleep 0.5; echo end >>{self._notes}"]
        self.settings = [{"name": "open-door", "run": program, "dtmf": "9"},
                         {"name": "alarm-off", "run": program, "dtmf": "*1"}]

    def require_rest(self, world):
        """Nothing runs, all that began has ended, and each action can be had at once. Returns how often they ran."""
        wait_until(lambda: not _programs(), "no program of an action runs")
        counts = collections.Counter(self._notes.read_text().split())
        if counts["begin"] != counts["end"]:
            raise AssertionError(f"programs of actions did not come to their end: {counts}")
        for action in self.settings:
            world.command("action", "run", action["name"])
        return counts["end"]


def _programs():
    """The processes that the device's actions have started."""
    return [path for path in pathlib.Path("/proc").glob("[0-9]*/environ") if b"LIVESESSIONS_ACTION=" in _octets(path)]


def _octets(path):
    try:
        return path.read_bytes()
    except OSError:
        # The process has ended.
        return b""


class Porter(Background):
    """Answers at the device what rings there, as planned."""

    def __init__(self, world, plans):
        super().__init__()
        self._world = world
        self._waits = {plan.session: plan.answered_after for plan in plans}
        #: When each call began to ring.
        self._rings = {}

    def _run(self):
        while not self._is_over.wait(0.1):
            # A status that is late, or a call that has just ended, is none of the porter's faults.
            with contextlib.suppress(ValueError, subprocess.TimeoutExpired):
                for session in self._world.status()["sessions"]:
                    if session["state"] == "ringing":
                        self._attend(session["sessionID"])

    def _attend(self, session):
        since, wait = self._rings.setdefault(session, time.monotonic()), self._waits.get(session)
        if wait is not None and time.monotonic() > since + wait:
            self._world.try_command("answer", session)


def run(context):
    doors = Doors(context.scratch)
    people = [(f"Person {number}", PASSWORD) for number in range(PEOPLE)]
    with World(context, settings={"calls": {"max_sessions": 64}}, actions=doors.settings, policy=doors.policy) as world:
        for number, (title, password) in enumerate(people):
            world.change_accounts("add-user", "--title", title, "--role", "user" if number % 2 else "operator",
                                  "--password-file", "-", words=password + "\n")
        fresh = world.device_use(), world.hub_use()
        _play(world, people, [vanishing.draw(WARM_UP, f"warm-up {number}", number % 2, share=0)
                              for number in range(PEOPLE)])
        before = _settled(world)
        begin = time.monotonic()
        callers = _play(world, people, [vanishing.draw(count, f"{context.seed} {number}", number % 2)
                                        for number, count in enumerate(_shares(context.calls))])
        words = _told(callers, time.monotonic() - begin)
        first = _call_at_once(context, world)
        after = _settled(world)
        runs = doors.require_rest(world)
        again = _call_at_once(context, world)
        archived = _require_archives(context, world, callers)
    words += (f"; programs ran {runs} times; {archived}; called at once with those gone still there ({first:.1f} s) and "
              f"afterwards ({again:.1f} s)")
    for name, *uses in zip(("device", "hub"), fresh, before, after):
        words += f"; {name} {uses[0]} fresh, {uses[1]} before, {uses[2]} after"
    if any(_is_more(*pair) for pair in zip(before, after)):
        raise AssertionError(f"something is left: {words}")
    return words


def _shares(count):
    return [count // PEOPLE + (number < count % PEOPLE) for number in range(PEOPLE)]


def _play(world, people, plans):
    """Everybody's calls at the same time; returns the callers when all is played."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(Porter(world, [plan for some in plans for plan in some]))
        callers = [stack.enter_context(SerialCaller(world, person, some)) for person, some in zip(people, plans)]
        for caller in callers:
            caller.wait()
    surprises = [words for caller in callers for words in caller.surprises]
    if surprises:
        raise AssertionError(f"{len(surprises)} calls did not go as planned: " + "; ".join(surprises[:5]))
    return callers


def _told(callers, seconds):
    gone = collections.Counter(f"{plan.way} when {plan.vanishes}" for caller in callers for plan in caller.plans
                               if plan.vanishes)
    actions = sum((caller.actions for caller in callers), collections.Counter())
    return (f"{sum(len(caller.plans) for caller in callers)} calls in {seconds:.0f} s, of which {gone.total()} vanished "
            f"({dict(sorted(gone.items()))}); actions {dict(actions)}")


def _call_at_once(context, world):
    """Somebody else calls; returns the seconds from the process's start until its first picture is decoded."""
    begin = time.monotonic()
    with Caller(context, world, 2, person=OPERATOR) as caller:
        caller.wait_for("received")
        took = time.monotonic() - begin
        caller.wait_for("ended")
    return took


def _settled(world):
    """What daemon and hub use when no call is on and the camera is closed."""
    wait_until(lambda: not world.status()["sessions"], "no session is left", PATIENCE, interval=0.5)
    # The hub forgets an ended session after a minute; what that frees is given back within another.
    time.sleep(140)
    return world.device_use(), world.hub_use()


def _is_more(before, after):
    return (after.descriptors > before.descriptors + DESCRIPTORS or after.threads > before.threads + THREADS
            or after.kilobytes > before.kilobytes + KILOBYTES)


def _require_archives(context, world, callers):
    """All are whole, and each call that was hung up has one."""
    found = wait_until(lambda: _finished(world.archive_folder), "all archives are complete", 30)
    sessions = {archive.manifest["sessionId"] for archive in found}
    missing = [plan for caller in callers for plan in caller.plans if not plan.vanishes and plan.session not in sessions]
    if missing:
        raise AssertionError(f"{len(missing)} calls have no archive: {missing[:5]}")
    world.command("archive", "verify")
    sample = random.Random(context.seed).sample(found, min(SAMPLE, len(found)))
    for archive in sample:
        archive.require_faultless()
    return f"{len(found)} archives, all verified"


def _finished(folder):
    found = archives.read(folder)
    return found if all(one.manifest["status"] not in ("started", "stopped") for one in found) else None

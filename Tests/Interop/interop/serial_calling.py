"""Somebody who calls the device again and again, seen from a test; see serial_caller.py."""
import collections
import sys

from interop import vanishing
from interop.background import Background
from interop.calling import told_in
from interop.processes import Child, wait_until
from interop.world import DEVICE


class SerialCaller(Background):
    """Plays the planned calls while entered, by another process after each that is killed."""

    #: Seconds that a process takes to start, and each of its calls at most.
    _START, _CALL = 60, 70

    def __init__(self, world, person, plans):
        super().__init__()
        self._world, self._person, self.plans = world, person, plans
        #: What became of each call, by its number (`ended`, `vanished`, `killed`, or why it failed), and of actions.
        self.outcomes, self.actions = {}, collections.Counter()
        self._error = None

    def wait(self):
        """Waits until all has been played."""
        self._thread.join()
        if self._error:
            raise self._error

    def _run(self):
        rest = self.plans
        try:
            while rest and not self._is_over.is_set():
                events = self._play(rest)
                self._take(events)
                rest = [plan for plan in rest if plan.number not in self.outcomes]
        except Exception as error:
            self._error = error

    def _play(self, plans):
        """Lets one process play as many as it comes to; returns what it tells."""
        title, password = self._person
        path, log = (self._world.folder / f"{title}-{plans[0].number}{suffix}" for suffix in (".plans", ".log"))
        vanishing.write(path, plans)
        log.unlink(missing_ok=True)
        child = Child([
            sys.executable, "-m", "interop.serial_caller", "--hub", self._world.url, "--title", title, "--password",
            password, "--receiver", DEVICE, "--plans", path], log)
        try:
            wait_until(lambda: not child.is_running or self._is_over.is_set(), f"{title} has called",
                       self._START + self._CALL * len(plans), interval=0.2)
        finally:
            child.kill()
        events = told_in(log)
        if not events:
            raise RuntimeError(f"{title} has not called:\n{child.last_words()}")
        return events

    def _take(self, events):
        for event in events:
            if event["event"] == "placed":
                # Unless it tells more.
                self.outcomes[event["number"]] = "killed"
            elif event["event"] in ("ended", "vanished"):
                self.outcomes[event["number"]] = event["event"]
            elif event["event"] == "failed":
                self.outcomes[event["number"]] = event["words"]
            elif event["event"] == "action":
                self.actions[event["outcome"]] += 1

    @property
    def surprises(self):
        """The calls that went in another way than planned."""
        ways = {"": "ended", "silent": "vanished", "killed": "killed"}
        return [f"{self._person[0]}, call {plan.number}: {self.outcomes.get(plan.number)} instead of {plan}"
                for plan in self.plans if self.outcomes.get(plan.number) != ways[plan.way]]

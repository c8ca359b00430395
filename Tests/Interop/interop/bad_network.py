"""A bad line between the device and somebody far away, made of two cables and a process between their ends.

No program has to know of it: a browser that is started with `network=` sits at the far end, with the hub at its own
loopback address and the device behind the line. Needs nothing but network namespaces and packet sockets.
"""
import json
import socket
import subprocess
import sys

from interop.processes import Child, wait_until
from interop.relay import NEAR_MAC

#: What is told of a direction before anything passed.
DIRECTIONS = ("up", "down")


class BadNetwork:
    """One line; the `number`-th of a test. `up` is from the browser to the device, `down` the other way."""

    def __init__(self, context, world, number=0, seed=0):
        self.near, self.far, self.alias = near_address(number), f"198.51.{100 + number}.2", f"198.51.{100 + number}.3"
        #: The cable's; its end at the device is the interface `<name>n`.
        self.name = f"bad{number}"
        self._output = context.scratch / f"relay{number}.log"
        self._commands = context.scratch / f"relay{number}"
        self._arguments = [
            sys.executable, "-m", "interop.relay", "--name", self.name, "--near", self.near, "--far", self.far,
            "--aliases", self.alias, "--hub-port", str(world.port), "--commands", str(self._commands),
            "--seed", str(seed)]
        self._interface = f"{self.name}f"
        self._child = self._socket = self._replies = None
        #: The far end's network namespace, for :func:`namespaces.inside` and `nsenter`.
        self.namespace = None

    def __enter__(self):
        self._child = Child(self._arguments, self._output)
        try:
            wait_until(lambda: "\n" in self._output.read_text(), "the relay is ready", alive=[self._child])
            self.namespace = json.loads(self._output.read_text().splitlines()[0])["far"]
            self._socket = socket.socket(socket.AF_UNIX)
            self._socket.settimeout(20)
            self._socket.connect(str(self._commands))
            self._replies = self._socket.makefile()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        # Its namespaces and cables go with it.
        if self._socket:
            self._socket.close()
        self._child.kill()

    def change(self, *directions, **conditions):
        """Changes some of the line's :class:`line.Conditions`, in both directions or the named ones."""
        for direction in directions or DIRECTIONS:
            self._command("change", direction=direction, **conditions)

    def rebind(self, address=None):
        """As if a NAT forgot: from now on the device sees the far end under other ports, and under `address`."""
        self._command("rebind", address=address)

    def move(self, address):
        """Takes the far end's address away, and gives it another one."""
        # With its last address an interface forgets its neighbours, and nobody here answers to ARP.
        for change in (f"address del {self.far}/24", f"address add {address}/24",
                       f"neighbour replace {self.near} lladdr {NEAR_MAC} nud permanent"):
            subprocess.run(["nsenter", f"--net={self.namespace}", "ip", *change.split(), "dev", self._interface],
                           check=True)
        self.far = address

    def history(self, direction, since=0.0, until=float("inf")):
        """Tenths of seconds (see :class:`line.Tenth`) between two moments of CLOCK_MONOTONIC."""
        return [tenth for tenth in self._command("history", direction=direction) if since <= tenth["begin"] < until]

    def strays(self):
        """How many packets came for a port that the NAT had forgotten."""
        return self._command("strays")

    def lateness(self):
        """By how many seconds this program itself delayed a packet, as :class:`Lateness`."""
        return Lateness(sorted(tenth["late"] for direction in DIRECTIONS for tenth in self.history(direction)))

    def _command(self, name, **arguments):
        self._socket.sendall(json.dumps({"name": name, **arguments}).encode() + b"\n")
        answer = json.loads(self._replies.readline() or '{"error": "the relay is gone"}')
        if "error" in answer:
            raise RuntimeError(f"relay: {answer['error']}\n{self._child.last_words()}")
        return answer["result"]


class Lateness:
    """How far the line's own faults may spoil the figures: a busy machine keeps it from its work."""

    def __init__(self, late):
        self.usually, self.often, self.at_most = (late[int(share * (len(late) - 1))] for share in (0.5, 0.95, 1))

    def __str__(self):
        return (f"the line itself late by {self.usually * 1e3:.1f} ms in the middle one of all tenths of a second, "
                f"{self.often * 1e3:.1f} ms in one of twenty, {self.at_most * 1e3:.0f} ms at most")


def near_address(number=0):
    """Where the device has to be reached over the `number`-th line."""
    return f"198.51.{100 + number}.1"

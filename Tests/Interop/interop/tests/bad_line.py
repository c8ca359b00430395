"""The bad line itself: what it costs when it is to be perfect, and whether it is as bad as it is told to be."""
import select
import socket
import statistics
import threading
import time
import types

from interop import namespaces
from interop.bad_network import BadNetwork
from interop.processes import free_port

#: 2 Mbit/s in each direction.
SIZE, PACKETS_A_SECOND, SECONDS = 1000, 250, 4


def run(context):
    nobody = types.SimpleNamespace(port=free_port())
    with BadNetwork(context, nobody, seed=context.seed) as line, Ends(line) as ends:
        both = [ends.traffic(direction) for direction in ("up", "down")]
        for one in both:
            one.start()
        costs = [one.result() for one in both]
        if any(cost.share < 1 or cost.median > 0.01 for cost in costs):
            raise AssertionError(f"a perfect line: {'; '.join(map(str, costs))}")
        late, usually = line.lateness()
        _require_badness(line, ends)
        _require_rate(line, ends)
        _require_rebinding(line, ends)
    return f"perfect: {'; '.join(map(str, costs))}; itself late {usually * 1e3:.2f} ms, {late * 1e3:.1f} ms at most"


def _require_badness(line, ends):
    line.change(loss=0.05, delay=0.05)
    seen = ends.measure("up")
    line.change(loss=0.0, delay=0.0)
    if not 0.91 < seen.share < 0.99 or not 0.05 <= seen.median < 0.07:
        raise AssertionError(f"5 % loss and 50 ms: {seen}")
    line.change("down", is_dark=True)
    if ends.measure("down", seconds=0.2).share:
        raise AssertionError("something passes in the dark")
    line.change("down", is_dark=False)


def _require_rate(line, ends):
    line.change("down", rate=1e6, queue=0.2)
    begin = time.monotonic()
    seen = ends.measure("down")
    passed = line.history("down", begin + 1, begin + SECONDS)
    line.change("down", rate=None)
    rate = 8 * sum(tenth["bytes_out"] for tenth in passed) / (SECONDS - 1)
    if not 0.9e6 < rate < 1.1e6 or not 0.17 < seen.median < 0.25:
        raise AssertionError(f"a limit of 1 Mbit/s lets {rate / 1e6:.2f} Mbit/s pass: {seen}")


def _require_rebinding(line, ends):
    before = ends.ask()
    line.rebind()
    with_other_port = ends.ask()
    line.rebind(line.alias)
    with_other_address = ends.ask()
    if before != ends.far_address or with_other_port[0] != before[0] or with_other_port[1] == before[1]:
        raise AssertionError(f"rebinding: {before}, then {with_other_port}")
    if with_other_address[0] != line.alias:
        raise AssertionError(f"rebinding: the far end is seen at {with_other_address}, not {line.alias}")


class Ends:
    """A socket at each end."""

    def __init__(self, line):
        self.near = _socket(line.near)
        with namespaces.inside(line.namespace):
            self.far = _socket(line.far)
        self.far_address = self.far.getsockname()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.near.close()
        self.far.close()

    def traffic(self, direction, seconds=SECONDS):
        pair = (self.far, self.near) if direction == "up" else (self.near, self.far)
        return Traffic(*pair, seconds)

    def measure(self, direction, seconds=SECONDS):
        traffic = self.traffic(direction, seconds)
        traffic.start()
        return traffic.result()

    def ask(self):
        """Where the near end sees the far one, which must also hear the reply."""
        self.far.sendto(b"where?", self.near.getsockname())
        words, address = self.near.recvfrom(100)
        self.near.sendto(b"there", address)
        if (words, self.far.recv(100)) != (b"where?", b"there"):
            raise AssertionError("something else came than was sent")
        return address


class Delays:
    """What arrived, and how long it took."""

    def __init__(self, sent, delays):
        self.share = len(delays) / sent
        self.median = statistics.median(delays) if delays else 0.0
        self.worst = max(delays, default=0.0)

    def __str__(self):
        return f"{self.share:.1%} arrived after {self.median * 1e3:.2f} ms, {self.worst * 1e3:.1f} ms at most"


class Traffic:
    """Numbered packets from one socket to another, on a thread for each end."""

    def __init__(self, sender, receiver, seconds):
        self._sender, self._receiver = sender, receiver
        self._count = int(seconds * PACKETS_A_SECOND)
        self._delays = []
        self._threads = [threading.Thread(target=run, daemon=True) for run in (self._receive, self._send)]

    def start(self):
        for thread in self._threads:
            thread.start()

    def result(self):
        for thread in self._threads:
            thread.join()
        return Delays(self._count, self._delays)

    def _send(self):
        begin = time.monotonic()
        for number in range(self._count):
            time.sleep(max(0.0, begin + number / PACKETS_A_SECOND - time.monotonic()))
            self._sender.sendto(repr(time.monotonic()).encode().ljust(SIZE - 28), self._receiver.getsockname())

    def _receive(self):
        end = time.monotonic() + self._count / PACKETS_A_SECOND + 1
        while (left := end - time.monotonic()) > 0:
            if select.select([self._receiver], [], [], left)[0]:
                sent_at = float(self._receiver.recv(SIZE))
                self._delays.append(time.monotonic() - sent_at)


def _socket(address):
    end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    end.bind((address, 0))
    end.settimeout(5)
    return end

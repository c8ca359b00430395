"""The measurements, each a function that returns figures."""
import bisect
import dataclasses
import statistics
import subprocess
import time

from transport.programs import Server, Viewers
from transport.tap import Tap

VIDEO = 96
#: Frames that may be between two counts.
_ON_THE_WAY = 4
#: Until the estimate of the path is steady and memory has been touched.
SETTLING = 6


@dataclasses.dataclass(frozen=True)
class PacketCost:
    profile: str
    #: Where the packets go.
    way: str
    packets: int
    #: Nanoseconds of CPU time for each packet that was sent, a round each.
    own: list
    feedback: list
    allocations: int


def packets(binary):
    """What a session costs alone, and why something was not measured (or None)."""
    output = subprocess.run([binary, "packets"], check=True, capture_output=True, text=True, timeout=120).stdout
    rounds, missing = {}, None
    for kind, *words in map(str.split, output.splitlines()):
        if kind == "unavailable":
            missing = " ".join(words)
        else:
            rounds.setdefault(tuple(words[:2]), []).append(list(map(int, words[2:])))
    costs = []
    for (profile, way), rows in rounds.items():
        counts, own, feedback, allocations = zip(*rows)
        costs.append(PacketCost(profile, way, sum(counts), list(own), list(feedback), sum(allocations)))
    return costs, missing


@dataclasses.dataclass(frozen=True)
class Watched:
    """Some viewers for a while."""

    viewers: int
    seconds: float
    #: CPU seconds of the network thread, and of the whole process.
    network: float
    process: float
    packets: int
    memory: int

    @property
    def share(self):
        """Of a core, in percent."""
        return 100 * self.network / self.seconds


def watched(binary, count, seconds):
    """CPU time and memory of a network loop with so many viewers."""
    with Server(binary) as server, Viewers(binary, max(1, count)) as viewers:
        for number in range(count):
            server.connect(viewers, number)
        viewers.wait_for_pictures(range(count))
        time.sleep(SETTLING)
        before, begin = (server.network_time(), server.cpu_time(), _sent(server)), time.monotonic()
        time.sleep(seconds)
        network, process, sent = (
            after - earlier for after, earlier in zip((server.network_time(), server.cpu_time(), _sent(server)), before))
        return Watched(count, time.monotonic() - begin, network, process, sent, server.memory())


def _sent(server):
    return sum(session.sent for session in server.statistics().values())


def slope(points):
    """Of the line nearest to points (x, y)."""
    return statistics.linear_regression(*zip(*points)).slope


@dataclasses.dataclass(frozen=True)
class Turnover:
    sessions: int
    seconds: float
    #: Bytes and descriptors: after the first sessions, and after all.
    memory: tuple
    descriptors: tuple


def turnover(binary, count, together=20):
    """Sessions that come, show some pictures and go."""
    with Server(binary) as server, Viewers(binary, together) as viewers:
        def turn():
            for number in range(together):
                server.connect(viewers, number)
            viewers.wait_for_pictures(range(together))
            for number in range(together):
                server.hang_up(viewers, number)

        # What the first sessions leave behind (caches of the allocator and of OpenSSL) stays.
        for _ in range(3):
            turn()
        memory, descriptors, begin = server.memory(), server.descriptors(), time.monotonic()
        for _ in range(count // together):
            turn()
        seconds = time.monotonic() - begin
        time.sleep(1)
        return Turnover(count, seconds, (memory, server.memory()), (descriptors, server.descriptors()))


@dataclasses.dataclass(frozen=True)
class Flooded:
    kind: str
    #: Datagrams a second that the kernel took from the flood, and those that found the socket's buffer full.
    rate: float
    dropped: int
    network: float
    seconds: float
    #: Frames that did not arrive: of the side under fire at its peer, and of the peer.
    lost_sending: int
    lost_receiving: int


def flooded(binary, seconds, rate, sources):
    """A call both ways, and garbage at the port beside it."""
    with Server(binary) as server, Viewers(binary, 1) as viewers:
        server.connect(viewers, 0)
        viewers.ask("talk", 0)
        viewers.wait_for_pictures([0])
        time.sleep(SETTLING)
        before, network, dropped = _lost(server, viewers), server.network_time(), server.dropped()
        begin = time.monotonic()
        if rate:
            taken = _flood(binary, server.port, seconds, rate, sources)
        else:
            taken = time.sleep(seconds)
        # What is on its way arrives.
        time.sleep(1)
        lost = [max(0, after - earlier - _ON_THE_WAY) for after, earlier in zip(_lost(server, viewers), before)]
        kind = f"{rate:,} a second from {sources} ports" if rate else "none"
        return Flooded(kind, taken or 0, server.dropped() - dropped, server.network_time() - network,
                       time.monotonic() - begin, *lost)


def _lost(server, viewers):
    """Frames that were pushed and have not arrived: of the server's at the viewer, and of the viewer's."""
    pushed = int(server.ask("count")), int(viewers.ask("count", 0))
    arrived = [sum(one.pictures + one.sounds for one in side.statistics().values()) for side in (viewers, server)]
    return [sent - received for sent, received in zip(pushed, arrived)]


def _flood(binary, port, seconds, rate, sources):
    output = subprocess.run([binary, "flood", "127.0.0.1", *map(str, (port, rate, seconds, sources))], check=True,
                            capture_output=True, text=True, timeout=seconds + 60).stdout
    sent, elapsed = output.split()
    return int(sent) / float(elapsed)


@dataclasses.dataclass(frozen=True)
class Delays:
    """Seconds from a push into the inbox to the first and to the last datagram of the frame, for the last viewer."""

    viewers: int
    first: list
    last: list


def delays(binary, count, seconds):
    """From the encoder's output to the socket."""
    with Server(binary) as server, Viewers(binary, count) as viewers:
        for number in range(count):
            server.connect(viewers, number)
        viewers.wait_for_pictures(range(count))
        time.sleep(SETTLING)
        server.pushes()
        with Tap(server.port) as tap:
            time.sleep(seconds)
        return Delays(count, *_delays(sorted(server.pushes()), tap.packets))


def _delays(pushes, packets):
    frames = {}
    for at, viewer, kind, timestamp in packets:
        if kind == VIDEO:
            frames.setdefault((viewer, timestamp), []).append(at)
    first, last = [], []
    for times in frames.values():
        place = bisect.bisect_right(pushes, times[0]) - 1
        # A frame of which only the end was seen has no push within the time.
        if place >= 0 and times[0] - pushes[place] < 0.03:
            first.append(times[0] - pushes[place])
            last.append(times[-1] - pushes[place])
    return first, last


def first_packets(binary, count):
    """Seconds from an offer to the first packet of media, for calls one after the other."""
    found = []
    with Server(binary) as server, Viewers(binary, 1) as viewers:
        for _ in range(count):
            offer = viewers.describe("offer", 0)
            with Tap(server.port) as tap:
                begin = time.monotonic()
                viewers.ask("accept", 0, server.describe("answer", 0, offer))
                viewers.wait_for_pictures([0])
            server.hang_up(viewers, 0)
            found.append(tap.packets[0][0] - begin)
    return found

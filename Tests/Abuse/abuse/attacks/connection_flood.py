"""Strangers hold connections: from one address and from many, silent, with slow heads and with slow bodies."""
import selectors
import socket
import struct
import time

from abuse import addresses
from abuse.client import Client

#: What each connection begins with, in turn: a body that never comes whole, a head that never ends, nothing at all.
BEGINNINGS = [
    b"POST /v1/login HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 2000\r\n\r\n{",
    b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Slow: ",
    b"",
]
#: More than one hub has for everybody.
FLOOD, QUICK_FLOOD = 8_300, 1_500
#: One address with more than this has taken what others need.
FAIR = 512
#: So many connections that the kernel does not get through in time, and no more are tried.
REFUSALS = 40
#: How long one request may take from its first byte to its last, with some room.
REQUEST_LIMIT = 45
#: How many lines of its log a flood may cost at the usual level.
LINES = 50


class Herd:
    """Many connections that say as little as keeps them open."""

    def __init__(self, port, sources):
        self._port = port
        self._sources = sources
        self._ends = []
        self._selector = selectors.DefaultSelector()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for end in self._ends:
            end.close()
        self._selector.close()

    def grow(self, count, limit=30.0):
        """Opens further connections, for so many seconds at most; returns how many were opened."""
        deadline, opened, refused = time.monotonic() + limit, 0, 0
        while opened < count and refused < REFUSALS and time.monotonic() < deadline:
            is_open = self._open(opened)
            opened += is_open
            refused += not is_open
        return opened

    def drip(self):
        """Another byte on each connection."""
        for end in list(self._ends):
            try:
                end.send(b"a")
            except BlockingIOError:
                continue
            except OSError:
                self._drop(end)

    def count(self):
        """How many the hub has not closed."""
        for key, _ in self._selector.select(timeout=0):
            try:
                if not key.fileobj.recv(4_096):
                    self._drop(key.fileobj)
            except BlockingIOError:
                continue
            except OSError:
                self._drop(key.fileobj)
        return len(self._ends)

    def reset_when_closed(self):
        """Ends the connections rudely (RST) rather than in order."""
        for end in self._ends:
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    def _open(self, number):
        end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        end.settimeout(0.5)
        end.setsockopt(socket.IPPROTO_IP, socket.IP_BIND_ADDRESS_NO_PORT, 1)
        try:
            end.bind((self._sources[number % len(self._sources)], 0))
            end.connect(("127.0.0.1", self._port))
            beginning = BEGINNINGS[number // len(self._sources) % len(BEGINNINGS)]
            end.send(beginning % self._port if b"%d" in beginning else beginning)
        except OSError:
            end.close()
            return False
        end.setblocking(False)
        self._ends.append(end)
        self._selector.register(end, selectors.EVENT_READ)
        return True

    def _drop(self, end):
        self._selector.unregister(end)
        self._ends.remove(end)
        end.close()


def prepare(stage):
    """A hub that has served many at once has taken what its allocator keeps."""
    clients = [Client(stage.port, source) for source in addresses.strangers(64, block=70)]
    for client in clients:
        client.request("GET", "/healthz")
    for client in clients:
        client.close()
    time.sleep(1)


def attack(stage):
    count = QUICK_FLOOD if stage.is_quick else FLOOD
    _from_one_address(stage, count)
    _from_many_addresses(stage, count)
    _aborts(stage)
    lines = stage.world.hub_log().count("\n")
    stage.note(f"the hub logged {lines} lines")
    stage.check(lines <= LINES, f"the hub logged {lines} lines about strangers")


def _from_one_address(stage, count):
    with Herd(stage.port, [addresses.ATTACKER]) as herd:
        herd.grow(count)
        time.sleep(2)
        held = herd.count()
        stage.note(f"one address asked for {count} connections and held {held}")
        stage.check(held <= FAIR, f"one address holds {held} connections")
        if not stage.is_quick:
            _outlast(stage, herd)


def _outlast(stage, herd):
    """A byte now and then must not keep a request alive."""
    begin = time.monotonic()
    while herd.count() and time.monotonic() - begin < REQUEST_LIMIT:
        herd.drip()
        time.sleep(3)
    stage.check(not herd.count(), f"{herd.count()} connections last longer than {REQUEST_LIMIT} s by a byte each 3 s")


def _from_many_addresses(stage, count):
    with Herd(stage.port, addresses.strangers(count // 16)) as herd:
        opened = herd.grow(count)
        herd.drip()
        time.sleep(2 if stage.is_quick else 8)
        stage.note(f"{count // 16} addresses asked for {count} connections, opened {opened} and held {herd.count()}")


def _aborts(stage):
    """Connections that are reset in the middle of a request."""
    for source in addresses.strangers(40, block=68):
        with Herd(stage.port, [source]) as herd:
            herd.grow(5, limit=1)
            herd.reset_when_closed()

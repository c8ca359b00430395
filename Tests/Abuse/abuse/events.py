"""Many event streams read by one thread."""
import selectors
import time

from interop.background import Background
from interop.hub_client import parse_events


class Listeners(Background):
    """Reads from sockets on which events come, and counts, while entered."""

    def __init__(self, ends):
        super().__init__()
        self._ends = ends
        self._bytes = {end: b"" for end in ends}

    def __exit__(self, *details):
        super().__exit__(*details)
        for end in self._ends:
            end.close()

    def count(self, name):
        """How many events of this name came on each stream."""
        return [received.count(f"event: {name}\n".encode()) for received in self._bytes.values()]

    def last(self, name):
        """The payload of the newest such event of the first stream, or nothing."""
        found = [payload for kind, payload in parse(self._bytes[self._ends[0]]) if kind == name]
        return found[-1] if found else None

    def _run(self):
        with selectors.DefaultSelector() as selector:
            for end in self._ends:
                end.setblocking(False)
                selector.register(end, selectors.EVENT_READ)
            while not self._is_over.is_set():
                for key, _ in selector.select(timeout=0.1):
                    self._take(selector, key.fileobj)

    def _take(self, selector, end):
        try:
            part = end.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            part = b""
        self._bytes[end] += part
        if not part:
            selector.unregister(end)


def parse(received):
    """The events in the bytes of a stream, its chunks' lengths (RFC 9112, section 7.1) left out."""
    return list(parse_events(line + b"\n" for line in unchunked(received).split(b"\n")))


def unchunked(received):
    """The content of whole chunks."""
    content = b""
    while received:
        length, separator, rest = received.partition(b"\r\n")
        try:
            count = int(length, 16)
        except ValueError:
            return content
        if not separator or len(rest) < count + 2:
            return content
        content, received = content + rest[:count], rest[count + 2:]
    return content


def read_all(end, quiet=1.0, limit=20.0):
    """What comes on a stream until it is quiet or ends; returns its events and whether it ended."""
    received, deadline = b"", time.monotonic() + limit
    end.settimeout(quiet)
    while time.monotonic() < deadline:
        try:
            part = end.recv(1 << 16)
        except TimeoutError:
            return parse(received), False
        except OSError:
            part = b""
        if not part:
            return parse(received), True
        received += part
    return parse(received), False


def ends_within(end, seconds):
    """Whether the hub ends a stream in time."""
    deadline = time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0:
        end.settimeout(left)
        try:
            if not end.recv(1 << 16):
                return True
        except TimeoutError:
            return False
        except OSError:
            return True
    return False

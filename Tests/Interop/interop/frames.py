"""Ethernet frames with IPv4 and UDP: read, and sent on under another address, as a NAT does it."""
import struct

ETHERNET, UDP_PROTOCOL = 14, 17
SOURCE, DESTINATION = 12, 16


class Translation:
    """What a NAT knows: each inner port of one host is seen outside under another.

    Until the first :meth:`rebind` every port is seen as it is.
    """

    #: The first port that is given out; browsers take theirs from further up.
    FIRST_PORT = 20_000

    def __init__(self):
        self._is_active = False
        self._address = None
        self._outer = {}
        self._inner = {}
        self._next = self.FIRST_PORT

    def rebind(self, address=None):
        """Forgets all ports, and gives each a new one when it sends next; `address` is the outer one from now on."""
        self._address = address or self._address
        self._is_active = True
        self._outer.clear()
        self._inner.clear()

    def outward(self, frame):
        """The frame as it leaves the NAT."""
        if not self._is_active or not is_udp(frame):
            return frame
        port = _port(frame, 0)
        if port not in self._outer:
            self._outer[port], self._inner[self._next] = self._next, port
            self._next += 1
        return _readdressed(frame, SOURCE, self._address, 0, self._outer[port])

    def inward(self, frame, host):
        """The frame as it comes to `host` (4 bytes); None when nobody has that port any more."""
        if not self._is_active or not is_udp(frame):
            return frame
        port = self._inner.get(_port(frame, 2))
        return None if port is None else _readdressed(frame, DESTINATION, host, 2, port)


def is_ipv4(frame):
    return frame[12:14] == b"\x08\x00"


def is_udp(frame):
    return is_ipv4(frame) and len(frame) >= _udp(frame) + 8 and frame[ETHERNET + 9] == UDP_PROTOCOL


def _udp(frame):
    return ETHERNET + 4 * (frame[ETHERNET] & 0x0F)


def _port(frame, offset):
    return struct.unpack_from("!H", frame, _udp(frame) + offset)[0]


def _readdressed(frame, address_at, address, port_at, port):
    """A copy with another address (unless None) and port, the checksums corrected (RFC 1624)."""
    changed = bytearray(frame)
    udp = _udp(frame)
    edits = [(udp + port_at, struct.pack("!H", port))]
    if address is not None:
        place = ETHERNET + address_at
        _correct(changed, ETHERNET + 10, changed[place:place + 4], address)
        edits.append((place, address))
    for place, value in edits:
        if changed[udp + 6:udp + 8] != b"\0\0":
            _correct(changed, udp + 6, changed[place:place + len(value)], value)
        changed[place:place + len(value)] = value
    return bytes(changed)


def _correct(frame, place, old, new):
    total = ~struct.unpack_from("!H", frame, place)[0] & 0xFFFF
    for before, after in zip(struct.iter_unpack("!H", bytes(old)), struct.iter_unpack("!H", new)):
        total += (~before[0] & 0xFFFF) + after[0]
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    struct.pack_into("!H", frame, place, ~total & 0xFFFF)

"""Sees what passes the loopback interface, with the kernel's time of sending."""
import socket
import struct
import threading
import time

_TIMESTAMPNS = 35
_OUTGOING = 4
#: What leaves is shown only to those who want every protocol (packet(7)).
_EVERY_PROTOCOL, _IPV4 = 0x0003, 0x0800


class Tap:
    """Notes the packets of RTP that leave one port: time, port of the receiver, RTP payload type and timestamp.

    Several datagrams that were handed to the kernel as one message are seen as one.
    """

    def __init__(self, port):
        self._port = port
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(_EVERY_PROTOCOL))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        self._socket.setsockopt(socket.SOL_SOCKET, _TIMESTAMPNS, 1)
        self._socket.bind(("lo", _EVERY_PROTOCOL))
        self._socket.settimeout(0.2)
        self._ends = False
        self._offset = time.clock_gettime(time.CLOCK_REALTIME) - time.monotonic()
        self._thread = threading.Thread(target=self._run)
        self.packets = []

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ends = True
        self._thread.join()
        self._socket.close()

    def _run(self):
        while not self._ends:
            try:
                octets, ancillary, _, (_, protocol, direction, *_) = self._socket.recvmsg(64, 64)
            except TimeoutError:
                continue
            if direction == _OUTGOING and protocol == _IPV4:
                self._note(octets, ancillary)

    def _note(self, octets, ancillary):
        udp = (octets[0] & 15) * 4
        if len(octets) < udp + 20 or octets[9] != socket.IPPROTO_UDP:
            return
        source, target = struct.unpack_from("!HH", octets, udp)
        first, kind, _, timestamp = struct.unpack_from("!BBHI", octets, udp + 8)
        # RTP and RTCP lie between 128 and 191, and RTCP's types between 64 and 95 of RTP's (RFC 7983, RFC 5761).
        if source == self._port and first >> 6 == 2 and not 64 <= kind & 127 <= 95:
            seconds, nanoseconds = struct.unpack("qq", ancillary[0][2])
            self.packets.append((seconds + nanoseconds / 1e9 - self._offset, target, kind & 127, timestamp))

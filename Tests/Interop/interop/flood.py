"""Sends garbage to one UDP port for some seconds, then tells how many datagrams it sent: `python -m interop.flood`.

sendmmsg() takes a batch to the kernel at once; one by one, Python has no chance to send as many.
"""
import argparse
import ctypes
import random
import socket
import struct
import time

BATCH = 50
#: The first bytes that STUN, DTLS, RTP and RTCP packets and nothing at all begin with.
BEGINNINGS = [bytes.fromhex(text) for text in (
    "0001", "0101", "000100002112a442", "16fefd", "14fefd", "17fefd00", "8060", "806f", "80c8", "81cd", "8f", "ff",
    "00")]


class _Header(ctypes.Structure):
    """`struct msghdr`."""

    _fields_ = [("name", ctypes.c_void_p), ("name_length", ctypes.c_uint32), ("parts", ctypes.c_void_p),
                ("part_count", ctypes.c_size_t), ("control", ctypes.c_void_p), ("control_length", ctypes.c_size_t),
                ("flags", ctypes.c_int)]


class _Message(ctypes.Structure):
    """`struct mmsghdr`."""

    _fields_ = [("header", _Header), ("sent", ctypes.c_uint)]


class _Part(ctypes.Structure):
    """`struct iovec`."""

    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class Batch:
    """So many datagrams, ready to be sent again and again."""

    def __init__(self, chance, address, port, make=None):
        """`make(chance)` is one datagram; garbage without it."""
        make = make or garbage
        packed = struct.pack("=HH4s8x", socket.AF_INET, socket.htons(port), socket.inet_aton(address))
        self._name = ctypes.create_string_buffer(packed, len(packed))
        self._bytes = [ctypes.create_string_buffer(one, len(one)) for one in (make(chance) for _ in range(BATCH))]
        #: Octets of each.
        self.sizes = [len(one) for one in self._bytes]
        self._parts = [_Part(ctypes.addressof(one), len(one)) for one in self._bytes]
        self._messages = (_Message * BATCH)(*(
            _Message(_Header(ctypes.addressof(self._name), len(packed), ctypes.addressof(part), 1))
            for part in self._parts))
        self._libc = ctypes.CDLL(None, use_errno=True)

    def send(self, end):
        """How many were sent."""
        return max(0, self._libc.sendmmsg(end.fileno(), self._messages, BATCH, 0))


def garbage(chance):
    return chance.choice(BEGINNINGS) + chance.randbytes(chance.choice((0, 10, 18, 40, 200, 1200)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--address", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True, help="datagrams a second")
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    batches = [Batch(chance, options.address, options.port) for _ in range(40)]
    ends = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(8)]
    begin, sent, turn = time.monotonic(), 0, 0
    while (passed := time.monotonic() - begin) < options.seconds:
        if sent >= passed * options.rate:
            time.sleep(0.0005)
            continue
        sent += batches[turn % len(batches)].send(ends[turn % len(ends)])
        turn += 1
    print(sent, flush=True)


if __name__ == "__main__":
    main()

"""Sends DTLS records to a call's port, told by a line of JSON on standard input; `python -m abuse.dtls_flood`. Prints how many.

What it is told are the `kind`, the `target`, the `descriptor` of the peer's own socket, and datagrams that are `ready`, as hexadecimal
digits.
"""
import itertools
import json
import random
import socket
import struct
import sys
import time

from interop.flood import Batch

SECONDS, RATE = 6.0, 10_000
BATCHES = 40
#: Content types (RFC 6347, section 4.1) and types of handshake messages (RFC 5246, section 7.4).
CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA = 20, 21, 22, 23
HELLO_REQUEST, CLIENT_HELLO, SERVER_HELLO, HELLO_VERIFY_REQUEST, CERTIFICATE, SERVER_KEY_EXCHANGE = 0, 1, 2, 3, 11, 12
CLIENT_KEY_EXCHANGE, FINISHED = 16, 20
HUGE = 0xFFFFFF


def record(kind, payload, number, epoch=0):
    return struct.pack("!BHHHIH", kind, 0xFEFD, epoch, number >> 32, number & 0xFFFFFFFF, len(payload)) + payload


def message(kind, number, body, length=None, offset=0):
    """A fragment of a handshake message, which may claim any length and place in it."""
    length = len(body) if length is None else length
    return (bytes([kind]) + length.to_bytes(3, "big") + number.to_bytes(2, "big") + offset.to_bytes(3, "big")
            + len(body).to_bytes(3, "big") + body)


class Forge:
    """Makes datagrams of one kind."""

    def __init__(self, kind, ready):
        self._make = getattr(self, "_" + kind)
        self._ready = itertools.cycle(ready)
        self._numbers = itertools.count(1)

    def __call__(self, chance):
        return self._make(chance)

    def _replayed(self, _):
        return next(self._ready)

    def _hellos(self, chance):
        """Hellos of the same place with another random, as their messages of a later number."""
        hello = bytearray(next(self._ready))
        number = next(self._numbers)
        hello[5:11] = number.to_bytes(6, "big")
        hello[17:19] = chance.choice((0, 0, 1, number)).to_bytes(4, "big")[-2:]
        hello[27:59] = chance.randbytes(32)
        return bytes(hello)

    def _verifications(self, chance):
        number = next(self._numbers)
        body = b"\xfe\xff\xff" + chance.randbytes(255)
        return record(HANDSHAKE, message(HELLO_VERIFY_REQUEST, chance.choice((0, number % 65_536)), body), number)

    def _fragments(self, chance):
        """Of messages whose fragments contradict each other in length, and overlap."""
        body = chance.randbytes(chance.choice((0, 1, 100, 1_100)))
        length = chance.choice((HUGE, 16_384, 16_000, 1_200, len(body)))
        offset = chance.choice((0, 1, 50, max(length - len(body), 0), HUGE))
        kind = chance.choice((CLIENT_HELLO, SERVER_HELLO, CERTIFICATE, SERVER_KEY_EXCHANGE, CLIENT_KEY_EXCHANGE, FINISHED))
        return record(HANDSHAKE, message(kind, chance.choice((*range(1, 14), 65_535)), body, length, offset), next(self._numbers))

    def _epochs(self, chance):
        kind = chance.choice((CHANGE_CIPHER_SPEC, ALERT, HANDSHAKE, APPLICATION_DATA))
        return record(kind, chance.randbytes(1_100), next(self._numbers), chance.choice((1, 1, 2, 3, 65_535)))

    def _alerts(self, chance):
        """Warnings in the clear, many in a datagram, among them what would end a handshake."""
        return b"".join(record(ALERT, bytes([1, chance.choice((41, 90, 100))]), next(self._numbers)) for _ in range(20))


def main():
    terms = json.loads(sys.stdin.readline())
    chance = random.Random(1)
    forge = Forge(terms["kind"], [bytes.fromhex(one) for one in terms["ready"]])
    batches = [Batch(chance, *terms["target"], forge) for _ in range(BATCHES)]
    end = socket.socket(fileno=terms["descriptor"])
    begin, sent, turn = time.monotonic(), 0, 0
    while (passed := time.monotonic() - begin) < SECONDS:
        if sent >= passed * RATE:
            time.sleep(0.002)
            continue
        sent += batches[turn % BATCHES].send(end)
        turn += 1
    end.detach()
    print(sent, flush=True)


if __name__ == "__main__":
    main()

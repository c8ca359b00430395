"""Sends STUN messages to a call's port, told by a line of JSON on standard input; `python -m abuse.stun_flood`.

It prints a line of JSON: how many were `sent`, how many octets `came` back to its own sockets, and how many of them were no STUN.
"""
import json
import random
import select
import socket
import struct
import sys
import time

from aioice import stun

from interop.flood import Batch

SECONDS, RATE = 6.0, 10_000
BATCHES = 40
#: Attributes that a peer has to understand (RFC 8489, section 14), and nobody does.
UNKNOWN = 0x7123


class Forge:
    """Makes messages of one kind; `terms` are the credentials of both sides."""

    def __init__(self, kind, terms):
        self._make = getattr(self, "_" + kind)
        self._username = f"{terms['remote_username']}:{terms['local_username']}"
        self._password = terms["remote_password"].encode()

    def __call__(self, chance):
        return self._make(chance)

    def _wrong(self, chance):
        return self._request(chance, password=b"x" * 22)

    def _right(self, chance):
        return self._request(chance)

    def _nominating(self, chance):
        return self._request(chance, USE_CANDIDATE=None)

    def _conflicting(self, chance):
        return self._request(chance, role="ICE_CONTROLLED", tie_breaker=chance.choice((0, 1, (1 << 64) - 1)))

    def _unknown(self, chance):
        message = bytearray(self._signed(self._bare(chance, stun.Class.REQUEST)))
        return _appended(message, UNKNOWN, bytes(16))

    def _unasked(self, chance):
        if chance.random() < 0.5:
            message = self._bare(chance, stun.Class.RESPONSE)
            message.attributes["XOR-MAPPED-ADDRESS"] = ("127.66.1.1", 1)
        else:
            message = self._bare(chance, stun.Class.ERROR)
            message.attributes["ERROR-CODE"] = chance.choice(((487, "Role Conflict"), (401, "Unauthorized"), (300, "Try")))
        return self._signed(message)

    def _indication(self, chance):
        return self._signed(self._bare(chance, stun.Class.INDICATION))

    def _request(self, chance, password=None, role="ICE_CONTROLLING", tie_breaker=None, **more):
        message = self._bare(chance, stun.Class.REQUEST)
        message.attributes["USERNAME"] = self._username
        message.attributes["PRIORITY"] = chance.getrandbits(31)
        message.attributes[role.replace("_", "-")] = chance.getrandbits(64) if tie_breaker is None else tie_breaker
        for name, value in more.items():
            message.attributes[name.replace("_", "-")] = value
        return self._signed(message, password)

    @staticmethod
    def _bare(chance, kind):
        return stun.Message(message_method=stun.Method.BINDING, message_class=kind, transaction_id=chance.randbytes(12))

    def _signed(self, message, password=None):
        message.add_message_integrity(password or self._password)
        return bytes(message)


def _appended(message, kind, value):
    """With one more attribute after all others, and the length that it has then."""
    message += struct.pack("!HH", kind, len(value)) + value
    struct.pack_into("!H", message, 2, len(message) - 20)
    return bytes(message)


def answer(datagram, address, password):
    """The answer to a check of the device's; None for anything else."""
    try:
        message = stun.parse_message(datagram)
    except ValueError:
        return None
    if message.message_class != stun.Class.REQUEST:
        return None
    response = stun.Message(
        message_method=stun.Method.BINDING, message_class=stun.Class.RESPONSE, transaction_id=message.transaction_id)
    response.attributes["XOR-MAPPED-ADDRESS"] = address
    response.add_message_integrity(password.encode())
    return bytes(response)


class Ends:
    """The sockets of a flood: the peer's own one, or some at foreign addresses, which may answer checks."""

    def __init__(self, terms):
        self._password = terms["local_password"] if terms["answers"] else None
        self._target = tuple(terms["target"])
        self.own = [socket.socket(fileno=terms["descriptor"])] if terms["descriptor"] is not None else []
        self.foreign = []
        for source in terms["sources"]:
            end = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
            end.bind((source, 0))
            end.setblocking(False)
            self.foreign.append(end)
        self.came = self.other = 0

    @property
    def all(self):
        return self.own + self.foreign

    def read(self):
        """What came to foreign addresses."""
        for end in select.select(self.foreign, [], [], 0)[0]:
            while (datagram := _received(end)) is not None:
                self._take(end, datagram)

    def _take(self, end, datagram):
        self.came += len(datagram)
        if datagram[0] > 3:
            self.other += len(datagram)
        elif self._password:
            reply = answer(datagram, self._target, self._password)
            if reply:
                end.sendto(reply, self._target)

    def let_go(self):
        for end in self.own:
            end.detach()


def _received(end):
    try:
        return end.recv(2_048)
    except BlockingIOError:
        return None


def main():
    terms = json.loads(sys.stdin.readline())
    chance, forge, ends = random.Random(1), Forge(terms["kind"], terms), Ends(terms)
    batches = [Batch(chance, *terms["target"], forge) for _ in range(BATCHES)]
    begin, sent, turn = time.monotonic(), 0, 0
    while (passed := time.monotonic() - begin) < SECONDS:
        ends.read()
        if sent >= passed * RATE:
            time.sleep(0.002)
            continue
        sent += batches[turn % BATCHES].send(ends.all[turn % len(ends.all)])
        turn += 1
    ends.let_go()
    print(json.dumps({"sent": sent, "octets": sum(batches[0].sizes) // 50 * sent, "came": ends.came, "other": ends.other}),
          flush=True)


if __name__ == "__main__":
    main()

"""A caller at whose call's port packets arrive that look like RTP; `python -m abuse.rtp_caller`, options as interop.caller.

It tells `flood` with its `kind`, when it `begin`s and `end`s, how many packets were `sent`, and how many datagrams were
`read` meanwhile by all programs of this network, for each of :data:`KINDS`; and at last `over`.
"""
import asyncio
import functools
import json
import pathlib
import random
import socket
import sys
import time

from interop import caller
from interop.aiortc_media import tell

from abuse.rtp_flood import SECONDS

#: `(from the peer's own socket, under an SSRC that the device knows)`; otherwise from a foreign one, or under an unknown one.
KINDS = {
    "the peer's address, a known SSRC and a wrong tag": (True, True),
    "the peer's address, an unknown SSRC": (True, False),
    "a foreign address, a known SSRC and a wrong tag": (False, True),
    "a foreign address, an unknown SSRC": (False, False),
}
#: Another one than any peer has.
FOREIGN = "127.0.0.9"
PAUSE = 2.0


async def flood(connection):
    """Each kind, one after the other, once the call has pictures."""
    while connection.connectionState != "connected":
        await asyncio.sleep(0.1)
    await asyncio.sleep(PAUSE)
    sender = next(one for one in connection.getSenders() if one.kind == "audio")
    pair = next(iter(sender.transport.transport._connection._nominated.values()))
    own = pair.protocol.transport.get_extra_info("socket")
    foreign = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    foreign.bind((FOREIGN, 0))
    for kind, (is_own, is_known) in KINDS.items():
        ssrc = sender._ssrc if is_known else random.getrandbits(32)
        begin, before = time.monotonic(), read_datagrams()
        sent = await _send(own if is_own else foreign, pair.remote_addr, ssrc)
        tell("flood", kind=kind, begin=begin, end=time.monotonic(), sent=sent, read=read_datagrams() - before)
        await asyncio.sleep(PAUSE)
    tell("over")


async def _send(end, target, ssrc):
    """A process of its own sends, so that this one has time for its call."""
    number = end.fileno()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "abuse.rtp_flood", "--descriptor", str(number), "--address", target[0],
        "--port", str(target[1]), "--ssrc", str(ssrc), pass_fds=[number], stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(SECONDS + 20):
        words, _ = await process.communicate()
    return json.loads(words)


def read_datagrams():
    """How many datagrams the programs of this network have read."""
    names, values = (line.split() for line in pathlib.Path("/proc/net/snmp").read_text().splitlines()
                     if line.startswith("Udp:"))
    return int(values[names.index("InDatagrams")])


def _with_flood(make):
    @functools.wraps(make)
    def connection(options):
        made, tasks = make(options)
        return made, [*tasks, asyncio.ensure_future(flood(made))]
    return connection


if __name__ == "__main__":
    caller._connection = _with_flood(caller._connection)
    caller.main()

"""A caller that floods the port of its own call with STUN; `python -m abuse.stun_caller`, options as interop.caller.

It tells `flood` with its `kind`, when it `begin`s and `end`s, what was `sent`, what `came` back, and how many datagrams were
`read` meanwhile by all programs of this network, for each of :data:`KINDS`; and at last `over`.
"""
import asyncio
import contextlib
import ctypes
import functools
import json
import socket
import struct
import sys
import time

import aioice.ice

from interop import caller
from interop.aiortc_media import tell

from abuse.addresses import strangers
from abuse.rtp_caller import read_datagrams
from abuse.stun_flood import SECONDS

MANY = strangers(64)
#: What is sent, from where (nowhere: from the peer's own socket), and whether checks of the device's are answered there.
KINDS = {
    "wrong integrity, from the peer's address": ("wrong", [], False),
    "wrong integrity, from 64 foreign addresses": ("wrong", MANY, False),
    "responses nobody asked for, from the peer's address": ("unasked", [], False),
    "responses nobody asked for, from 64 foreign addresses": ("unasked", MANY, False),
    "indications": ("indication", [], False),
    "unknown attributes": ("unknown", [], False),
    "right checks, from the peer's address": ("right", [], False),
    "right checks, from 64 addresses that answer nothing": ("right", MANY, False),
    "nominations of 64 addresses that answer nothing": ("nominating", MANY, False),
    "conflicts of roles": ("conflicting", [], False),
    "nominations of 64 addresses that answer": ("nominating", strangers(64, 68), True),
}
PAUSE = 2.0
#: The kernel takes away what answers a flood (success and error responses) before this process has to look at it: a filter in
#: the classic language of socket(7), whose octets begin at the head of UDP.
_ATTACH, _DETACH = 26, 27
_DROP_RESPONSES = [(0x28, 0, 0, 8), (0x15, 2, 0, 0x0101), (0x15, 1, 0, 0x0111), (0x06, 0, 0, 0xFFFF), (0x06, 0, 0, 0)]


@contextlib.contextmanager
def deaf(end):
    """A socket that hears no STUN responses meanwhile."""
    code = b"".join(struct.pack("=HBBI", *one) for one in _DROP_RESPONSES)
    held = ctypes.create_string_buffer(code, len(code))
    end.setsockopt(socket.SOL_SOCKET, _ATTACH, struct.pack("@HP", len(_DROP_RESPONSES), ctypes.addressof(held)))
    try:
        yield
    finally:
        end.setsockopt(socket.SOL_SOCKET, _DETACH, 0)


async def flood(connection):
    """Each kind, one after the other, once the call has pictures."""
    while connection.connectionState != "connected":
        await asyncio.sleep(0.1)
    await asyncio.sleep(PAUSE)
    sender = next(one for one in connection.getSenders() if one.kind == "audio")
    ice = sender.transport.transport._connection
    pair = next(iter(ice._nominated.values()))
    own = pair.protocol.transport.get_extra_info("socket")
    for kind, (name, sources, answers) in KINDS.items():
        terms = {
            "kind": name, "sources": sources, "answers": answers, "descriptor": None if sources else own.fileno(),
            "target": list(pair.remote_addr), "local_username": ice.local_username, "local_password": ice.local_password,
            "remote_username": ice.remote_username, "remote_password": ice.remote_password}
        begin, before = time.monotonic(), read_datagrams()
        with contextlib.nullcontext() if sources else deaf(own):
            told = await _send(terms)
        tell("flood", kind=kind, begin=begin, end=time.monotonic(), read=read_datagrams() - before, **told,
             state=connection.connectionState)
        await asyncio.sleep(PAUSE)
    tell("over")


async def _send(terms):
    """A process of its own sends, so that this one has time for its call."""
    descriptors = [] if terms["descriptor"] is None else [terms["descriptor"]]
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "abuse.stun_flood", pass_fds=descriptors, stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(SECONDS + 20):
        words, _ = await process.communicate(json.dumps(terms).encode() + b"\n")
    return json.loads(words)


def with_task(make, task):
    """A connection as `make` makes it, with one more task."""
    @functools.wraps(make)
    def connection(options):
        made, tasks = make(options)
        return made, [*tasks, asyncio.ensure_future(task(made))]
    return connection


if __name__ == "__main__":
    # The answers to checks of its own are among what it does not hear.
    aioice.ice.CONSENT_FAILURES = 1_000
    caller._connection = with_task(caller._connection, flood)
    caller.main()

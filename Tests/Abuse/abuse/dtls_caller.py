"""A caller whose DTLS handshake never ends, or who floods its call with DTLS: `python -m abuse.dtls_caller KIND`, and options as
interop.caller.

It tells `flood` with its `kind`, when it `begin`s and `end`s, how many datagrams were `sent`, and how many were `read` meanwhile by
all programs of this network; and at last `over`.
"""
import asyncio
import json
import sys
import time

import aiortc
from OpenSSL import SSL

from interop import caller
from interop.aiortc_media import tell

from abuse.dtls_flood import SECONDS
from abuse.rtp_caller import read_datagrams
from abuse.stun_caller import with_task

#: Whether the device is the server of the handshake, and what it is sent.
HANDSHAKES = {
    "a hello and nothing more": (True, None),
    "hellos without end": (True, "hellos"),
    "fragments that contradict each other": (True, "fragments"),
    "records of other epochs": (True, "epochs"),
    "warnings": (True, "alerts"),
    "requests to verify, to the device as client": (False, "verifications"),
    "fragments, to the device as client": (False, "fragments"),
    "records of other epochs, to the device as client": (False, "epochs"),
}
#: What a call is sent that is up.
CALLS = {"in a call: hellos": "hellos", "in a call: fragments": "fragments", "in a call: records of other epochs": "epochs",
         "in a call: warnings": "alerts", "in a call: application data": "replayed"}
IN_CALL = "in a call"
PAUSE = 2.0
DATA = 1_000


def hello():
    """A ClientHello as OpenSSL says it."""
    context = SSL.Context(SSL.DTLS_METHOD)
    context.set_tlsext_use_srtp(b"SRTP_AES128_CM_SHA1_80")
    connection = SSL.Connection(context, None)
    connection.set_connect_state()
    try:
        connection.do_handshake()
    except SSL.WantReadError:
        pass
    return connection.bio_read(1_500)


def handshaking(kind):
    """What a DTLS transport does in place of its handshake, for ever."""
    name = HANDSHAKES[kind][1]

    async def start(transport, _):
        if name:
            await _flood(transport.transport, kind, name)
        else:
            begin = time.monotonic()
            await transport.transport._send(hello())
            tell("flood", kind=kind, begin=begin, end=begin, sent=1, read=1)
        tell("over")
        await asyncio.Event().wait()
    return start


async def in_call(connection):
    """Each kind of :data:`CALLS`, once the call has pictures."""
    while connection.connectionState != "connected":
        await asyncio.sleep(0.1)
    await asyncio.sleep(PAUSE)
    dtls = connection.getSenders()[0].transport
    for kind, name in CALLS.items():
        await _flood(dtls.transport, kind, name, _application_data(dtls) if name == "replayed" else None)
        await asyncio.sleep(PAUSE)
    tell("over")


def _application_data(dtls):
    """Records under the call's own keys."""
    ready = []
    for _ in range(DATA):
        dtls._ssl.send(b"x" * 1_000)
        ready.append(dtls._ssl.bio_read(1_500))
    return ready


async def _flood(ice, kind, name, ready=None):
    """A process of its own sends, so that this one has time for its call."""
    pair = next(iter(ice._connection._nominated.values()))
    descriptor = pair.protocol.transport.get_extra_info("socket").fileno()
    terms = {"kind": name, "target": list(pair.remote_addr), "descriptor": descriptor,
             "ready": [one.hex() for one in ready or [hello()]]}
    begin, before = time.monotonic(), read_datagrams()
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "abuse.dtls_flood", pass_fds=[descriptor], stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE)
    async with asyncio.timeout(SECONDS + 20):
        words, _ = await process.communicate(json.dumps(terms).encode() + b"\n")
    tell("flood", kind=kind, begin=begin, end=time.monotonic(), sent=json.loads(words), read=read_datagrams() - before)


def _offered_as(setup, local_text):
    def text(connection, options):
        return local_text(connection, options).replace("a=setup:actpass", f"a=setup:{setup}")
    return text


def main():
    kind = sys.argv.pop(1)
    if kind == IN_CALL:
        caller._connection = with_task(caller._connection, in_call)
    else:
        is_server = HANDSHAKES[kind][0]
        caller._local_text = _offered_as("active" if is_server else "passive", caller._local_text)
        aiortc.RTCDtlsTransport.start = handshaking(kind)
    caller.main()


if __name__ == "__main__":
    main()

"""What attacks on a device share: a policy under which strangers ring, and an offer that could be answered."""
import asyncio
import time

import aioice.ice
import aiortc

from interop.world import OPERATORS_ARE_RECORDED

#: Operators, as the bystander's peer is one, are answered and recorded; everybody else rings.
POLICY = OPERATORS_ARE_RECORDED + """
[[rule]]
name = "everybody else"
action = "ring"
ring_timeout = "60s"
"""


def make_offer(direction="sendrecv"):
    """An offer of sound and pictures that nobody stands behind."""
    return asyncio.run(_make_offer(direction))


async def _make_offer(direction):
    aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]
    connection = aiortc.RTCPeerConnection(aiortc.RTCConfiguration(iceServers=[]))
    for kind in ("audio", "video"):
        connection.addTransceiver(kind, direction=direction)
    await connection.setLocalDescription(await connection.createOffer())
    offer = connection.localDescription.sdp
    await connection.close()
    return offer


def status_seconds(stage):
    """How long `livesessions status` takes; very long when it fails."""
    begin = time.monotonic()
    finished = stage.world.try_command("status", "--json")
    return time.monotonic() - begin if finished.returncode == 0 else float("inf")

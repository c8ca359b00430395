"""A device behind a NAT learns its address from a STUN server, and is called at that address alone."""
import time

from interop import archives, measure, webm
from interop.bad_network import near_address
from interop.connections import difference
from interop.far_call import NearCaller
from interop.turn import TurnServer
from interop.world import World

SECONDS = 8

#: The device hears of none of the caller's addresses, so that it can open no way through the NAT by itself.
MUTE = {"offer": "(sdp) => sdp.replace(/^a=(candidate:.*|end-of-candidates)\\r\\n/gm, '')",
        "candidateDelay": "600000"}


def run(context):
    server = TurnServer(context.scratch, "stun", near_address())
    world = World(context, settings={"network": {"addresses": ["0.0.0.0"]}}, hub_settings=server.hub_settings())
    with NearCaller(context, world, **MUTE) as near, server:
        # From now on the device is seen under the alias, at other ports than its own.
        near.line.rebind(near.line.alias)
        with world:
            return _call(context, world, near)


def _call(context, world, near):
    begin = time.monotonic()
    near.open()
    near.call()
    set_up = time.monotonic() - begin
    time.sleep(SECONDS)
    seen = measure.frames_seen(near.browser.page)
    seen.require("the device's pictures in the browser", at_least=SECONDS * 20)
    if (found := near.connections.remote_candidate()) != ("srflx", near.line.alias):
        raise AssertionError(f"the device is reached at {found}")
    sent = difference(near.connections.samples(), 0, near.connections.now(), "outbound-rtp/video", "framesSent")
    near.hang_up()
    archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    count = len(webm.frame_times(archive.file_with_tone(context.tone)))
    if count < 0.95 * sent:
        raise AssertionError(f"{count} of {sent} pictures that the browser sent are in the archive")
    if "stun:" in world.device_log():
        raise AssertionError(f"the device complains about the server:\n{world.device_log()}")
    return f"set up in {set_up:.1f} s, {seen}; recorded {count} of {sent} pictures that were sent"

"""The device's network interface goes down for some seconds in mid-call and comes back: the call goes on, and the
recording of the device lacks nothing."""
import subprocess
import time

from interop import archives
from interop.bad_network import BadNetwork, near_address
from interop.calling import Caller
from interop.far_call import back_after, longest_pause
from interop.relay import FAR_MAC
from interop.world import DEVICE_TONE, World

#: Seconds without the interface, before and after that, and until pictures come again at most: aiortc makes no new
#: connection when the device asks for one, but goes on with the old one at its next check, 5 s apart.
DOWN, WATCHED, PERMITTED = 5.0, 9.0, 7.0
#: Seconds without a picture in the device's own recording.
PAUSE = 0.5


def run(context):
    world = World(context, settings={"network": {"addresses": [near_address()]}})
    with BadNetwork(context, world) as line, world, Caller(context, world, seconds=60, network=line) as caller:
        caller.wait_for("connected")
        caller.wait_for("received")
        session = caller.events("answered")[0]["session"]
        time.sleep(WATCHED)
        _change(line, "link set {} down")
        time.sleep(DOWN)
        _change(line, "link set {} up")
        # With the interface its neighbours were forgotten, and nobody here answers to ARP.
        _change(line, f"neighbour replace {line.far} lladdr {FAR_MAC} nud permanent dev {{}}")
        up = time.monotonic()
        time.sleep(WATCHED)
        back = back_after([event["at"] for event in caller.events("received")], up)
        if ended := caller.events("ended"):
            raise AssertionError(f"the call ended: {ended[0]['reason']!r}")
        world.command("hangup", session)
        caller.wait_for("ended")
        archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    own = archive.file_with_tone(DEVICE_TONE)
    shown = archive.moments(own, own)
    pause = longest_pause(shown, shown[0], shown[-1])
    told = (f"pictures again after {'never' if back is None else f'{back:.2f} s'}; "
            f"the recording pauses for {pause:.2f} s at most")
    if back is None or back > PERMITTED or pause > PAUSE or shown[-1] < up + WATCHED - 2:
        raise AssertionError(told)
    return told


def _change(line, words):
    subprocess.run(["ip", *words.format(f"{line.name}n").split()], check=True)

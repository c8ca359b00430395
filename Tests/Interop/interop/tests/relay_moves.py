"""The device's address changes in the middle of a call that may use nothing but relays: the call goes on."""
import time

from interop import archives
from interop.bad_network import near_address
from interop.far_call import SETTLING, NearCaller, a_second, back_after
from interop.turn import TurnServer
from interop.world import DEVICE_TONE, World

#: Seconds after which pictures go on both ways.
PERMITTED = 8.0
WATCHED = 12.0


def run(context):
    server = TurnServer(context.scratch, "udp", near_address())
    settings = server.device_settings("relay")
    settings["network"]["addresses"] = ["0.0.0.0"]
    world = World(context, settings=settings, hub_settings=server.hub_settings())
    with NearCaller(context, world, configuration=server.browser_configuration()) as near, server, world:
        near.open()
        near.call()
        time.sleep(SETTLING)
        event = time.monotonic()
        near.line.move(near.line.alias)
        time.sleep(WATCHED)
        pair = near.connections.selected_pair()
        shown = [at for at, _ in near.pictures()]
        count, words = near.connections.count(), near.caller.words
        if near.caller.state != "ended":
            near.hang_up()
        archive = archives.wait_for(world.archive_folder, 1, limit=40)[0]
    recorded = archive.moments(archive.file_with_tone(context.tone), archive.file_with_tone(DEVICE_TONE))
    figures = {"browser": back_after(shown, event), "recording": back_after(recorded, event)}
    told = ", ".join(f"in the {place} after {'never' if after is None else f'{after:.2f} s'}"
                     for place, after in figures.items())
    if any(after is None or after > PERMITTED for after in figures.values()):
        raise AssertionError(
            f"{told}; at the end the page says {words!r}; pictures in each second from 3 s before: in the browser "
            f"{a_second(shown, event - 3, event + WATCHED)}, in the recording "
            f"{a_second(recorded, event - 3, event + WATCHED)}\n{world.device_log()}")
    if pair != ("relay", "relay") or count != 1:
        raise AssertionError(f"the call takes the path {pair}, in the {count}. connection of the page")
    if world.device_log().count("is reached again") != 1:
        raise AssertionError(f"the device does not tell once that it has reached its relay anew:\n{world.device_log()}")
    return f"pictures go on {told}"

"""GStreamer's keypad (rtpdtmfsrc) dials a device's actions; see gstreamer_offers for the packages that are needed."""
import asyncio

from interop import gstreamer_call
from interop.dialling import Actions
from interop.world import World


def run(context):
    actions = Actions(context.scratch)
    settings = {"network": {"addresses": [gstreamer_call.ADDRESS]}}
    with World(context, settings=settings, actions=actions.settings, rules=actions.rules) as world:
        seconds = 4 + len(actions.DIGITS)
        outcome = asyncio.run(gstreamer_call.call(context, world, seconds, "--bundle-policy", "max-bundle", "--dial", actions.DIGITS))
        actions.wait_for_both(world, "GStreamer")
    if not outcome.is_heard:
        raise AssertionError(f"{outcome}")
    return f"{outcome}"

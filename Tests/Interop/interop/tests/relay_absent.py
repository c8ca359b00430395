"""The TURN server that the hub names is not there: the call comes about directly, and the device says why."""
from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.turn import TurnServer
from interop.world import DEVICE, OPERATOR, World


def run(context):
    server = TurnServer(context.scratch, "tcp")
    world = World(context, settings=server.device_settings("all"), hub_settings=server.hub_settings())
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with world, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        caller.choose(DEVICE, "video")
        caller.wait_for_state("connected")
        browser.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
        told = wait_until(lambda: _lines(world, server.url), "the device says why there is no relay")
        browser.page.click("#hang-up")
        caller.wait_for_state("ended")
    if len(told) != 1 or "Connection refused" not in told[0]:
        raise AssertionError(f"the device says {told}")
    return told[0]


def _lines(world, url):
    return [line for line in world.device_log().splitlines() if f"relay {url}: " in line]

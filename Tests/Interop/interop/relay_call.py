"""A person whose browser may use nothing but a TURN server calls a device that may not either."""
import time

from interop import archives, measure, sound, webm
from interop.browser import Browser
from interop.connections import Connections, difference
from interop.page import CallPage
from interop.turn import TurnServer
from interop.world import DEVICE, DEVICE_TONE, OPERATOR, World

SECONDS = 20


def run(context, transport):
    """Calls over a relay that the device reaches over `transport`."""
    server = TurnServer(context.scratch, transport)
    world = World(context, settings=server.device_settings("relay"), hub_settings=server.hub_settings())
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with server, world, Browser(**devices) as browser:
        connections = Connections(browser.page, configuration=server.browser_configuration())
        seen = _talk(context, world, browser.page, connections)
        sent = difference(connections.samples(), 0, connections.now(), "outbound-rtp/video", "framesSent")
        browser.page.click("#hang-up")
        recorded = _check_recording(context, world, sent)
        if (found := server.device_transport()) != transport:
            raise AssertionError(f"the device has reached the relay over {found}")
        if "relay " in world.device_log():
            raise AssertionError(f"the device complains about the relay:\n{world.device_log()}")
    return f"{seen}; recorded {recorded}"


def _talk(context, world, page, connections):
    begin = time.monotonic()
    caller = CallPage(page, world.url, *OPERATOR)
    caller.log_in_and_wait()
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    set_up = time.monotonic() - begin
    measure.watch_frames(page, "#remote-video")
    deadline = time.monotonic() + SECONDS
    samples, rate = measure.record_sound(page, "document.querySelector('#remote-video').srcObject")
    sound.require_tone(samples, rate, DEVICE_TONE, "the device's sound in the browser")
    if (pair := connections.selected_pair()) != ("relay", "relay"):
        raise AssertionError(f"the call takes the path {pair}")
    time.sleep(max(0, deadline - time.monotonic()))
    if context.artifacts:
        page.screenshot(context.artifacts / "relay.png")
    seen = measure.frames_seen(page)
    seen.require("the device's pictures in the browser", at_least=SECONDS * 20)
    return f"set up in {set_up:.1f} s, {seen}"


def _check_recording(context, world, sent):
    """The other direction, as the device received it: `sent` pictures left the browser."""
    archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    path = archive.file_with_tone(context.tone)
    seen = webm.examine_frames(path, context.camera_frames)
    count = len(webm.frame_times(path))
    if seen.reversals or count < 0.95 * sent:
        raise AssertionError(f"the caller's pictures in the archive: {count} of {sent} that were sent; {seen}")
    return f"{count} of {sent} pictures that were sent"

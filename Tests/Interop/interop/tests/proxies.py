"""Device and page behind proxies, below a path: one that holds event streams back, one that cuts what is silent for 10 s."""
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.proxy import Proxy
from interop.world import DEVICE, OPERATOR, World

PATH = "/door"
#: Three streams of 10 s without a greeting, and the pauses between them.
DETECTION = 60
#: Longer than the proxy's patience, more than twice.
QUIET = 25


def run(context):
    held = _behind(context, Proxy(PATH, holds=True), _require_polling)
    calm = _behind(context, Proxy(PATH, idle=10), _require_calm)
    return f"held back: {held}; cut after 10 s: {calm}"


def _behind(context, proxy, require):
    folder, context.scratch = context.scratch, context.scratch / ("held" if proxy.holds else "idle")
    context.scratch.mkdir()
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    try:
        world = World(context, has_device=False, settings={"hub": {"url": proxy.url}})
        proxy.upstream_port = world.port
        with proxy, world, Browser(**devices) as browser:
            begin = time.monotonic()
            person = CallPage(browser.page, proxy.url, *OPERATOR)
            person.log_in()
            world.start_device(DETECTION)
            online = time.monotonic() - begin
            browser.page.wait_for("document.querySelector('#hub-state').dataset.state === 'online'", "the page is online",
                                  DETECTION)
            require(world, proxy, person)
            ringing = _call(world, person)
            person.require_no_complaints()
        return f"online after {online:.0f} s, a call connected after {ringing:.1f} s"
    finally:
        context.scratch = folder


def _call(world, person):
    person.page.wait_for(f"document.querySelector('.user[data-title=\"{DEVICE}\"]')", f"{DEVICE} is on the list", 30)
    begin = time.monotonic()
    person.choose(DEVICE, "video")
    person.wait_for_state("connected")
    seconds = time.monotonic() - begin
    person.page.click("#hang-up")
    person.wait_for_state("ended")
    wait_until(lambda: not world.status()["sessions"], "the device has no call any more")
    return seconds


def _require_polling(world, _, person):
    """Device and page say why they are slow, and what would help."""
    wait_until(lambda: "a proxy buffers the event stream" in world.device_log(), "the journal names the proxy")
    problems = [problem["text"] for problem in world.status()["problems"] if problem["part"] == "hub"]
    if not any("proxy_buffering off" in text for text in problems):
        raise AssertionError(f"status says of the hub: {problems}")
    files = [world.folder / "device.toml", world.folder / "policy.toml"]
    doctor = world.try_command("doctor", "--config", files[0], "--policy", files[1], limit=60).stdout
    if "a proxy buffers the event stream" not in doctor:
        raise AssertionError(f"doctor does not name the proxy:\n{doctor}")
    if "connected to the hub again" in world.device_log():
        raise AssertionError("the journal calls a stream that brings nothing a connection")
    person.page.wait_for("document.querySelector('#hub-state').textContent.includes('a proxy')", "the page names the proxy",
                         DETECTION)


def _require_calm(world, proxy, _):
    """Nothing is cut, since the hub is never silent for so long."""
    time.sleep(QUIET)
    if proxy.cut or "cannot reach the hub" in world.device_log():
        raise AssertionError(f"{proxy.cut} streams were cut:\n{world.device_log()}")

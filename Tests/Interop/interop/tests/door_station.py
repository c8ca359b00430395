"""A door station as it is built in, in a virtual machine with a GPIO chip: its button rings a page, which answers, sees
the visitor and opens the door; the door closes when its time is over, and when the daemon is killed."""
import time

from interop.browser import Browser
from interop.device_vm import DeviceVM
from interop.hub_client import HubClient
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

#: Seconds of the door's pulse in the guest's configuration, and by how much the guest's own clock may find it off.
PULSE, INACCURACY = 2.0, 0.5
#: Milliseconds: the goals on a device; the emulated one is more than ten times slower.
RING_GOAL, DOOR_GOAL, SLOWNESS = 300, 100, 10
#: Notes when the page began to ring, and when somebody clicked, by the host's clock.
NOTE_MOMENTS = """
(() => {
  const panel = document.querySelector("#incoming");
  new MutationObserver(() => { if (!panel.hidden) window.rangAt ??= Date.now(); }).observe(panel, { attributes: true });
  document.addEventListener("click", () => { window.clickedAt = Date.now(); }, { capture: true });
})()"""


def run(context):
    if not context.gpio_sim:
        raise FileNotFoundError("give --gpio-sim FILE, the module that Tests/DeviceVM/gpio-sim makes")
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context, has_device=False, hub_names=["10.0.2.2"]) as world:
        client = HubClient(world.url)
        client.login(*OPERATOR)
        values = {"hub_port": world.port, "callee": client.user_id, "title": f"'{DEVICE}'"}
        files = {"gpiosim.ko": context.gpio_sim, "enrolment-key": world.folder / "enrolment-key"}
        with DeviceVM(context, ["gpio_chip", "door_station"], values, files) as station, Browser(**devices) as browser:
            visited = CallPage(browser.page, world.url, *OPERATOR)
            visited.log_in_and_wait()
            visited.page.evaluate(f"void {NOTE_MOMENTS}")
            return _visit(context, station, visited)


def _visit(context, station, visited):
    ring = _ring(station, visited)
    _talk(context, visited)
    opened = _open(station, visited, 1)
    pulse = _pulse(station, 2)
    _open(station, visited, 3)
    station.ask("kill")
    killed = _moment(station.wait_for("killed", 20))
    safe = _moment(station.wait_for("door-4", 20)) - killed
    station.ask("end")
    _require_records(station)
    visited.require_no_complaints()
    return (f"button to ringing page {ring:.0f} ms, click to door {opened:.0f} ms, open for {pulse:.2f} s, "
            f"after SIGKILL closed within {safe:.2f} s (in an emulated processor)")


def _ring(station, visited):
    station.wait_for("ready", 300)
    station.ask("press")
    pressed = _moment(station.wait_for("pressed", 20))
    visited.page.wait_for("window.rangAt", "the page rings", limit=60)
    delay = visited.page.evaluate("window.rangAt") - pressed * 1_000
    if delay > RING_GOAL * SLOWNESS:
        raise AssertionError(f"the page rings {delay:.0f} ms after the button")
    return delay


def _talk(context, visited):
    visited.page.click("#answer")
    visited.wait_for_state("connected", limit=60)
    visited.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the visitor is seen", limit=60)
    if context.artifacts:
        visited.page.screenshot(context.artifacts / "door_station.png")


def _open(station, visited, change):
    """Clicks; the door's line is active with this change. Returns how long that took, in milliseconds."""
    visited.page.click('[data-device-action="open-door"]')
    clicked = visited.page.evaluate("window.clickedAt")
    path = station.wait_for(f"door-{change}", 30)
    _require_level(path, "1")
    delay = _moment(path) * 1_000 - clicked
    if delay > DOOR_GOAL * SLOWNESS:
        raise AssertionError(f"the door opens {delay:.0f} ms after the click")
    return delay


def _pulse(station, change):
    """How long the line was active by the guest's clock."""
    path = station.wait_for(f"door-{change}", 60)
    _require_level(path, "0")
    begin, end = (float((station.out / f"door-{number}").read_text().split()[1]) for number in (change - 1, change))
    if abs(end - begin - PULSE) > INACCURACY:
        raise AssertionError(f"the door was open for {end - begin:.2f} s, not {PULSE} s")
    # What is said of the last click must be gone before the next.
    time.sleep(0.5)
    return end - begin


def _require_level(path, level):
    deadline = time.monotonic() + 5
    while not (text := path.read_text()) and time.monotonic() < deadline:
        time.sleep(0.01)
    if text.split()[0] != level:
        raise AssertionError(f"{path.name}: the door's line is {text!r}, not {level}")


def _require_records(station):
    station.wait()
    facts = station.facts()
    if station.status != 0 or "done for" not in facts.text("station.said"):
        raise AssertionError(f"the guest ended with {station.status} and says {facts.text('station.said')!r}\n{station.last_words()}")
    if facts.number("station.pictures") < 1:
        raise AssertionError("there is no picture of who opened the door")


def _moment(path):
    """When the file was made, by the host's clock, in seconds since 1970."""
    return path.stat().st_mtime

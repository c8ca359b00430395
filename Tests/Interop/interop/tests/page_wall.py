"""The wall of two devices: images that follow each other and stop out of sight, both live in place, a tap that opens a device's page
under its address and back, the map, the list's menu, and a device that goes and stays on the list."""
import json
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import Child
from interop.world import DEVICE, OPERATOR, World, toml

SECOND = "Back gate"
POLICY = """
default = "reject"

[[rule]]
name = "operators watch"
caller = ["role:operator"]
action = "answer"
"""
#: Seconds: a round of images, how long both devices may take to be seen live, and until a device that was killed is offline.
ROUND, LIVE, GONE = 12, 20, 60
#: Counts what the page asks devices for.
COUNT = """(() => {
  const fetch = window.fetch;
  window.asked = [];
  window.fetch = (address, ...rest) => {
    if (String(address).includes("/snapshot")) window.asked.push(String(address));
    return fetch(address, ...rest);
  };
})()"""
MOVING = """(() => {
  const videos = [...document.querySelectorAll(".tile video")];
  return videos.length === 2 && videos.every((video) => !video.hidden && video.videoWidth > 0 && video.currentTime > 0.5);
})()"""


class TwoDevices(World):
    """A second device beside the usual one."""

    def start_second(self):
        folder = self._folder / "second"
        (folder / "state").mkdir(mode=0o700, parents=True)
        self.change_accounts("enrol-device", "--title", SECOND, "--key-file", folder / "key")
        settings = self._device_configuration()
        settings["device"] = {"title": SECOND, "state_directory": str(folder / "state")}
        settings["hub"] = {**settings["hub"], "enrolment_key_file": str(folder / "key"), "snapshots": True, "timeline": False}
        settings["location"] = {"static": {"latitude": 52.52, "longitude": 13.39}}
        settings["control"] = {"socket": str(folder / "control")}
        (folder / "device.toml").write_text(toml(settings))
        return Child([self._binaries / "livesessionsd", "--config", folder / "device.toml", "--policy",
                      self._folder / "policy.toml"], folder / "device.log")


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with TwoDevices(context, settings={"hub": {"snapshots": True, "timeline": True}}, policy=POLICY) as world:
        second = world.start_second()
        try:
            with Browser(**devices) as browser:
                browser.page.run_before(COUNT)
                person = CallPage(browser.page, world.url, *OPERATOR)
                person.log_in_and_wait()
                return _run(context, person, second)
        finally:
            second.kill()


def _run(context, person, second):
    page = person.page
    rounds = _refresh(page)
    _keep(context, page, "wall")
    took = _see_live(page)
    _keep(context, page, "wall-live")
    page.click(f'{_tile(SECOND)} [data-action="live"]')
    page.wait_for(f"document.querySelector({json.dumps(_tile(SECOND))}).dataset.image !== 'live'", "one of them has ended")
    _open(page)
    _keep(context, page, "device")
    _look_at_map(page)
    _keep(context, page, "map")
    _use_menu(page)
    second.kill()
    page.wait_for(f"document.querySelector({json.dumps(_line(SECOND))}).dataset.status === 'offline'", "the device is offline", GONE)
    page.click('.wall [data-home="wall"]')
    page.wait_for(f"document.querySelector({json.dumps(_tile(SECOND))}).dataset.image === 'old'", "its last image is shown as old")
    _keep(context, page, "wall-offline")
    person.require_no_complaints()
    return f"{rounds} images in a round, both live after {took:.1f} s"


def _refresh(page):
    """Each device has an image, and a newer one later; none is asked for out of sight."""
    image = "[...document.querySelectorAll('.tile img')].filter((image) => image.naturalWidth > 0)"
    page.wait_for(f"{image}.length === 2", "both devices have an image", 30)
    before = page.evaluate(f"{image}.map(({{ src }}) => src)")
    page.wait_for(f"{image}.every(({{ src }}) => !{json.dumps(before)}.includes(src))", "both have a newer one", ROUND + 10)
    page.click('.wall [data-home="map"]')
    time.sleep(2)
    asked = page.evaluate("window.asked.length")
    time.sleep(ROUND)
    if page.evaluate("window.asked.length") != asked:
        raise AssertionError("images are asked for that nobody sees")
    page.click('.wall [data-home="wall"]')
    return asked


def _see_live(page):
    begin = time.monotonic()
    for title in (DEVICE, SECOND):
        page.click(f'{_tile(title)} [data-action="live"]')
    page.wait_for(MOVING, "both are live", LIVE)
    if page.evaluate("document.body.dataset.stage === 'call'"):
        raise AssertionError("what is only watched has become a call")
    return time.monotonic() - begin


def _open(page):
    page.click(f"{_tile(DEVICE)} .frame")
    page.wait_for("location.hash.startsWith('#/devices/')", "the address is the device's")
    page.wait_for("document.querySelector('#snapshot-picture').naturalWidth > 0", "its page has an image", 30)
    if page.text("#device-heading") != DEVICE or page.text("#wall") is not None:
        raise AssertionError(f"the page is of {page.text('#device-heading')!r}")
    page.click('#device-parts [data-part="events"]')
    page.wait_for("location.hash.endsWith('/events') && !document.querySelector('#device-events').hidden", "its events show")
    for part in ("the snapshot", "the wall"):
        page.evaluate("history.back()")
        page.wait_for("document.querySelector('#device-events').hidden", f"back leads to {part}")
    page.wait_for("!document.querySelector('#wall').hidden && document.querySelector('#device').hidden", "the wall is back")


def _look_at_map(page):
    page.click('.wall [data-home="map"]')
    page.wait_for("document.querySelectorAll('#map .point').length === 2", "two points are on the map")
    page.click(f'#map .point[title^="{DEVICE}"]')
    page.wait_for(f"document.querySelector('#device-heading').textContent === {json.dumps(DEVICE)}", "a point opens its device")
    page.click("#device .back")
    page.wait_for("!document.querySelector('#map').hidden", "the map is back")


def _use_menu(page):
    """The line has one button, and the menu what else the device permits: the second shows no events."""
    for title, hidden in ((DEVICE, set()), (SECOND, {"events"})):
        page.click(f'{_line(title)} [data-action="menu"]')
        page.wait_for("!document.querySelector('#menu').hidden", "the menu shows")
        actions = set(page.evaluate("[...document.querySelectorAll('#menu button')].map(({ dataset }) => dataset.action)"))
        if actions - {"invite"} != {"audio", "watch", "snapshot", "events", "archives"} - hidden:
            raise AssertionError(f"the menu of {title} has {sorted(actions)}")
        page.command("Input.dispatchKeyEvent", type="keyDown", key="Escape", code="Escape", windowsVirtualKeyCode=27)
        page.wait_for("document.querySelector('#menu').hidden", "the menu is gone")


def _tile(title):
    return f'.tile[data-title="{title}"]'


def _line(title):
    return f'.user[data-title="{title}"]'


def _keep(context, page, name):
    if context.artifacts:
        page.screenshot(context.artifacts / f"page-{name}.png")

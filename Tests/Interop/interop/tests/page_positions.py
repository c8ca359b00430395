"""Positions: the list says how old the one is that a distance is measured to; the page rounds its own, and tells its age."""
import time

from interop import viewport
from interop.browser import Browser
from interop.hub_client import HubClient, parse_events
from interop.page import CallPage
from interop.world import OPERATOR, SECOND_OPERATOR, World

HERE = {"latitude": 52.51631, "longitude": 13.37771}
ROUNDED = {"latitude": 52.516, "longitude": 13.378}
THERE = {"latitude": 52.6, "longitude": 13.4}
OTTO = SECOND_OPERATOR[0]
ROW = f".user[data-title=\"{OTTO}\"]"


def run(context):
    with (World(context, has_device=False) as world,
          Browser(camera=context.camera(), microphone=context.microphone()) as browser):
        otto = HubClient(world.url)
        otto.login(*SECOND_OPERATOR)
        with otto.events() as events:
            stream = next(payload for name, payload in parse_events(events) if name == "hello")["eventStreamID"]
            _publish(otto, stream, 7_300)
            person = CallPage(browser.page, world.url, *OPERATOR)
            person.log_in_and_wait()
            seen = [_share_position(person)]
            _look(context, person)
            _publish(otto, stream, 0)
            person.page.wait_for(f"document.querySelector('{ROW} .position-age').textContent === ''",
                                 "a new position has no age", limit=20)
            _require_own_position(otto)
            person.require_no_complaints()
    return "; ".join(seen)


def _publish(client, stream, age):
    client.request("PUT", "/v1/presence", {
        "kind": "person", "status": "available", "isAudio": True, "isVideo": True, "eventStreamID": stream,
        "userLocation": THERE, "positionAge": age})


def _share_position(person):
    page = person.page
    page.wait_for(f"document.querySelector('{ROW}')", f"{OTTO} is on the list")
    if page.text(f"{ROW} .position-age"):
        raise AssertionError("an age is told of a position that is not shown")
    page.command("Browser.grantPermissions", permissions=["geolocation"])
    page.command("Emulation.setGeolocationOverride", accuracy=10, **HERE)
    page.click("#share-position")
    page.wait_for(f"document.querySelector('{ROW} .position-age').textContent", "the list tells the position's age")
    words = page.text(f"{ROW} .detail")
    if "9.5 km" not in words or "position 2 hr old" not in words:
        raise AssertionError(f"a position of two hours ago is shown as {words!r}")
    return " ".join(words.split())


def _look(context, person):
    for size in viewport.SIZES:
        viewport.resize(person.page, size)
        viewport.require_no_sideways_scrolling(person.page)
        viewport.require_touch_targets(person.page)
        if context.artifacts:
            person.page.screenshot(context.artifacts / f"positions-{size[0]}x{size[1]}.png")
    viewport.restore(person.page)


def _require_own_position(otto):
    """As others see it: an operator is shown what was published, which the page has rounded."""
    time.sleep(1)
    person = next(user for user in otto.request("GET", "/v1/users")["items"] if user["userTitle"] == OPERATOR[0])
    place = {name: person["userLocation"][name] for name in ROUNDED}
    if place != ROUNDED or not 0 <= person["positionAge"] < 120:
        raise AssertionError(f"the page publishes {person}")

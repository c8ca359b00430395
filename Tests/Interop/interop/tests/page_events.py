"""Something moves before the camera: the page of an operator lists it with a picture, where the device's configuration allows it."""
from interop import yard
from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, STRANGER, World

#: What is no name in HTML is one in the configuration.
SOURCE = "yard <img src=x>"
PATIENCE = 20
ROW = "#device-event-list .event"


def run(context):
    clip = context.scratch / "yard.y4m"
    yard.write(clip)
    settings = {
        "hub": {"timeline": True}, "video": {"camera": f"file:{clip}"}, "[event]": {"name": SOURCE, "kind": "motion"},
    }
    with World(context, settings=settings) as world, Browser() as browser:
        operator = CallPage(browser.page, world.url, *OPERATOR)
        operator.log_in_and_wait()
        operator.choose(DEVICE, "events")
        _list(operator.page)
        _require_refusal(world)
        if context.artifacts:
            operator.page.screenshot(context.artifacts / "events.png")
        operator.require_no_complaints()


def _list(page):
    """Asks again until the event is there with its picture."""
    page.wait_for(f"document.querySelector('{ROW}') || void document.querySelector('#device-events-again').click()",
                  "the event is listed", PATIENCE)
    title = page.text(f"{ROW} .title")
    if title != f"Motion at {SOURCE}":
        raise AssertionError(f"the event is called {title!r}")
    page.wait_for(f"document.querySelector('{ROW} img').naturalWidth === {yard.WIDTH}", "its picture shows")


def _require_refusal(world):
    """Who is no operator gets neither the list nor a picture."""
    client = HubClient(world.url)
    client.login(*STRANGER)
    for path in ("events?from=0&before=1", "events/20261124T195512Z-9f3c01ab/picture"):
        try:
            client.fetch(f"/v1/users/{client.find(DEVICE)}/{path}")
        except Refused as refusal:
            if refusal.status != 403:
                raise
        else:
            raise AssertionError(f"{STRANGER[0]} got {path}")

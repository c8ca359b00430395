"""The camera's frames get dark: the same event is on the disk, at the control socket, at the hub, in a webhook and in the page."""
import json
import time

from interop import yard
from interop.alarms import Alarms
from interop.browser import Browser
from interop.hub_client import HubClient
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

PATIENCE = 30
ROW, MARK = "#device-event-list .event", "#timeline .mark"


def run(context):
    clip = context.scratch / "evening.y4m"
    yard.write_evening(clip)
    settings = {
        "hub": {"timeline": True}, "video": {"camera": f"file:{clip}"},
        "[event]": {"name": "lamp", "kind": "dark", "level": 15, "for": "1s"},
        "[event_rule]": {"name": "no light", "kind": ["dark"], "webhook": True},
    }
    with Alarms(context.scratch) as alarms, World(
            context, settings=settings, hub_settings=alarms.hub_settings) as world, Browser() as browser:
        event = wait_until(lambda: _first(world), "the event is listed with an image", PATIENCE)
        notice = wait_until(lambda: alarms.notices, "the webhook is told", PATIENCE)[0]
        seen = {"socket": event, "webhook": notice["event"], "disk": _on_disk(world, event), "hub": _at_hub(world, event)}
        for place, record in seen.items():
            _require(place, record, event)
        if notice["event"].get("rule") != "no light" or "picture" in notice["event"]:
            raise AssertionError(f"the webhook was told {notice}")
        operator = CallPage(browser.page, world.url, *OPERATOR)
        operator.log_in_and_wait()
        operator.choose(DEVICE, "events")
        operator.show_day_of(event)
        title = _title(operator.page, event)
        if not title.startswith("Dark (") or not title.endswith(" %) at lamp"):
            raise AssertionError(f"the page calls it {title!r}")
        operator.require_no_complaints()
    return f"{title}, score {event['score']}"


def _first(world):
    """The oldest event with an image."""
    events = [json.loads(line) for line in world.command("events", "--json").splitlines()]
    return next((event for event in events if event.get("picture")), None)


def _on_disk(world, event):
    day = time.strftime("%Y-%m-%d", time.gmtime(event["start"] / 1000))
    lines = (world.state_folder / "events" / day / "events.jsonl").read_text().splitlines()
    return next(record for record in map(json.loads, lines) if record["id"] == event["id"])


def _at_hub(world, event):
    client = HubClient(world.url)
    client.login(*OPERATOR)
    path = f"/v1/users/{client.find(DEVICE)}/events?from={event['start']}&before={event['start'] + 1}"
    return client.request("GET", path)["items"][0]


def _require(place, record, event):
    fields = ("id", "kind", "source", "start", "clockSynchronized")
    differing = [field for field in fields if record[field] != event[field]]
    if differing or record["kind"] != "dark" or not record["detail"].endswith(" %") or not 1 <= record["score"] <= 100:
        raise AssertionError(f"at the {place} it is {record}, at the control socket {event}")


def _title(page, event):
    row = f"{ROW}[data-event-id='{event['id']}']"
    page.wait_for(f"document.querySelector(\"{row}\") && document.querySelector('{MARK}')", "the page shows the event")
    if page.evaluate(f"document.querySelector('{MARK}').dataset.mark") != "notice":
        raise AssertionError("its mark is another kind's")
    return page.text(f"{row} .title")

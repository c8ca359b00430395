"""A camera's frames get dark: the device has the hub notify people whose page is closed. The message is encrypted and has no image;
the service worker shows a notification, fetches the image by the message's ticket, and a click opens the page at the event."""
import json
import urllib.error
import urllib.request

from interop import yard
from interop.browser import Browser
from interop.desktop import Desktop
from interop.hub_client import HubClient
from interop.page import CallPage
from interop.push_service import PushService
from interop.pushing import Worker, with_subscription
from interop.world import DEVICE, OPERATOR, STRANGER, World

TITLE = f"Dark · {DEVICE}"
#: Between two evenings of the clip, in seconds, and some more.
PATIENCE = 60
#: For how long a push service keeps a message, in seconds.
LIFETIME = 3_600


def run(context):
    clip = context.scratch / "evening.y4m"
    # Long enough for an event to be over before the next.
    yard.write_evening(clip, bright=14, dark=6)
    settings = {
        "hub": {"timeline": True}, "video": {"camera": f"file:{clip}"},
        "[event]": {"name": "lamp", "kind": "dark", "level": 15, "for": "1s"},
        "[event_rule]": {"name": "no light", "kind": ["dark"], "push": ["group:default", "user:nobody"]}}
    with PushService(context.scratch) as service, Desktop(context.scratch, shows_images=True) as desktop:
        phone, second = service.subscribe(), service.subscribe()
        world = World(with_subscription(context, phone), settings=settings, hub_settings={"push": {
            "contact": "mailto:operator@example.org", "services": [service.url.removeprefix("https://")],
            "certificate_authorities_file": str(service.authority)}})
        devices = {"camera": context.camera(), "microphone": context.microphone()}
        with world, Browser(**devices, desktop=desktop) as browser:
            worker = _subscribe(world, browser, second)
            push, message = _next(service, phone, 1)
            _require(push, message, HubClient(world.url))
            if "imageTicket" in _next(service, second, 1)[0]:
                raise AssertionError("one who may not see events has a ticket for the image")
            worker.push(push)
            first = desktop.wait_for(TITLE)
            shown = desktop.wait_for_image(TITLE)
            _require_ticket_for_one_image(world, push)
            later, again = _next(service, phone, 2)
            if again.headers["topic"] != message.headers["topic"] or later["eventID"] == push["eventID"]:
                raise AssertionError(f"the next event is pushed as {later} with {again.headers}")
            worker.push(later)
            newest = desktop.wait_for_image(TITLE, after=shown)
            if desktop.visible() != [TITLE]:
                raise AssertionError(f"there are {desktop.visible()}")
            desktop.click(newest)
            page = browser.find_tab(world.url)
            wanted = f"#/devices/{later['deviceID']}/events/{later['eventID']}"
            page.wait_for(f"location.hash.startsWith({json.dumps(wanted)})", "the page is opened at the event")
            service.require_no_complaints()
    return f"the image follows the notification after {(shown.shown_at - first.shown_at) * 1_000:.0f} ms"


def _subscribe(world, browser, second):
    """An operator's browser, and the second phone, of one who is no operator."""
    client = HubClient(world.url)
    client.login(*STRANGER)
    client.request("POST", "/v1/push/subscriptions", second.to_json())
    page = browser.page
    person = CallPage(page, world.url, *OPERATOR)
    person.log_in_and_wait()
    worker = Worker(page, world.url)
    worker.allow_notifications()
    page.click("#settings-open")
    page.click("#ring-closed")
    page.wait_for("document.querySelector('#ring-closed').checked && !document.querySelector('#ring-closed').disabled",
                  "the hub knows the subscription")
    person.require_no_complaints()
    page.open("about:blank")
    return worker


def _next(service, subscription, count):
    message = service.wait_for(subscription, count, PATIENCE)[count - 1]
    return subscription.decrypt(message), message


def _require(push, message, client):
    client.login(*OPERATOR)
    wanted = {"kind": "device.event", "deviceID": client.find(DEVICE), "deviceTitle": DEVICE, "eventKind": "dark",
              "label": "Dark", "source": "lamp", "rule": "no light"}
    differing = {name: push.get(name) for name, value in wanted.items() if push.get(name) != value}
    if differing or not push.get("imageTicket"):
        raise AssertionError(f"an event is pushed as {push}")
    if message.headers.get("urgency") != "normal" or not 0 < int(message.headers["ttl"]) <= LIFETIME:
        raise AssertionError(f"an event is pushed with {message.headers}")


def _require_ticket_for_one_image(world, push):
    path = f"{world.url}/v1/event-images/{push['deviceID']}/"
    for event, ticket, wanted in ((push["eventID"], push["imageTicket"], 200), (push["eventID"], "x.y", 404),
                                  (push["eventID"][:-8] + "00000000", push["imageTicket"], 404)):
        request = urllib.request.Request(path + event, headers={"X-Image-Ticket": ticket})
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:
                status = answer.status
        except urllib.error.HTTPError as error:
            status = error.code
        if status != wanted:
            raise AssertionError(f"{event} with {ticket[:8]}… answers {status}, not {wanted}")

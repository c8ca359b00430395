"""Something moves before the camera: the page of an operator has it recorded by a button, shows it on the day's strip and lists it
with a picture, and plays the recording from that moment on, where the device's configuration allows it."""
import json
import time

from interop import yard
from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, POLICY, SECOND_OPERATOR, STRANGER, World

#: What is no name in HTML is one in the configuration.
SOURCE = "yard <img src=x onerror=document.body.dataset.isHacked=1>"
#: What the policy says of who may have the device record, and the same once nobody may.
PERMITTED = """
[recording]
allowed = ["role:operator"]
"""
REFUSED = "the device refuses: its policy does not let you have it record"
PATIENCE = 20
ROW, MARK, SPAN = "#device-event-list .event", "#timeline .mark", "#timeline .span"
VIDEO = "document.querySelector('#archive-player video')"


def run(context):
    clip = context.scratch / "yard.y4m"
    yard.write(clip)
    settings = {
        "hub": {"timeline": True}, "archive": {"record_now_limit": "5m"}, "video": {"camera": f"file:{clip}"},
        "[event]": {"name": SOURCE, "kind": "motion"},
    }
    with World(context, settings=settings, rules=PERMITTED) as world, Browser() as browser:
        operator = CallPage(browser.page, world.url, *OPERATOR)
        operator.log_in_and_wait()
        operator.choose(DEVICE, "events")
        _switch_recording(world, operator.page, True)
        started = time.time() * 1000
        _require_words(operator.page, "The device is recording, for 5 min at most. You will find it among its recordings.")
        _require_refusals(world)
        _require_one_recording(world)
        event = wait_until(lambda: _first(world, started), "something was noticed", PATIENCE)
        _switch_recording(world, operator.page, False)
        operator.show_day_of(event)
        _look(operator.page, event)
        if context.artifacts:
            operator.page.screenshot(context.artifacts / "events.png")
        begin = _play(operator.page, event, _recording_start(world))
        _require_listing(operator.page)
        _forbid_recording(world, operator)
        operator.require_no_complaints()
    return f"the recording plays from {begin:.1f} s on"


def _switch_recording(world, page, is_wanted):
    page.click("#record-now")
    page.wait_for(f"document.querySelector('#record-now').dataset.recording === '{json.dumps(is_wanted)}'",
                  "the button tells that the device records" if is_wanted else "the button tells that it does not")
    if bool(world.status()["recordings"]) != is_wanted:
        raise AssertionError(f"the device does {'not ' if is_wanted else ''}record")


def _require_words(page, words):
    page.wait_for(f"document.querySelector('#record-now-state').textContent === {json.dumps(words)}", f"the page says {words!r}")


def _require_one_recording(world):
    """Another operator who asks as well gets the recording that runs."""
    client = HubClient(world.url)
    client.login(*SECOND_OPERATOR)
    state = client.request("PUT", f"/v1/users/{client.find(DEVICE)}/recording", {"isRecording": True})
    recordings = world.status()["recordings"]
    if not state["isRecording"] or not 0 < state["secondsLeft"] <= 300 or len(recordings) != 1:
        raise AssertionError(f"the device tells {state} and records {recordings}")


def _require_listing(page):
    """What was recorded by hand is an archive like others."""
    created = page.evaluate(f"document.querySelector('{SPAN}').dataset.archiveId")
    page.wait_for(f"document.querySelector('#archive-list [data-archive-id={json.dumps(created)}]')", "it is among the archives")


def _forbid_recording(world, operator):
    """Once the policy permits nobody, the page shows the device's own words, and no button the next time."""
    operator.page.click("#device .back")
    operator.choose(DEVICE, "events")
    operator.page.wait_for("!document.querySelector('#record-now').hidden", "the button is there")
    (world.folder / "policy.toml").write_text(POLICY)
    world.command("reload")
    operator.page.click("#record-now")
    _require_words(operator.page, REFUSED)
    if world.status()["recordings"]:
        raise AssertionError("the device records all the same")
    operator.page.click("#device .back")
    operator.choose(DEVICE, "events")
    operator.page.wait_for(f"document.querySelector('{ROW}')", "the events are shown again")
    if not operator.page.evaluate("document.querySelector('#record-now').hidden"):
        raise AssertionError("there is a button for what the device refuses")
    if operator.page.evaluate("'isHacked' in document.body.dataset || document.querySelector('#device-events img[src=\"x\"]') !== null"):
        raise AssertionError("a name became HTML")


def _first(world, since):
    """The first event since a moment, once its picture is kept."""
    events = [json.loads(line) for line in world.command("events", "--json").splitlines()]
    return next((event for event in events if event["start"] >= since and event.get("picture")), None)


def _look(page, event):
    """The event is on the strip, where the arrow keys reach it, and on the list."""
    page.click("#device-events-again")
    page.wait_for(f"document.querySelector('{ROW}') && document.querySelector('{MARK}') && document.querySelector('{SPAN}')",
                  "event and recording are shown")
    if page.text(f"{ROW}[data-event-id='{event['id']}'] .title") != f"Motion at {SOURCE}":
        raise AssertionError(f"the event is called {page.text(ROW)!r}")
    page.wait_for(f"document.querySelector('{ROW} img').naturalWidth === {yard.WIDTH}", "its picture shows")
    page.evaluate("document.querySelector('#timeline [tabindex=\"0\"]').focus()")
    for kind in ("keyDown", "keyUp"):
        page.command("Input.dispatchKeyEvent", type=kind, key="Home", code="Home", windowsVirtualKeyCode=36)
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    first = page.evaluate("document.querySelector('#timeline button').getAttribute('aria-label')")
    if label != first or not label.startswith(("Recording, ", f"Motion at {SOURCE}, ")):
        raise AssertionError(f"the Home key leads to {label!r}, the first thing of the day is {first!r}")


def _recording_start(world):
    """When the newest recording begins, as the hub tells operators."""
    client = HubClient(world.url)
    client.login(*OPERATOR)
    now = int(time.time() * 1000)
    path = f"/v1/users/{client.find(DEVICE)}/recordings?from={now - 3_600_000}&before={now + 60_000}"
    return client.request("GET", path)["items"][0]["start"]


def _play(page, event, start):
    """A click on the mark plays the recording that begins at `start`; returns from which second on."""
    begin = page.evaluate(f"""new Promise((resolve) => {{
      addEventListener("seeked", ({{ target }}) => resolve(target.currentTime), {{ capture: true, once: true }});
      document.querySelector("{MARK}[data-event-id='{event["id"]}']").click();
      setTimeout(() => resolve(null), 10_000);
    }})""")
    if begin is None:
        raise AssertionError(f"the recording does not play: {page.text('#archives-state')}")
    page.wait_for(f"{VIDEO}.currentTime > {begin} && !{VIDEO}.error", "the recording plays")
    archive = page.evaluate("document.querySelector('#archive-player').dataset.archiveId")
    created = page.evaluate(f"document.querySelector('{SPAN}').dataset.archiveId")
    # A file begins with its first frame, which comes a little after the archive's beginning.
    if archive != created or abs(begin - (event["start"] - start) / 1000) > 0.5:
        raise AssertionError(f"archive {archive} plays from {begin} s on; the day has {created} from {start}, {event}")
    return begin


def _require_refusals(world):
    """Who is no operator gets neither lists nor a picture, and nothing recorded."""
    client = HubClient(world.url)
    client.login(*STRANGER)
    device = client.find(DEVICE)
    requests = [
        ("GET", "events?from=0&before=1", None), ("GET", "recordings?from=0&before=1", None),
        ("GET", "events/20261124T195512Z-9f3c01ab/picture", None), ("PUT", "recording", {"isRecording": False}),
    ]
    for method, path, body in requests:
        try:
            client.request(method, f"/v1/users/{device}/{path}", body)
        except Refused as refusal:
            if refusal.status != 403:
                raise
        else:
            raise AssertionError(f"{STRANGER[0]} got {path}")

"""A call outlives the tokens of both parties, and a device whose key was replaced says why it is offline."""
import json
import time

from interop import conversation
from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

#: The shortest life that a token can have, and long enough for two of them.
LIFETIME, SECONDS = 60, 130
NEW_TITLE = "Garden gate"

#: Keeps each state of the hub that the page shows.
WATCH_HUB = """(() => {
  const state = document.querySelector("#hub-state");
  window.hubStates = [];
  new MutationObserver(() => window.hubStates.push(state.dataset.state)).observe(state, { attributes: true });
})()"""


def run(context):
    world = World(context)
    with (context.scratch / "hub.toml").open("a") as configuration:
        configuration.write(f'access_token_lifetime = "{LIFETIME}s"\n')
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with world, Browser(**devices) as browser:
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        _talk(world, person)
        _rename(world, person)
        person.require_no_complaints()
        words = _replace_the_key(world)
    return f"{SECONDS} s with tokens of {LIFETIME} s; offline: {words}"


def _talk(world, person):
    first = _token(person)
    person.choose(DEVICE, "video")
    conversation.wait_until_it_runs(person)
    person.page.evaluate(WATCH_HUB)
    time.sleep(SECONDS)
    if person.state != "connected":
        raise AssertionError(f"after {SECONDS} s the call is {person.state}: {person.words}")
    states = person.page.evaluate("window.hubStates")
    if "lost" in states or "off" in states:
        raise AssertionError(f"the page lost the hub: {states}")
    if _token(person) == first:
        raise AssertionError("the page has its first token still")
    person.say("Still there?")
    world.command("chat", person.session, "Still here")
    person.wait_for_chat("Still here")
    complaints = [line for line in world.device_log().splitlines() if "hub" in line and "connected to the hub" not in line]
    if complaints:
        raise AssertionError(f"the device complains of the hub: {complaints}")
    conversation.hang_up_from_the_device(world, person)


def _rename(world, person):
    world.change_accounts("rename", "--title", DEVICE, "--to", NEW_TITLE)
    shown = f"document.querySelector('.user[data-title=\"{NEW_TITLE}\"]')"
    person.page.wait_for(shown, "the device appears under its new title", limit=60)


def _replace_the_key(world):
    world.change_accounts("enrol-device", "--replace", "--title", NEW_TITLE)
    wait_until(lambda: not world.status()["isOnline"], "the device is offline", limit=20)
    outage = lambda: world.status().get("outage", "")
    wait_until(lambda: "enrolment key" in outage(), "the device says why", limit=20)
    return json.dumps(outage())


def _token(person):
    return person.page.evaluate("JSON.parse(sessionStorage.getItem('livesessions.login')).accessToken")

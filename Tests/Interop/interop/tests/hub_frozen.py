"""The hub hangs without closing a connection: the page says so in time, and finds it again when it goes on."""
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

#: The page waits so long for an answer, and three of the hub's comments for a sign of life; more is the machine's.
ANSWER, SILENCE, SLACK = 15, 24, 10
#: The longest pause between two tries, with its share of chance.
PAUSE = 19


def run(context):
    with World(context) as world, Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        browser.page.wait_for(f"document.querySelector('.user[data-title=\"{DEVICE}\"]')", f"{DEVICE} is on the list")
        begin = time.monotonic()
        with world.frozen_hub():
            refused = _call_in_vain(person, begin)
            _wait_for_hub_state(person, "lost", begin + SILENCE + SLACK - time.monotonic())
            lost = time.monotonic() - begin
        _wait_for_hub_state(person, "online", PAUSE + SLACK)
        person.page.click("#call-close")
        person.choose(DEVICE, "video")
        person.wait_for_state("connected")
        person.require_no_complaints()
    return f"a call refused after {refused:.0f} s, the hub called lost after {lost:.0f} s"


def _call_in_vain(person, begin):
    person.choose(DEVICE, "video")
    person.wait_for_state("ended", ANSWER + SLACK)
    if "did not answer in time" not in person.words:
        raise AssertionError(f"a call that the hub does not answer ends with {person.words!r}")
    return time.monotonic() - begin


def _wait_for_hub_state(person, state, limit):
    person.page.wait_for(
        f"document.querySelector('#hub-state').dataset.state === '{state}'", f"the hub is {state}", limit)

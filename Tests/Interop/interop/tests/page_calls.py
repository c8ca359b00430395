"""The list of calls that are over: missed, answered and declined ones, the badge in a second tab, and a call that a reload ends."""
import concurrent.futures
import time

from interop import viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

PERSON = OPERATOR[0]
OUTCOMES = "[...document.querySelectorAll('#call-history .outcome')].map((one) => one.textContent)"


def run(context):
    world = World(context)
    with (context.scratch / "policy.toml").open("a") as policy:
        policy.write("\n[outgoing]\nrecord = true\n")
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with (world, Browser(**devices) as browser, concurrent.futures.ThreadPoolExecutor() as bell):
        first = CallPage(browser.page, world.url, *OPERATOR)
        first.log_in_and_wait()
        second = CallPage(browser.open_tab(), world.url, *OPERATOR)
        second.log_in_and_wait()
        first.page.command("Page.bringToFront")
        world.wait_for_user(PERSON)
        ring = lambda *options: bell.submit(world.try_command, "call", PERSON, "--wait", *options)
        _miss(first, second, ring)
        _see(first, second)
        _decline(first, ring)
        _answer(first, ring)
        outcomes = _require_list(context, first)
        _require_recording(first)
        _require_command(world)
        _reload(first)
        for tab in (first, second):
            tab.require_no_complaints()
    return "; ".join(outcomes)


def _miss(first, second, ring):
    ring("--ring-for", "2").result(timeout=30)
    for tab in (first, second):
        _wait_for_badge(tab, "1")


def _see(first, second):
    """Who looks at the list in one tab has seen it in the other."""
    first.page.click("#calls-open")
    first.page.wait_for(f"{OUTCOMES}.length === 1", "the missed call is on the list")
    for tab in (first, second):
        _wait_for_badge(tab, "")
    first.page.click("#call-history-close")
    first.page.wait_for("document.querySelector('#call-history').hidden", "the list is closed")


def _wait_for_badge(tab, text):
    tab.page.wait_for(f"document.querySelector('#calls-badge').textContent === '{text}'", f"the badge says {text!r}")


def _decline(person, ring):
    call = ring()
    person.page.wait_for("document.querySelector('#incoming').open", "the page rings")
    person.page.click("#decline")
    call.result(timeout=30)


def _answer(person, ring):
    call = ring()
    person.page.wait_for("document.querySelector('#incoming').open", "the page rings")
    person.page.click("#answer")
    person.wait_for_state("connected")
    call.result(timeout=30)
    person.page.wait_for("!document.querySelector('#recording').hidden", "the call is recorded")
    time.sleep(3)
    person.page.click("#hang-up")
    person.wait_for_state("ended")
    if not person.words.startswith("Call ended · 0:"):
        raise AssertionError(f"after the call the page says {person.words!r}")
    person.page.wait_for("document.querySelector('#call-recording').getClientRects().length > 0",
                         "the call's end leads to its recording")


def _require_list(context, person):
    page = person.page
    page.click("#calls-open")
    page.wait_for(f"{OUTCOMES}.length === 3", "three calls are on the list")
    outcomes = page.evaluate(OUTCOMES)
    answered, declined, missed = outcomes
    if not answered.startswith("Answered · 0:") or declined != "Declined · Video" or missed != "Missed · Video":
        raise AssertionError(f"the list says {outcomes}")
    for size in viewport.SIZES:
        viewport.resize(page, size)
        viewport.require_touch_targets(page)
        viewport.require_no_sideways_scrolling(page)
        if context.artifacts:
            page.screenshot(context.artifacts / f"calls-{size[0]}x{size[1]}.png")
    viewport.restore(page)
    _wait_for_badge(person, "")
    return outcomes


def _require_recording(person):
    page = person.page
    page.wait_for("document.querySelector('#call-history a:not([hidden])')", "the answered call has a recording")
    page.wait_for("[...document.querySelectorAll('#call-history .thumbnail')].filter(({ naturalWidth }) => naturalWidth > 0)"
                  ".length === 1", "it has the recording's image")
    page.evaluate("document.querySelector('#call-history a:not([hidden])').click()")
    page.wait_for("document.querySelector('#archives').getClientRects().length > 0", "the recording opens")
    page.evaluate("location.hash = '#/'")


def _require_command(world):
    lines = world.hub_command("calls", "--user", PERSON).splitlines()
    missed = world.hub_command("calls", "--user", PERSON, "--missed", "--since", "today").splitlines()
    if len(lines) != 3 or len(missed) != 1 or DEVICE not in missed[0]:
        raise AssertionError(f"livesessions-hub calls prints {lines} and {missed}")


def _reload(person):
    """A reload is asked about and ends the call; the page says so, and places the call again."""
    page = person.page
    page.evaluate("document.querySelector('#call-close').click()")
    person.choose(DEVICE, "video")
    person.wait_for_state("connected")
    page.command("Page.reload")
    page.wait_for("performance.getEntriesByType('navigation')[0].type === 'reload'", "the page is loaded again")
    if page.questions != ["beforeunload"]:
        raise AssertionError(f"before the reload the browser asks {page.questions}")
    page.wait_for("document.querySelector('#interrupted')?.getClientRects().length > 0", "the page says what has ended")
    words = page.text("#interrupted-words")
    if words != f"The call with {DEVICE} ended because the page was reloaded.":
        raise AssertionError(f"after the reload the page says {words!r}")
    person.wait_until_online()
    page.click("#interrupted-again")
    person.wait_for_state("connected")
    page.click("#hang-up")

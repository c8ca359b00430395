"""A call comes in during another: the busy tab leaves it to the free one, or has it wait; it never says busy by itself."""
import contextlib

from interop import conversation, viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, STRANGER, World

WORDS = f"{STRANGER[0]} is calling you as well."


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with contextlib.ExitStack() as stack:
        world = stack.enter_context(World(context))
        browser = stack.enter_context(Browser(**devices))
        busy = CallPage(browser.page, world.url, *OPERATOR)
        sam = CallPage(stack.enter_context(Browser(**devices)).page, world.url, *STRANGER)
        for person in (busy, sam):
            person.log_in_and_wait()
        busy.choose(DEVICE, "video")
        conversation.wait_until_it_runs(busy)
        _answer_in_another_tab(world, browser, busy, sam)
        _look(context, busy, sam)
        _decline(busy, sam)
        _ring_afterwards(busy, sam)
        for person in (busy, sam):
            person.require_no_complaints()


def _answer_in_another_tab(world, browser, busy, sam):
    free = CallPage(browser.open_tab(), world.url, *OPERATOR)
    free.log_in_and_wait()
    _call(busy, sam)
    free.page.wait_for("document.querySelector('#incoming').matches(':modal')", "the free tab rings")
    sam.wait_for_state("ringing")
    free.page.click("#answer")
    for person in (free, sam):
        person.wait_for_state("connected")
    _require_no_waiting(busy)
    notice = busy.page.text("#notice")
    if notice != f"The call from {STRANGER[0]} was answered elsewhere.":
        raise AssertionError(f"the busy tab says {notice!r}")
    _require_call(busy)
    free.page.click("#hang-up")
    sam.wait_for_state("ended")
    free.require_no_complaints()
    free.page.open("about:blank")
    busy.page.command("Page.bringToFront")


def _look(context, busy, sam):
    """The notice leaves each window its picture and its buttons."""
    _call(busy, sam)
    for size in viewport.SIZES:
        viewport.resize(busy.page, size)
        for part in ("#waiting-words", "#waiting-decline", "#hang-up", "#mute-microphone", "#call-state"):
            viewport.require_in_view(busy.page, part)
        viewport.require_touch_targets(busy.page)
        viewport.require_no_sideways_scrolling(busy.page)
        if context.artifacts:
            busy.page.screenshot(context.artifacts / f"waiting-{size[0]}x{size[1]}.png")
    viewport.restore(busy.page)
    sam.page.click("#hang-up")
    _require_no_waiting(busy)


def _decline(busy, sam):
    _call(busy, sam)
    busy.page.click("#waiting-decline")
    sam.wait_for_state("ended")
    if sam.words != f"{OPERATOR[0]} is busy. Try again in a moment.":
        raise AssertionError(f"a call that is declined during another is told as {sam.words!r}")
    _require_no_waiting(busy)
    _require_call(busy)


def _ring_afterwards(busy, sam):
    """What waits when the call ends rings, and the hub has kept it although its person was in another."""
    _call(busy, sam)
    busy.page.click("#hang-up")
    busy.page.wait_for("document.querySelector('#incoming').matches(':modal')", "the call that waited rings")
    _require_no_waiting(busy)
    busy.page.click("#answer")
    for person in (busy, sam):
        person.wait_for_state("connected")
    sam.page.click("#hang-up")
    busy.wait_for_state("ended")


def _call(busy, sam):
    sam.choose(OPERATOR[0], "audio")
    busy.page.wait_for("document.querySelector('#waiting').checkVisibility()", "the busy tab tells of the call")
    words = busy.page.text("#waiting-words")
    if words != WORDS:
        raise AssertionError(f"a call that waits is announced as {words!r}")


def _require_no_waiting(busy):
    busy.page.wait_for("!document.querySelector('#waiting').checkVisibility()", "nobody waits any more")


def _require_call(busy):
    if busy.state != "connected":
        raise AssertionError(f"the call that was on is {busy.state}: {busy.words}")

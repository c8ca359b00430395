"""A call that comes in cannot be missed: a dialog with the focus, the tab's title, a notification; all gone once answered or declined."""
import concurrent.futures
import time

from interop import viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

WORDS = f"{DEVICE} is calling you."
TITLE = "LiveSessions"

#: Keeps the notifications that show, in a window in which nobody is.
NOTIFICATIONS = """
window.shown = [];
window.asked = 0;
window.Notification = class extends EventTarget {
  static permission = "default";
  static async requestPermission() {
    window.asked += navigator.userActivation.isActive ? 1 : 1000;
    return this.permission = "granted";
  }
  constructor(title, options) { super(); window.shown.push(Object.assign(this, { title, ...options })); }
  close() { window.shown = window.shown.filter((one) => one !== this); }
};
document.hasFocus = () => false;
"""


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with (World(context) as world, Browser(**devices) as browser, concurrent.futures.ThreadPoolExecutor() as bell):
        browser.page.run_before(NOTIFICATIONS)
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        world.wait_for_user(OPERATOR[0])
        ring = lambda: bell.submit(world.try_command, "call", OPERATOR[0], "--wait")
        _escape(context, person, ring)
        _switch_notifications_on(person)
        _decline_with_keys(person, ring)
        _answer_with_keys(person, ring)
        person.require_no_complaints()


def _escape(context, person, ring):
    """The dialog fits into every window, and Escape rejects nobody."""
    page = person.page
    call = ring()
    _hear_it_ring(person)
    for size in viewport.SIZES:
        viewport.resize(page, size)
        for part in ("#incoming", "#answer", "#decline"):
            viewport.require_in_view(page, part)
        viewport.require_touch_targets(page)
        viewport.require_no_sideways_scrolling(page)
        if context.artifacts:
            page.screenshot(context.artifacts / f"incoming-{size[0]}x{size[1]}.png")
    viewport.restore(page)
    for _ in range(3):
        _press(page, "Escape")
    time.sleep(0.5)
    if call.done() or page.text("#incoming-words") != WORDS:
        raise AssertionError("Escape ended the ringing")
    _require_focus(page, "answer")
    page.click("#decline")
    call.result(timeout=30)
    _require_silence(page)


def _switch_notifications_on(person):
    page = person.page
    if page.evaluate("window.shown.length") or page.evaluate("window.asked"):
        raise AssertionError("a notification without anybody's wish")
    page.click("#notify-calls")
    page.wait_for("document.querySelector('#notify-calls').ariaChecked === 'true'", "notifications are on")
    if page.evaluate("window.asked") != 1:
        raise AssertionError("the permission was not asked for upon a click")


def _decline_with_keys(person, ring):
    page = person.page
    call = ring()
    _hear_it_ring(person)
    shown = page.evaluate("window.shown.map((one) => one.title)")
    if shown != [WORDS]:
        raise AssertionError(f"the notifications are {shown}")
    for _ in range(2):
        _press(page, "Tab")
    _require_focus(page, "decline")
    _press(page, "Enter")
    call.result(timeout=30)
    _require_silence(page)


def _answer_with_keys(person, ring):
    call = ring()
    _hear_it_ring(person)
    _press(person.page, "Enter")
    person.wait_for_state("connected")
    call.result(timeout=30)
    _require_silence(person.page)
    person.page.click("#hang-up")


def _hear_it_ring(person):
    page = person.page
    page.wait_for("document.querySelector('#incoming').matches(':modal')", "the page rings")
    _require_focus(page, "answer")
    if page.text("#incoming-words") != WORDS:
        raise AssertionError(f"a call is announced as {page.text('#incoming-words')!r}")
    for title in (WORDS, TITLE, WORDS):
        page.wait_for(f"document.title === '{title}'", f"the tab's title is {title!r} (it is {page.evaluate('document.title')!r})")


def _require_silence(page):
    page.wait_for("!document.querySelector('#incoming').open", "the dialog closes")
    left = page.evaluate("[window.shown.length, document.title]")
    time.sleep(1.5)
    if left != [0, TITLE] or page.evaluate("document.title") != TITLE:
        raise AssertionError(f"after the ring there are notifications and the title: {left}")


def _require_focus(page, name):
    focused = page.evaluate("document.activeElement.id")
    if focused != name:
        raise AssertionError(f"the focus is on {focused!r}, not on {name!r}")


def _press(page, key):
    codes = {"Enter": 13, "Escape": 27, "Tab": 9}
    for kind in ("keyDown", "keyUp"):
        text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
        page.command("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=codes[key], **text)

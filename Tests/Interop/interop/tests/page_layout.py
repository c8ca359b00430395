"""The page in windows of six sizes: the picture has the window, its controls and the outcome are in view, also in full screen."""
import contextlib
import time

from interop import viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, STRANGER, World

#: The part of the window that the picture's frame has at least, by size.
SHARES = {(1920, 1080): 0.55, (1280, 800): 0.5, (1024, 768): 0.45, (390, 844): 0.6, (844, 390): 0.6, (320, 568): 0.45}
#: The same with the list or the chat beside it.
BESIDE = 0.2
#: After so many seconds without a movement the controls are gone in full screen.
QUIET = 3
#: So far down that the row of somebody to call is in no window at first.
LOW = 2000

LOST = """(() => {
  const state = document.querySelector("#hub-state");
  state.dataset.state = "lost";
  state.textContent = "The hub cannot be reached. Trying again …";
})()"""
ONLINE = """(() => {
  const state = document.querySelector("#hub-state");
  state.dataset.state = "online";
  state.textContent = "Online";
})()"""
OPACITY = "Number(getComputedStyle(document.querySelector('.controls')).opacity)"


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world:
        with Browser(**devices) as browser:
            person = CallPage(browser.page, world.url, *OPERATOR)
            person.log_in_and_wait()
            _look_around(context, person)
            shares = _talk(context, person)
            _fill_the_screen(context, person)
            _fold(person)
            person.require_no_complaints()
        with Browser(**devices) as browser:
            _be_rejected(context, CallPage(browser.page, world.url, *STRANGER))
    return "the picture's share: " + ", ".join(f"{w}×{h} {share:.0%}" for (w, h), share in shares.items())


def _look_around(context, person):
    """The list, with the hub and without."""
    person.page.wait_for(f"document.querySelector('.user[data-title=\"{DEVICE}\"]')", f"{DEVICE} is on the list")
    for size in viewport.SIZES:
        with _window(context, person, size, "list"):
            viewport.require_touch_targets(person.page)
            person.page.evaluate(LOST)
            viewport.require_no_sideways_scrolling(person.page)
            viewport.require_in_view(person.page, "#hub-state")
            person.page.evaluate(ONLINE)


def _talk(context, person):
    """A call with all its controls; returns the picture's share of each window."""
    person.choose(DEVICE, "video")
    person.wait_for_state("connected")
    person.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    _tell_quality(page=person.page)
    shares = {size: _measure(context, person, size) for size in viewport.SIZES}
    small = {size: share for size, share in shares.items() if share < SHARES[size]}
    if small:
        raise AssertionError(f"the picture is too small: {small}")
    return shares


def _tell_quality(page):
    """What the panel tells of a real call; the key shows and hides it."""
    if page.text("#quality") is not None:
        raise AssertionError("the panel of the call's quality is open at first")
    for kind in ("keyDown", "keyUp"):
        page.command("Input.dispatchKeyEvent", type=kind, key="q", code="KeyQ", text="q")
    page.wait_for("document.querySelectorAll('#quality-rows tr').length === 9", "the panel has its rows")
    patterns = {"Path": "direct, UDP", "Round trip": r"\\d+ ms", "Video": r"640×480, VP8 \\d+×\\d+, VP8",
                "Video bit rate": r"\\S+ [kM]bit/s \\S+ [kM]bit/s", "Audio": "Opus Opus",
                "Lost packets": r"[\\d.]+% [\\d.]+%", "Jitter": r"\\d+ ms \\d+ ms"}
    for name, pattern in patterns.items():
        page.wait_for(
            "[...document.querySelectorAll('#quality-rows tr')].some(({ cells }) =>"
            f" cells[0].textContent === '{name}' && new RegExp('^{pattern}$')"
            ".test([...cells].slice(1).map((cell) => cell.textContent).join(' ').trim()))",
            f"the panel's row {name!r}")
    page.click("#quality-toggle")
    if page.text("#quality") is not None:
        raise AssertionError("the button does not hide the panel")


def _measure(context, person, size):
    page = person.page
    with _window(context, person, size, "call"):
        viewport.require_touch_targets(page)
        for button in ("#mute-microphone", "#record", "#chat-toggle", "#full-screen", "#hang-up", "#call-state"):
            viewport.require_in_view(page, button)
        page.evaluate(LOST)
        viewport.require_no_sideways_scrolling(page)
        viewport.require_in_view(page, "#hang-up")
        page.evaluate(ONLINE)
        share = viewport.share(page, "#screen")
        _require_alone_in_red(page)
        _open_each(context, person, size)
    return share


def _require_alone_in_red(page):
    """No other button has the colour of hanging up, also while it records."""
    page.wait_for("!document.querySelector('#recording').hidden", "the page says that it is recorded")
    alike = page.evaluate(
        "(() => { const colour = (e) => getComputedStyle(e).backgroundColor;"
        " const red = colour(document.querySelector('#hang-up'));"
        " return [...document.querySelectorAll('.tools button')].filter((e) => colour(e) === red).map((e) => e.id); })()")
    if alike:
        raise AssertionError(f"as red as hanging up: {alike}")


def _open_each(context, person, size):
    """With the list or the chat beside it, whatever the size, there is a picture and one can hang up."""
    for toggle, parts in (("list-toggle", ["#nearby-heading"]), ("chat-toggle", ["#chat-text", "#chat-send"]),
                          ("quality-toggle", ["#quality-heading"])):
        was_folded = _is_folded(person, toggle)
        if was_folded:
            person.page.click(f"#{toggle}")
        viewport.require_no_sideways_scrolling(person.page)
        for part in (*parts, "#hang-up"):
            viewport.require_in_view(person.page, part)
        if viewport.share(person.page, "#screen") < BESIDE:
            raise AssertionError(f"{toggle} leaves the picture {viewport.share(person.page, '#screen'):.0%}")
        _keep_picture(context, person, size, toggle)
        if was_folded:
            person.page.click(f"#{toggle}")


def _is_folded(person, toggle):
    return person.page.evaluate(f"document.getElementById('{toggle}').ariaExpanded === 'false'")


def _fill_the_screen(context, person):
    page = person.page
    page.click("#full-screen")
    page.wait_for("document.fullscreenElement", "the picture fills the screen")
    viewport.require_in_view(page, "#mute-microphone")
    _keep_picture(context, person, (0, 0), "full-screen")
    page.wait_for(f"{OPACITY} === 0", "the controls go", limit=QUIET + 5)
    for place in (200, 210):
        page.command("Input.dispatchMouseEvent", type="mouseMoved", x=place, y=200)
    page.wait_for(f"{OPACITY} === 1", "a movement brings the controls back", limit=2)
    page.wait_for(f"{OPACITY} === 0", "the controls go again", limit=QUIET + 5)
    page.evaluate("document.querySelector('#mute-camera').focus()")
    page.wait_for(f"{OPACITY} === 1", "the focus brings the controls back", limit=2)
    page.click("#hang-up")
    person.wait_for_state("ended")
    page.wait_for("!document.fullscreenElement", "the call's end leaves full screen")
    viewport.require_in_view(page, "#call-state")


def _fold(person):
    """What was folded away stays so."""
    page = person.page
    page.click("#list-toggle")
    page.open(page.evaluate("location.href"))
    page.wait_for("document.body.dataset.view === 'home'", "the person is still logged in")
    if page.text("#nearby-heading") is not None:
        raise AssertionError("the list that was folded away is back after a reload")
    page.click("#list-toggle")
    viewport.require_in_view(page, "#nearby-heading")


def _be_rejected(context, person):
    """Whoever calls from a row far down sees what came of it."""
    person.log_in_and_wait()
    person.page.evaluate(f"document.querySelector('#nearby').style.paddingTop = '{LOW}px'")
    for size in viewport.SIZES:
        with _window(context, person, size, "rejected"):
            person.choose(DEVICE, "video")
            person.wait_for_state("ended")
            time.sleep(0.3)
            if f"{DEVICE} does not accept calls" not in person.words:
                raise AssertionError(f"the page says {person.words!r}")
            viewport.require_in_view(person.page, "#call-state")
            viewport.require_no_sideways_scrolling(person.page)
        person.page.click("#call-close")


@contextlib.contextmanager
def _window(context, person, size, name):
    viewport.resize(person.page, size)
    try:
        viewport.require_no_sideways_scrolling(person.page)
        yield
        _keep_picture(context, person, size, name)
    except AssertionError as error:
        _keep_picture(context, person, size, f"{name}-failed")
        raise AssertionError(f"{size[0]} by {size[1]}, {name}: {error}") from error
    finally:
        viewport.restore(person.page)


def _keep_picture(context, person, size, name):
    if context.artifacts:
        person.page.screenshot(context.artifacts / f"layout-{name}-{size[0]}x{size[1]}.png")

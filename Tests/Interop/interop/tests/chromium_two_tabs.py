"""A second tab or browser of the same person: its login, its end and its log-out leave the first one's call alone."""
import time

from interop import conversation
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

#: Longer than it takes the hub to forget a call that nobody claims to hold.
SECONDS = 12


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        caller.choose(DEVICE, "video")
        conversation.wait_until_it_runs(caller)
        for leave in (_log_out, _close):
            second = CallPage(browser.open_tab(), world.url, *OPERATOR)
            second.log_in_and_wait()
            _require_call(caller, world, "logged in")
            leave(second)
            _require_call(caller, world, leave.__name__.strip("_"))
            second.require_no_complaints()
        with Browser(**devices) as other:
            # Of this one the first cannot know: the hub tells them apart by their event streams.
            second = CallPage(other.page, world.url, *OPERATOR)
            second.log_in_and_wait()
            _log_out(second)
            _require_call(caller, world, "logged out in another browser")
        caller.page.command("Page.bringToFront")
        _use_keys(caller)
        caller.require_no_complaints()


def _log_out(second):
    second.page.click("#log-out")
    second.page.wait_for("document.body.dataset.view === 'login'", "the second tab is logged out")


def _close(second):
    second.page.open("about:blank")


def _require_call(caller, world, what):
    time.sleep(SECONDS)
    if caller.state != "connected":
        raise AssertionError(f"after the second tab has {what} the call is {caller.state}: {caller.words}")


def _use_keys(caller):
    """Mutes and hangs up without the mouse; afterwards the keyboard is where one may call again."""
    _press(caller.page, "m")
    caller.page.wait_for("document.querySelector('#mute-microphone').ariaPressed === 'true'", "M mutes")
    caller.page.type_into("#chat-text", "mh")
    _press(caller.page, "h")
    if caller.state != "connected":
        raise AssertionError("a key hangs up while somebody types")
    caller.page.evaluate("document.activeElement.blur()")
    _press(caller.page, "h")
    caller.wait_for_state("ended")
    caller.page.wait_for("document.activeElement.id === 'call-again'", "the focus is on the offer to call again")
    caller.page.click("#call-again")
    conversation.wait_until_it_runs(caller)
    caller.page.click("#hang-up")


def _press(page, key):
    for kind in ("keyDown", "keyUp"):
        page.command("Input.dispatchKeyEvent", type=kind, key=key, text=key if kind == "keyDown" else "")

"""Actions of the device from the page: a click runs a program at once; one needs a PIN, which wrong ones lock."""
import statistics
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

PIN = "4711"
CLICKS = 10
#: Milliseconds from the click to the program's start: what is wanted of a quiet machine, and what a busy one may take.
GOAL, LIMIT = 100, 500

RULES = """
[[action_rule]]
name = "light"
action = ["light"]
caller = ["role:operator"]
in_call = true

[[action_rule]]
name = "door"
action = ["open-door"]
caller = ["role:operator"]
in_call = true
pin = "{pin}"
"""

#: When the person last clicked, by the clock that `date` tells.
NOTE_CLICKS = """document.addEventListener("click", () => { window.clickedAt = Date.now(); }, { capture: true })"""


def run(context):
    pin = context.scratch / "door.pin"
    pin.touch(mode=0o600)
    pin.write_text(PIN + "\n")
    runs = {name: context.scratch / f"{name}.runs" for name in ("light", "open-door")}
    actions = [{"name": name, "run": ["/bin/sh", "-c", f"date +%s%N >>{path}"]} for name, path in runs.items()]
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    world = World(context, actions=actions, rules=RULES.format(pin=pin))
    with world, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        caller.choose(DEVICE, "video")
        caller.wait_for_state("connected")
        caller.page.wait_for("document.querySelectorAll('#device-actions button').length === 2", "there are two buttons")
        delays = _switch_light(context, caller, runs["light"])
        _open_door(caller, runs["open-door"])
        _hang_up(caller)
        _require_nothing_secret(world)
        caller.require_no_complaints()
    worst = max(delays)
    if worst > LIMIT:
        raise AssertionError(f"a program began {worst:.0f} ms after the click")
    verdict = "" if worst <= GOAL else f", of which {sum(delay > GOAL for delay in delays)} above {GOAL} ms"
    return f"the program begins {statistics.median(delays):.0f} ms after the click ({worst:.0f} at worst){verdict}"


def _switch_light(context, caller, runs):
    """Clicks again and again; returns how long the program's start took each time, in milliseconds."""
    page = caller.page
    label = page.text('[data-device-action="light"]')
    if label != "Light":
        raise AssertionError(f"the button says {label!r}")
    page.evaluate(f"void {NOTE_CLICKS}")
    delays = []
    for count in range(1, CLICKS + 1):
        page.click('[data-device-action="light"]')
        wait_until(lambda: len(_moments(runs)) == count, "the program has run")
        _require_notice(caller, "Light: done.")
        delays.append(_moments(runs)[-1] / 1e6 - page.evaluate("window.clickedAt"))
    if context.artifacts:
        page.screenshot(context.artifacts / "actions.png")
    return delays


def _open_door(caller, runs):
    """The right PIN opens; the third wrong one in a row locks, also for the right one."""
    _ask(caller)
    _enter(caller, PIN)
    _require_notice(caller, "Open door: done.")
    caller.page.wait_for("!document.querySelector('#pin-dialog').open", "the question is gone")
    wait_until(lambda: len(_moments(runs)) == 1, "the door's program has run")
    _ask(caller)
    for _ in range(3):
        _enter(caller, "0000")
        _require_message(caller, "Open door: the PIN is wrong.")
    _enter(caller, PIN)
    _require_message(caller, "Open door: there were too many wrong PINs. Try again in 0:")
    caller.page.click("#pin-cancel")
    _cancel(caller)
    time.sleep(0.5)
    if len(_moments(runs)) != 1:
        raise AssertionError("the door's program ran without the right PIN")


def _enter(caller, pin):
    page = caller.page
    page.wait_for("!document.querySelector('#pin').disabled", "a PIN can be typed")
    page.type_into("#pin", pin)
    page.click("#pin-ok")
    page.wait_for("!document.querySelector('#pin').value", "the PIN is not kept")


def _require_message(caller, words):
    """The question stays, and says why."""
    wait_until(lambda: (caller.page.text("#pin-message") or "").startswith(words),
               f"the question says {words!r} (it says {caller.page.text('#pin-message')!r})")
    caller.page.evaluate("document.querySelector('#pin-message').textContent = ''")


def _cancel(caller):
    """Escape and the button end the question; nothing is asked of the device."""
    _ask(caller)
    for kind in ("keyDown", "keyUp"):
        caller.page.command("Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape", windowsVirtualKeyCode=27)
    caller.page.wait_for("!document.querySelector('#pin-dialog').open", "Escape ends the question")
    _ask(caller)
    caller.page.click("#pin-cancel")
    caller.page.wait_for("!document.querySelector('#pin-dialog').open", "the question is gone")


def _ask(caller):
    caller.page.evaluate("document.querySelector('#notice').textContent = ''")
    caller.page.click('[data-device-action="open-door"]')
    caller.page.wait_for("document.querySelector('#pin-dialog').open", "the PIN is asked for")
    if caller.page.text("#pin-words") != "PIN for “Open door”":
        raise AssertionError(f"the question is {caller.page.text('#pin-words')!r}")
    if caller.page.evaluate("document.activeElement.id") != "pin":
        raise AssertionError("the question has not the focus")


def _hang_up(caller):
    caller.page.click("#hang-up")
    caller.wait_for_state("ended")
    if caller.page.text("#device-actions") is not None:
        raise AssertionError("the device's actions show after the call")


def _require_nothing_secret(world):
    if PIN in world.device_log():
        raise AssertionError("the PIN is in the log")
    if "light" not in world.device_log():
        raise AssertionError("the log does not tell of the action")


def _require_notice(caller, words):
    wait_until(lambda: (caller.page.text("#notice") or "").startswith(words),
               f"the page says {words!r} (it says {caller.page.text('#notice')!r})")
    # The next one is told from this by that it is new.
    caller.page.evaluate("document.querySelector('#notice').textContent = ''")


def _moments(runs):
    """When the program ran, in nanoseconds since 1970."""
    return [int(line) for line in runs.read_text().splitlines()] if runs.exists() else []

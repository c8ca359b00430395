"""Who is called sees the device before answering, opens its door without answering, and then talks: one transport for the
preview and one for the call, so that nothing waits."""
import concurrent.futures
import time

from interop import viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import OPERATOR, POLICY, World

PERSON = OPERATOR[0]
PIN = "4711"
#: Seconds: from the bell to the visitor's video in the dialog, and from the click to the call's own.
SEEN_LIMIT, ANSWER_LIMIT = 5.0, 5.0
#: The screen's frames that may show nothing when the video goes from the dialog into the call.
BLANK_LIMIT = 60

OUTGOING = """
[outgoing]
preview = {preview}
"""
RULES = """
[[action_rule]]
name = "door"
action = ["open-door", "light"]
caller = ["role:operator"]
pin = "{pin}"
"""

#: Notes when the dialog's video first moves, and, since it was clicked, when the call's does and whether anything was blank.
WATCH = """
(() => {
  const [dialog, incoming, remote] = ["incoming", "incoming-video", "remote-video"].map((id) => document.getElementById(id));
  const shows = (video) => video.readyState >= 2 && video.videoWidth > 0 && !video.hidden;
  window.watched = { rangAt: null, seenAt: null, answeredAt: null, connectedAt: null, blankFrames: 0 };
  const call = document.getElementById("call");
  new MutationObserver(() => { if (call.dataset.state === "connected") window.watched.connectedAt ??= performance.now(); })
    .observe(call, { attributes: true, attributeFilter: ["data-state"] });
  new MutationObserver(() => { if (!dialog.hidden) window.watched.rangAt = performance.now(); })
    .observe(dialog, { attributes: true, attributeFilter: ["hidden"] });
  document.getElementById("answer").addEventListener("click", () => { window.watched.answeredAt = performance.now(); });
  incoming.addEventListener("timeupdate", () => { if (incoming.currentTime > 0) window.watched.seenAt ??= performance.now(); });
  const look = () => {
    if (window.watched.answeredAt !== null && !shows(remote)) window.watched.blankFrames += 1;
    requestAnimationFrame(look);
  };
  look();
})()"""


def run(context):
    pin = context.scratch / "door.pin"
    pin.touch(mode=0o600)
    pin.write_text(PIN + "\n")
    runs = context.scratch / "door.runs"
    actions = [{"name": "open-door", "prominent": True, "run": ["/bin/sh", "-c", f"date +%s%N >>{runs}"]},
               {"name": "light", "run": ["/bin/true"]}]
    world = World(context, actions=actions, policy=POLICY + OUTGOING.format(preview="true"), rules=RULES.format(pin=pin))
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with world, Browser(**devices) as browser, concurrent.futures.ThreadPoolExecutor() as bell:
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        world.wait_for_user(PERSON)
        person.page.evaluate(f"void {WATCH}")
        ring = lambda: bell.submit(world.try_command, "call", PERSON, "--wait")
        seen = _see(context, world, person, ring)
        _require_room(context, person)
        _open_door(context, person, runs)
        answered = _answer(context, world, person)
        hang_up(world, person)
        _decline(world, person, ring)
        person.require_no_complaints()
    return f"seen {seen:.2f} s after the dialog, the call's own media {answered:.2f} s after the click"


def _see(context, world, person, ring):
    """The dialog shows moving frames, and the call rings on."""
    page = person.page
    ring()
    wait_for_preview(page)
    call = the_call(world)
    if (call["state"], call.get("previews")) != ("ringing", 1):
        raise AssertionError(f"the device says of the call {call}")
    wait_until(lambda: "sees the preview" in world.device_log(), "the journal says who sees the preview")
    if page.evaluate("document.querySelector('#incoming-video').srcObject.getAudioTracks().length"):
        raise AssertionError("the preview has sound")
    page.wait_for("window.watched?.seenAt", "the first frame has its time")
    watched = page.evaluate("window.watched")
    seen = (watched["seenAt"] - watched["rangAt"]) / 1000
    if seen > SEEN_LIMIT:
        raise AssertionError(f"the visitor is seen {seen:.1f} s after the dialog")
    return seen


def wait_for_preview(page):
    # A page in the background asks for no preview.
    page.command("Page.bringToFront")
    page.wait_for("!document.querySelector('#incoming').hidden", "the page rings")
    frames = "document.querySelector('#incoming-video').getVideoPlaybackQuality().totalVideoFrames"
    page.wait_for(f"{frames} > 0", "the dialog shows a frame")
    before = page.evaluate(frames)
    page.wait_for(f"{frames} > {before + 5}", "the dialog's video moves")


def _require_room(context, person):
    """Video and buttons fit into every window."""
    page = person.page
    page.wait_for("document.querySelectorAll('#incoming-actions button').length === 1", "one action is offered")
    for size in viewport.SIZES:
        viewport.resize(page, size)
        if context.artifacts:
            page.screenshot(context.artifacts / f"preview-{size[0]}x{size[1]}.png")
        for part in ("#incoming", "#incoming-video", "#incoming-actions button", "#answer", "#answer-seen", "#decline"):
            viewport.require_in_view(page, part)
        viewport.require_no_sideways_scrolling(page)
    viewport.restore(page)


def _open_door(context, person, runs):
    """A touch in passing does nothing; a wrong PIN is told where it was asked for; the call rings on."""
    page = person.page
    page.click("#incoming-actions button")
    if page.evaluate("document.querySelector('#pin-dialog').open"):
        raise AssertionError("a touch in passing asks for the PIN")
    _hold(page, "#incoming-actions button")
    page.wait_for("document.querySelector('#pin-dialog').open", "the PIN is asked for")
    _enter(page, "0000")
    page.wait_for("document.querySelector('#pin-message').textContent === 'Open door: the PIN is wrong.'", "it is wrong")
    if context.artifacts:
        page.screenshot(context.artifacts / "preview-pin.png")
    if runs.exists() or not page.evaluate("document.querySelector('#pin-dialog').open"):
        raise AssertionError("a wrong PIN opens the door, or ends the question")
    _enter(page, PIN)
    wait_until(runs.exists, "the door's program has run")
    page.wait_for("!document.querySelector('#pin-dialog').open", "the question is gone")
    if page.evaluate("document.querySelector('#incoming').hidden"):
        raise AssertionError("the call does not ring on")


def _enter(page, pin):
    page.wait_for("!document.querySelector('#pin').disabled", "a PIN can be typed")
    page.type_into("#pin", pin)
    page.click("#pin-ok")


def _hold(page, selector):
    place = page.evaluate(
        f"(() => {{ const r = document.querySelector('{selector}').getBoundingClientRect();"
        " return {x: r.x + r.width / 2, y: r.y + r.height / 2}; })()")
    page.command("Input.dispatchMouseEvent", type="mousePressed", button="left", clickCount=1, **place)
    time.sleep(1.2)
    page.command("Input.dispatchMouseEvent", type="mouseReleased", button="left", clickCount=1, **place)


def _answer(context, world, person):
    """By voice: the device hears the person and does not see them; the preview stays until the call's own video is here."""
    page = person.page
    page.click("#answer")
    person.wait_for_state("connected")
    page.wait_for("document.querySelector('#remote-video').srcObject?.getAudioTracks().length === 1", "the call's media are shown")
    answered = page.evaluate("(window.watched.connectedAt - window.watched.answeredAt) / 1000")
    blank = page.evaluate("window.watched.blankFrames")
    wait_until(lambda: (the_call(world).get("receiveBitrate") or 0) > 5_000, "the device hears the person")
    if context.artifacts:
        page.screenshot(context.artifacts / "preview-answered.png")
    wait_until(lambda: the_call(world).get("previews") is None, "the preview is over")
    if page.evaluate("!document.querySelector('#local-video').hidden"):
        raise AssertionError("the person is seen")
    if blank > BLANK_LIMIT:
        raise AssertionError(f"{blank} of the screen's frames showed nothing after the click")
    if answered > ANSWER_LIMIT:
        raise AssertionError(f"the call's media came {answered:.1f} s after the click")
    return answered


def hang_up(world, person):
    person.page.click("#hang-up")
    person.wait_for_state("ended")
    wait_until(lambda: not world.status()["sessions"], "the call is over")


def _decline(world, person, ring):
    """The preview ends with the call."""
    call = ring()
    wait_for_preview(person.page)
    person.page.click("#decline")
    call.result(timeout=30)
    person.page.wait_for("document.querySelector('#incoming-video').srcObject === null", "the preview is over")
    wait_until(lambda: not world.status()["sessions"], "the call is over")


def the_call(world):
    [call] = world.status()["sessions"]
    return call

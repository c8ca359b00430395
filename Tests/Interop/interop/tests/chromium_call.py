"""A person with a browser calls the device: sound and pictures both ways, chat, both ways to end, the recordings."""
import time

from interop import conversation
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 12


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, world.monitor() as monitor, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        seen = _talk(context, world, caller, monitor)
        _hang_up_from_the_page(caller)
        _hang_up_from_the_device(world, caller)
        recorded = conversation.check_first_recording(context, world, 2, SECONDS)
        _play_recording(context, caller)
        caller.require_no_complaints()
    return f"{seen}; recorded {recorded}"


def _talk(context, world, caller, monitor):
    begin = time.monotonic()
    caller.choose(DEVICE, "video")
    conversation.wait_until_it_runs(caller)
    set_up = time.monotonic() - begin
    monitor.wait_for(caller.session)
    seen = conversation.follow(context, world, caller, monitor, SECONDS, "call.png")
    return f"set up in {set_up:.1f} s, {seen}"


def _hang_up_from_the_page(caller):
    caller.page.click("#hang-up")
    caller.wait_for_state("ended")
    if not caller.words.startswith("Call ended · "):
        raise AssertionError(f"after hanging up the page says {caller.words!r}")


def _hang_up_from_the_device(world, caller):
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    time.sleep(3)
    conversation.hang_up_from_the_device(world, caller)


def _play_recording(context, caller):
    page = caller.page
    caller.choose(DEVICE, "archives")
    page.wait_for("document.querySelectorAll('#archive-list .archive').length === 2", "the page lists two recordings")
    page.click("#archive-list .archive:last-child button")
    videos = "[...document.querySelectorAll('#player-videos video')]"
    page.wait_for(f"{videos}.length === 2", "the recording has the videos of both parties")
    page.wait_for(f"{videos}.every((video) => video.currentTime > 1)", "the recording plays")
    page.evaluate("(() => { const bar = document.querySelector('#player-seek'); bar.value = Number(bar.max) - 4;"
                  " bar.dispatchEvent(new Event('input')); })()")
    page.wait_for(f"(() => {{ const end = Number(document.querySelector('#player-seek').max);"
                  f" return {videos}.some((video) => !video.seeking && video.currentTime > end - 3.5); }})()",
                  "the recording plays after a seek")
    if context.artifacts:
        page.screenshot(context.artifacts / "archive.png")

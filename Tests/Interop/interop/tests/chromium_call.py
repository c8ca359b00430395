"""A person with a browser calls the device: sound and pictures both ways, chat, both ways to end, the recordings."""
import time

from interop import archives, measure, sound, webm
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, DEVICE_TONE, OPERATOR, World

SECONDS = 12


def run(context):
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context) as world, world.monitor() as monitor, Browser(**devices) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        seen = _talk(context, world, caller, monitor)
        _hang_up_from_the_page(caller)
        _hang_up_from_the_device(world, caller)
        recorded = _check_recording(context, world)
        _play_recording(context, caller)
        caller.require_no_complaints()
    return f"{seen}; recorded {recorded}"


def _talk(context, world, caller, monitor):
    begin = time.monotonic()
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    set_up = time.monotonic() - begin
    measure.watch_frames(caller.page, "#remote-video")
    deadline = time.monotonic() + SECONDS
    samples, rate = measure.record_sound(caller.page, "document.querySelector('#remote-video').srcObject")
    sound.require_tone(samples, rate, DEVICE_TONE, "the device's sound in the browser")
    _chat(world, caller, monitor)
    caller.page.wait_for("!document.querySelector('#recording').hidden", "the page says that it is recorded")
    if context.artifacts:
        caller.page.screenshot(context.artifacts / "call.png")
    time.sleep(max(0, deadline - time.monotonic()))
    seen = measure.frames_seen(caller.page)
    seen.require("the device's pictures in the browser", at_least=SECONDS * 20)
    return f"set up in {set_up:.1f} s, {seen}"


def _chat(world, caller, monitor):
    monitor.wait_for(caller.session)
    caller.say("Hello from the page – ✓")
    monitor.wait_for("Hello from the page – ✓")
    world.command("chat", caller.session, "Hello from the device")
    caller.wait_for_chat("Hello from the device")


def _hang_up_from_the_page(caller):
    caller.page.click("#hang-up")
    caller.wait_for_state("ended")
    if caller.words != "Call ended.":
        raise AssertionError(f"after hanging up the page says {caller.words!r}")


def _hang_up_from_the_device(world, caller):
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected")
    time.sleep(3)
    world.command("hangup", caller.session)
    caller.wait_for_state("ended")
    if caller.words != f"{DEVICE} hung up.":
        raise AssertionError(f"after the device hung up the page says {caller.words!r}")


def _check_recording(context, world):
    archive = archives.wait_for(world.archive_folder, 2)[0]
    archive.require_faultless()
    device = webm.examine_frames(archive.file_with_tone(DEVICE_TONE))
    device.require("the device's pictures in the archive", at_least=SECONDS * 20)
    # A browser sends fewer pictures when it finds no time to encode them; their order must hold all the same.
    caller = webm.examine_frames(archive.file_with_tone(context.tone), context.camera_frames)
    caller.require("the caller's pictures in the archive", share=0.5, at_least=SECONDS * 10)
    return f"device {device}, caller {caller}"


def _play_recording(context, caller):
    page = caller.page
    caller.choose(DEVICE, "archives")
    page.wait_for("document.querySelectorAll('#archive-list .archive').length === 2", "the page lists two recordings")
    page.click("#archive-list .archive:last-child button")
    page.wait_for("document.querySelectorAll('.file').length === 2", "the recording has two files")
    page.click(".file [data-action=play]")
    page.wait_for("document.querySelector('.file video').currentTime > 1", "the recording plays")
    page.evaluate("(() => { const v = document.querySelector('.file video'); v.currentTime = v.duration - 3; })()")
    page.wait_for("(() => { const v = document.querySelector('.file video');"
                  " return !v.seeking && v.currentTime > v.duration - 2.5; })()", "the recording plays after a seek")
    if context.artifacts:
        page.screenshot(context.artifacts / "archive.png")

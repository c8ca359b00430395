"""The device calls a person whose page is open, as a doorbell does: answered, declined, nobody there."""
import concurrent.futures
import time

from interop import archives, measure, sound, webm
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, DEVICE_TONE, OPERATOR, World

SECONDS = 20
PERSON = OPERATOR[0]
#: What `livesessions call --wait` ends with.
ANSWERED, REJECTED, NOT_ONLINE = 0, 4, 5


def run(context):
    world = World(context)
    with (context.scratch / "policy.toml").open("a") as policy:
        policy.write("\n[outgoing]\nrecord = true\n")
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with (world, world.monitor() as monitor, Browser(**devices) as browser,
          concurrent.futures.ThreadPoolExecutor() as bell):
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        ring = lambda: bell.submit(world.try_command, "call", PERSON, "--wait")
        seen = _talk(context, world, person, monitor, ring)
        _hang_up_from_the_device(world, person)
        recorded = _check_recording(context, world)
        _decline(person, ring)
        _leave(person, ring)
        person.require_no_complaints()
    return f"{seen}; recorded {recorded}"


def _talk(context, world, person, monitor, ring):
    begin = time.monotonic()
    call = ring()
    _hear_it_ring(person)
    person.page.click("#answer")
    person.wait_for_state("connected")
    person.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
    set_up = time.monotonic() - begin
    measure.watch_frames(person.page, "#remote-video")
    deadline = time.monotonic() + SECONDS
    _require_code(call, ANSWERED, f"{PERSON} has answered")
    samples, rate = measure.record_sound(person.page, "document.querySelector('#remote-video').srcObject")
    sound.require_tone(samples, rate, DEVICE_TONE, "the device's sound in the browser")
    _chat(world, person, monitor)
    person.page.wait_for("!document.querySelector('#recording').hidden", "the page says that it is recorded")
    if context.artifacts:
        person.page.screenshot(context.artifacts / "callee.png")
    time.sleep(max(0, deadline - time.monotonic()))
    seen = measure.frames_seen(person.page)
    seen.require("the device's pictures in the browser", at_least=SECONDS * 20)
    return f"set up in {set_up:.1f} s, {seen}"


def _hear_it_ring(person):
    person.page.wait_for("!document.querySelector('#incoming').hidden", "the page rings")
    words = person.page.text("#incoming-words")
    if words != f"{DEVICE} is calling you.":
        raise AssertionError(f"a call of the device is announced as {words!r}")


def _chat(world, person, monitor):
    person.say("Hello from the page – ✓")
    monitor.wait_for("Hello from the page – ✓")
    world.command("chat", person.session, "Hello from the device")
    person.wait_for_chat("Hello from the device")


def _hang_up_from_the_device(world, person):
    world.command("hangup", person.session)
    person.wait_for_state("ended")
    if person.words != f"{DEVICE} hung up.":
        raise AssertionError(f"after the device hung up the page says {person.words!r}")


def _check_recording(context, world):
    archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    device = webm.examine_frames(archive.file_with_tone(DEVICE_TONE))
    device.require("the device's pictures in the archive", at_least=SECONDS * 20)
    # A browser sends fewer pictures when it finds no time to encode them; their order must hold all the same.
    person = webm.examine_frames(archive.file_with_tone(context.tone), context.camera_frames)
    person.require("the person's pictures in the archive", share=0.5, at_least=SECONDS * 10)
    return f"device {device}, person {person}"


def _decline(person, ring):
    call = ring()
    _hear_it_ring(person)
    person.page.click("#decline")
    _require_code(call, REJECTED, "the call was declined")


def _leave(person, ring):
    person.page.click("#log-out")
    person.page.wait_for("document.querySelector('#log-in').getClientRects().length > 0", "the person has logged out")
    _require_code(ring(), NOT_ONLINE, "nobody who is online")


def _require_code(call, code, words):
    finished = call.result(timeout=30)
    if finished.returncode != code or words not in finished.stdout + finished.stderr:
        raise AssertionError(f"livesessions call ends with {finished.returncode}, not {code} and {words!r}: "
                             f"{finished.stdout}{finished.stderr}")

"""What a call between the device and a person with a browser has to be like, whoever rang."""
import time

from interop import archives, measure, sound, webm
from interop.world import DEVICE, DEVICE_TONE


def wait_until_it_runs(person):
    person.wait_for_state("connected")
    person.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")


def follow(context, world, person, monitor, seconds, screenshot):
    """Watches and hears the device for so long, chats meanwhile; returns the pictures that were seen."""
    measure.watch_frames(person.page, "#remote-video")
    deadline = time.monotonic() + seconds
    samples, rate = measure.record_sound(person.page, "document.querySelector('#remote-video').srcObject")
    sound.require_tone(samples, rate, DEVICE_TONE, "the device's sound in the browser")
    _chat(world, person, monitor)
    person.page.wait_for("!document.querySelector('#recording').hidden", "the page says that it is recorded")
    if context.artifacts:
        person.page.screenshot(context.artifacts / screenshot)
    time.sleep(max(0, deadline - time.monotonic()))
    seen = measure.frames_seen(person.page)
    seen.require("the device's pictures in the browser", at_least=seconds * 20)
    return seen


def _chat(world, person, monitor):
    person.say("Hello from the page – ✓")
    monitor.wait_for("Hello from the page – ✓")
    world.command("chat", person.session, "Hello from the device")
    person.wait_for_chat("Hello from the device")


def hang_up_from_the_device(world, person):
    world.command("hangup", person.session)
    person.wait_for_state("ended")
    if not person.words.startswith(f"{DEVICE} hung up · "):
        raise AssertionError(f"after the device hung up the page says {person.words!r}")


def check_first_recording(context, world, count, seconds):
    """Checks the first of `count` archives, of a call that was followed for `seconds`; returns what is in it."""
    archive = archives.wait_for(world.archive_folder, count)[0]
    archive.require_faultless()
    device = webm.examine_frames(archive.file_with_tone(DEVICE_TONE))
    device.require("the device's pictures in the archive", at_least=seconds * 20)
    # A browser sends fewer pictures when it finds no time to encode them; their order must hold all the same.
    person = webm.examine_frames(archive.file_with_tone(context.tone), context.camera_frames)
    person.require("the person's pictures in the archive", share=0.5, at_least=seconds * 10)
    return f"device {device}, person {person}"

"""A person with a browser calls the device: what page and terminal show meanwhile."""
import base64
import dataclasses
import os
import pathlib
import subprocess
import time

from interop import archives, conversation, pattern, sound, viewport
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World
from pictures import terminal

NAMES = ["call", "phone", "status", "recordings"]
DISK = "/srv"
#: Windows; the last has room for the list below the recording that is open.
DESKTOP, PHONE, TALL = (1280, 800), (390, 844), (1280, 832)
#: How long the first call lasts before it is looked at: rates and the recording's size mean something then.
SETTLING = 8
#: Further calls, in seconds.
MORE_CALLS = (6, 4)
#: Of the pictures' compression, in percent.
QUALITY = 88


@dataclasses.dataclass(frozen=True)
class Context:
    """What a world asks for."""

    binaries: pathlib.Path
    scratch: pathlib.Path
    web = pathlib.Path(__file__).resolve().parents[3] / "Sources/Hub/HubHTTP/web"


def take(binaries, scratch, output, wanted):
    """Makes those of :data:`NAMES` that are wanted, in the folder `output`."""
    camera, microphone = scratch / "camera.y4m", scratch / "microphone.wav"
    pattern.write_y4m(camera, 300)
    sound.write_tone(microphone, 440)
    folder = pathlib.Path(DISK) / "archives"
    world = World(Context(binaries, scratch), settings={"archive": {"directory": str(folder)}})
    world.archive_folder = folder
    with world, Browser(camera=camera, microphone=microphone) as browser:
        person = CallPage(browser.page, world.url, *OPERATOR)
        viewport.resize(browser.page, DESKTOP)
        person.log_in_and_wait()
        _talk(world, person)
        if "call" in wanted:
            _photograph(browser.page, output / "call.webp")
        if "phone" in wanted:
            viewport.resize(browser.page, PHONE)
            _photograph(browser.page, output / "phone.webp")
            viewport.resize(browser.page, DESKTOP)
        if "status" in wanted:
            _show_status(binaries, scratch / "control", output / "status.svg")
        if "recordings" in wanted:
            viewport.resize(browser.page, TALL)
            _fill_list(world, person)
            _photograph(browser.page, output / "recordings.webp")
        person.require_no_complaints()


def _talk(world, person):
    person.choose(DEVICE, "video")
    conversation.wait_until_it_runs(person)
    person.page.wait_for("!document.querySelector('#recording').hidden", "the page says that it is recorded")
    person.say("Hello, is this the front door?")
    world.command("chat", person.session, "It is. The parcel lies in the box.")
    person.wait_for_chat("It is. The parcel lies in the box.")
    person.say("Thank you!")
    time.sleep(SETTLING)
    person.page.evaluate("document.activeElement.blur()")


def _fill_list(world, person):
    """Some recordings on the list, the first of them opened and under way."""
    person.page.click("#hang-up")
    person.wait_for_state("ended")
    for seconds in MORE_CALLS:
        person.page.click("#call-close")
        person.choose(DEVICE, "video")
        conversation.wait_until_it_runs(person)
        time.sleep(seconds)
        person.page.click("#hang-up")
        person.wait_for_state("ended")
    archives.wait_for(world.archive_folder, 1 + len(MORE_CALLS))
    page = person.page
    page.click("#call-close")
    person.choose(DEVICE, "archives")
    page.click("#archive-list .archive:last-child button")
    for number in (1, 2):
        page.click(f".file:nth-child({number}) [data-action=play]")
        page.wait_for(f"document.querySelector('.file:nth-child({number}) video').currentTime > 2", "the recording plays")
    page.evaluate("document.querySelectorAll('.file video').forEach((video) => video.pause())")
    page.evaluate("document.activeElement.blur()")
    time.sleep(1)


def _show_status(binaries, socket, path):
    """The real output of the real command."""
    finished = subprocess.run([binaries / "livesessions", "status"], capture_output=True, text=True, timeout=30,
                              check=True, env={**os.environ, "LIVESESSIONS_SOCKET": str(socket)})
    path.write_text(terminal.draw("livesessions status", finished.stdout))


def _photograph(page, path):
    time.sleep(0.5)
    picture = page.command("Page.captureScreenshot", format="webp", quality=QUALITY)["data"]
    path.write_bytes(base64.b64decode(picture))

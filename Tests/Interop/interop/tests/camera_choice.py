"""An operator chooses on the page which of the device's cameras it sees: the picture's size tells whose it is. The call's archive has
all cameras, whole, whatever was seen; a camera that nobody sees or records is closed again."""
import json

from interop import archives
from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, World

CAMERA, MAIN, MOSAIC = "yard", "device", "mosaic"
#: Of the pictures: what tells the cameras apart.
#: In each half 4:3 is kept, so that the upper quarter is dark.
EXPECTED = "true false true false"
LIT = """(() => {
  const video = document.querySelector('#remote-video');
  const canvas = Object.assign(document.createElement('canvas'), { width: 64, height: 48 });
  const context = canvas.getContext('2d');
  context.drawImage(video, 0, 0, 64, 48);
  const isLit = (x, y) => {
    const { data } = context.getImageData(x, y, 28, 6);
    return data.some((value, index) => index % 4 < 3 && value > 90);
  };
  return [isLit(2, 20), isLit(2, 2), isLit(34, 20), isLit(34, 2)].join(' ');
})()"""

SIZES = {MAIN: 640, CAMERA: 320, MOSAIC: 640}


def run(context):
    settings = {"[camera]": {"name": CAMERA, "path": "test:bars", "width": 320, "height": 240, "bitrate": "300kbit/s"}}
    with World(context, settings=settings) as world, \
            Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        caller.choose(DEVICE, "video")
        caller.wait_for_state("connected")
        _wait_for_size(caller, SIZES[MAIN])
        caller.page.wait_for("!document.querySelector('#camera-choice').hidden", "there is a choice of cameras")
        offered = json.loads(caller.page.evaluate(
            "JSON.stringify([...document.querySelectorAll('#camera-choice option')].map((o) => o.value))"))
        if offered != [MAIN, CAMERA, MOSAIC]:
            raise AssertionError(f"the page offers {offered}")
        _choose(caller, CAMERA)
        _choose(caller, MOSAIC)
        wait_until(lambda: _shares(caller) == EXPECTED, f"both cameras are side by side (it shows {_shares(caller)})")
        if context.artifacts:
            caller.page.screenshot(context.artifacts / "mosaic.png")
        _choose(caller, CAMERA)
        session = caller.session
        world.command("camera", session, MAIN)
        _wait_for_size(caller, SIZES[MAIN])
        caller.page.wait_for(f"document.querySelector('#camera-choice').value === '{MAIN}'", "the page shows what was chosen at the device")
        refused = world.try_command("camera", session, "cellar")
        if refused.returncode != 1 or f"it has {CAMERA}" not in refused.stderr:
            raise AssertionError(f"a camera that there is not: {refused}")
        if context.artifacts:
            caller.page.screenshot(context.artifacts / "camera-choice.png")
        caller.page.click("#hang-up")
        caller.wait_for_state("ended")
        wait_until(lambda: _states(world) == ["idle", "idle"], "both cameras are closed")
        caller.require_no_complaints()
        archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    names = sorted(path.name for path in archive.files)
    if not {"device.webm", f"{CAMERA}.webm"} <= set(names):
        raise AssertionError(f"the archive has {names}")
    return f"seen: {', '.join(offered)}; recorded: {', '.join(names)}"


def _choose(caller, camera):
    caller.page.evaluate(
        f"(() => {{ const choice = document.querySelector('#camera-choice'); choice.value = '{camera}';"
        " choice.dispatchEvent(new Event('change')); })()")
    _wait_for_size(caller, SIZES[camera])
    caller.page.wait_for("!document.querySelector('#camera-choice').disabled", "the device has answered")


def _shares(caller):
    """Whether there is a picture in the middle and above it, in the left and in the right half: what is not dark."""
    return caller.page.evaluate(LIT)


def _wait_for_size(caller, width):
    caller.page.wait_for(f"document.querySelector('#remote-video').videoWidth === {width}", f"the picture is {width} wide", 10)
    before = caller.page.evaluate("document.querySelector('#remote-video').currentTime")
    caller.page.wait_for(f"document.querySelector('#remote-video').currentTime > {before} + 0.3", "the pictures go on")


def _states(world):
    return [device["state"] for device in world.status()["devices"] if device["target"] == "camera"]

"""A person with Firefox calls the device: frames both ways, the end, the recording."""
from interop import archives
from interop.firefox import Firefox
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 8
VIDEO = "document.querySelector('#remote-video')"


def run(context):
    with World(context) as world, Firefox() as browser:
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        shown, heard = _call(context, world, caller)
        caller.page.click("#hang-up")
        caller.wait_for_state("ended")
        if not caller.words.startswith("Call ended · "):
            raise AssertionError(f"after hanging up the page says {caller.words!r}")
        [archive] = archives.wait_for(world.archive_folder, 1)
        archive.require_faultless()
        if {path.stem for path in archive.files} != {"device", "caller"}:
            raise AssertionError(f"the recording has {archive.files}")
    return f"{shown} frames in {SECONDS} s, {heard} kbit/s from Firefox"


def _call(context, world, caller):
    caller.choose(DEVICE, "video")
    caller.wait_for_state("connected", limit=40)
    caller.page.wait_for(f"{VIDEO}.videoWidth > 0", "the device is seen")
    shown = _frames(caller)
    if shown < SECONDS * 15:
        raise AssertionError(f"{shown} frames were shown in {SECONDS} s")
    [session] = world.status()["sessions"]
    if session["receiveBitrate"] < 50_000:
        raise AssertionError(f"the device receives {session['receiveBitrate']} bit/s of Firefox's camera")
    if context.artifacts:
        caller.page.screenshot(context.artifacts / "firefox-call.png")
    return shown, session["receiveBitrate"] // 1_000


def _frames(caller):
    """How many frames of the device are presented in some seconds."""
    return caller.page.evaluate(f"""new Promise((done) => {{
      let count = 0;
      const next = () => {{ count += 1; {VIDEO}.requestVideoFrameCallback(next); }};
      {VIDEO}.requestVideoFrameCallback(next);
      setTimeout(() => done(count), {SECONDS * 1_000});
    }})""")

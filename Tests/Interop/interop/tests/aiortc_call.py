"""A caller made of aiortc: pictures in order, the device's tone, and a recording of both."""
from interop import archives, sequence, webm
from interop.calling import Caller
from interop.world import DEVICE_TONE, World

SECONDS = 12


def run(context):
    with World(context) as world:
        with Caller(context, world, seconds=SECONDS) as caller:
            caller.wait_for("connected")
            caller.wait_for("ended", limit=SECONDS + 20)
        seen = sequence.examine([event["number"] for event in caller.events("received")])
        seen.require("the device's pictures in aiortc", at_least=10 * 25)
        [heard] = caller.events("sound")
        if abs(heard["tone"] - DEVICE_TONE) > 5 or heard["share"] < 0.8:
            raise AssertionError(f"aiortc hears {heard['tone']:.1f} Hz with {heard['share']:.0%} of the power")
        archive = archives.wait_for(world.archive_folder, 1)[0]
        archive.require_faultless()
        webm.examine_frames(archive.file_with_tone(DEVICE_TONE)).require("the device in the archive")
        recorded = webm.examine_frames(archive.file_with_tone(context.tone))
        recorded.require("the caller in the archive")
    return f"received {seen}; recorded of the caller {recorded}"

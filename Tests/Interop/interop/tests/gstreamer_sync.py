"""GStreamer's webrtcbin calls, and the recording of its sound and pictures is in sync; needs what gstreamer_offers needs."""
import asyncio

from interop import archives, gstreamer_call, marks
from interop.world import World

CALLS, SECONDS = 6, 12
#: A multiple of 50 Hz, so that the marked tone has no clicks.
TONE = 450
#: Seconds of the recording after which the caller's sender reports agree with each other.
SETTLED = 3.0
#: Between sound and picture, and between two packets of sound, in seconds.
SKEW, HOLE = 0.020, 0.200


def run(context):
    context.tone = TONE
    with World(context, settings={"network": {"addresses": [gstreamer_call.ADDRESS]}}) as world:
        for _ in range(CALLS):
            asyncio.run(gstreamer_call.call(context, world, SECONDS, "--bundle-policy", "max-bundle", "--marks"))
        found = archives.wait_for(world.archive_folder, CALLS)
        recordings = [marks.examine(archive.file_with_tone(TONE)) for archive in found]
    words = "; ".join(str(recording) for recording in recordings)
    if any(recording.skew(SETTLED) > SKEW or recording.longest_hole > HOLE for recording in recordings):
        raise AssertionError(words)
    return words

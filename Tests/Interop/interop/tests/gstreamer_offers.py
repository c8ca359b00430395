"""GStreamer's webrtcbin calls: with a transport for each kind, its default, only the first flows, and it is told why.

Needs Debian's python3-gi, gir1.2-gst-plugins-bad-1.0, gstreamer1.0-plugins-bad, gstreamer1.0-plugins-good and
gstreamer1.0-nice.
"""
import asyncio

from interop import archives, gstreamer_call, webm
from interop.world import World

SECONDS = 6
PICTURES = SECONDS * 15
WARNING = {"reason": "not-bundled", "media": ["video"]}


def run(context):
    with World(context, settings={"network": {"addresses": [gstreamer_call.ADDRESS]}}) as world:
        own = asyncio.run(gstreamer_call.call(context, world, SECONDS))
        bundled = asyncio.run(gstreamer_call.call(context, world, SECONDS, "--bundle-policy", "max-bundle"))
        recordings = [_recorded(context, archive) for archive in archives.wait_for(world.archive_folder, 2)]
    words = f"not bundled {own}, {recordings[0]} recorded; bundled {bundled}, {recordings[1]} recorded"
    if own.warnings != [WARNING] or own.pictures or recordings[0] or not own.is_heard:
        raise AssertionError(f"a transport for each: {words}")
    if bundled.warnings or min(bundled.pictures, recordings[1]) < PICTURES or not bundled.is_heard:
        raise AssertionError(f"one transport: {words}")
    return words


def _recorded(context, archive):
    """How many of the caller's pictures are in the archive."""
    return len(webm.frame_times(archive.file_with_tone(context.tone)))

"""All threads of the daemon stand still for two seconds in the middle of a recording, as on a machine that is too busy or asleep:
sound has no hole afterwards, pictures one as long as that, and the camera is not blamed."""
import json
import subprocess
import time

from interop.processes import wait_until
from interop.world import World

STALL = 2.1


def run(context):
    settings = {"[plan]": {"name": "all", "when": "always"}}
    with World(context, settings=settings) as world:
        wait_until(lambda: "recording" in world.command("status"), "the plan records")
        time.sleep(3)
        world.stall_device(STALL)
        time.sleep(4)
        world.command("archive", "stop")
        packets = _packets(next(world.archive_folder.glob("*/*/*/*/device.webm")))
        log = world.device_log()
    if "no frame for" in log:
        raise AssertionError("the camera was blamed")
    sound, pictures = (_longest_gap(packets, kind) for kind in ("audio", "video"))
    if sound > 0.1 or not STALL - 0.2 < pictures < STALL + 0.2:
        raise AssertionError(f"gaps of {sound:.2f} s in sound, {pictures:.2f} s in pictures")
    return f"{STALL} s of standstill: gaps of {sound:.2f} s in sound, {pictures:.2f} s in pictures"


def _packets(path):
    return json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "packet=codec_type,pts_time", path],
        capture_output=True, check=True).stdout)["packets"]


def _longest_gap(packets, kind):
    times = [float(packet["pts_time"]) for packet in packets if packet["codec_type"] == kind]
    return max(later - earlier for earlier, later in zip(times, times[1:]))

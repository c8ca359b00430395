"""A plan that records a time-lapse: one picture each second, played at 30 a second, without sound, and nothing else is encoded."""
import json
import subprocess
import time

from interop import archives
from interop.processes import wait_until
from interop.world import World

INTERVAL, SECONDS = 1, 6


def run(context):
    settings = {"[plan]": {"name": "sky", "when": "always", "stream": "time-lapse", "every": f"{INTERVAL}s"}}
    with World(context, settings=settings) as world:
        wait_until(lambda: "recording" in world.command("status"), "the plan records")
        microphone = next(device for device in world.status()["devices"] if device["target"] == "microphone")
        if microphone["state"] != "idle":
            raise AssertionError(f"the microphone is {microphone['state']}")
        time.sleep(SECONDS)
        encoded = json.loads(world.command("stats", "--json"))["media"]["video"]["framesEncoded"]
        world.command("archive", "stop")
        archive = archives.read(world.archive_folder)[0]
        archive.require_faultless()
        _check_manifest(archive.manifest)
        times = _times(next(world.archive_folder.glob("*/*/*/*/device.webm")))
    if not SECONDS - 1 <= len(times) <= SECONDS + 3 or encoded > len(times) + 2:
        raise AssertionError(f"{len(times)} pictures in {SECONDS} s, {encoded} were encoded")
    if any(abs(time - index / 30) > 0.002 for index, time in enumerate(times)):
        raise AssertionError(f"they are shown at {times}")
    return f"{len(times)} pictures in {times[-1] + 1 / 30:.2f} s of {SECONDS} s, {encoded} encoded"


def _check_manifest(manifest):
    told = {name: manifest.get(name) for name in ("plans", "timeLapseInterval", "hasAudio", "hasVideo")}
    if told != {"plans": ["sky"], "timeLapseInterval": INTERVAL * 1000, "hasAudio": False, "hasVideo": True}:
        raise AssertionError(f"the manifest says {told}")


def _times(path):
    """When each picture is shown; fails where there is sound, or a picture that is no key frame."""
    packets = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "packet=codec_type,pts_time,flags", path],
        capture_output=True, check=True).stdout)["packets"]
    if any(packet["codec_type"] != "video" or "K" not in packet["flags"] for packet in packets):
        raise AssertionError(f"the file holds {packets}")
    return [float(packet["pts_time"]) for packet in packets]

"""A second camera beside the first: something moves before it alone, which is an event of that camera with its picture; the event's
archive has a file of each camera, also after SIGKILL, and the second is opened for nobody else."""
import json
import subprocess
import time
import urllib.request

from interop import archives, yard
from interop.processes import free_port, wait_until
from interop.world import World

CAMERA, PATIENCE = "yard", 20
#: Seconds.
PRE_ROLL = 2


def run(context):
    clip = context.scratch / "yard.y4m"
    yard.write(clip)
    settings = {
        "[camera]": {"name": CAMERA, "path": f"file:{clip}", "width": yard.WIDTH, "height": yard.HEIGHT, "bitrate": "300kbit/s"},
        "[privacy_mask]": {"camera": CAMERA, "zone": [[0.0, 0.9], [1.0, 0.9], [1.0, 1.0], [0.0, 1.0]]},
        "[plan]": {"name": "walks", "when": "events", "pre_roll": f"{PRE_ROLL}s"},
        "[event]": {"name": "walk", "kind": "motion", "camera": CAMERA},
        "telemetry": {"prometheus": f"127.0.0.1:{(port := free_port())}"},
    }
    with World(context, settings=settings) as world:
        _check_snapshots(world, context.scratch)
        event = wait_until(lambda: _event(world), "there is an event with a picture", limit=PATIENCE)
        _require_size(world.state_folder / "events" / _day(event) / event["picture"], yard.WIDTH, yard.HEIGHT)
        wait_until(lambda: _has_media(world), "both cameras are recorded", limit=PATIENCE)
        # The manifest that names the moment with which the pre-roll begins follows the first media by a flush or two.
        time.sleep(2)
        _check_figures(world, port)
        world.kill_device()
        world.start_device()
        archive = archives.read(world.archive_folder)[0]
        _check_archive(archive)
        world.command("archive", "verify", archive.manifest["id"])
    return f"event of camera {event['camera']}, score {event['score']}, files {', '.join(path.name for path in archive.files)}"


def _check_snapshots(world, folder):
    picture = folder / "snapshot.jpg"
    world.command("snapshot", "--camera", CAMERA, "--output", str(picture))
    _require_size(picture, yard.WIDTH, yard.HEIGHT)
    refused = world.try_command("snapshot", "--camera", "cellar", "--output", "-")
    if refused.returncode != 1 or "it has yard" not in refused.stderr:
        raise AssertionError(f"a camera that there is not: {refused}")


def _event(world):
    """The newest event, once its picture is on the disk."""
    events = [json.loads(line) for line in world.command("events", "--json").splitlines()]
    if not events or not events[-1].get("picture"):
        return None
    if events[-1].get("camera") != CAMERA:
        raise AssertionError(f"the event says {events[-1]}")
    return events[-1]


def _day(event):
    stamp = event["id"]
    return f"{stamp[:4]}-{stamp[4:6]}-{stamp[6:8]}"


def _has_media(world):
    sizes = {path.name: path.stat().st_size for path in world.archive_folder.glob("*/*/*/*/*.webm")}
    return min(sizes.get(name, 0) for name in ("device.webm", f"{CAMERA}.webm")) > 10_000


def _check_figures(world, port):
    devices = [device for device in world.status()["devices"] if device["target"] == "camera"]
    if [(device.get("camera"), device["state"]) for device in devices] != [(None, "streaming"), (CAMERA, "streaming")]:
        raise AssertionError(f"status tells of {devices}")
    figures = json.loads(world.command("stats", "--json"))["media"]
    if [camera["name"] for camera in figures["cameras"]] != [CAMERA] or not figures["cameras"][0]["video"]["framesEncoded"]:
        raise AssertionError(f"stats tells of {figures.get('cameras')}")
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        text = answer.read().decode()
    if f'livesessions_video_frames_encoded_total{{camera="{CAMERA}"}}' not in text:
        raise AssertionError(f"Prometheus is told {text[:2000]}")


def _check_archive(archive):
    archive.require_faultless()
    told = archive.manifest
    files = [(entry["filename"], entry.get("camera")) for entry in told["files"]]
    if told["reason"] != "recovered" or files != [("device.webm", None), (f"{CAMERA}.webm", CAMERA)]:
        raise AssertionError(f"the manifest says {told}")
    for entry in told["files"]:
        if entry["stopTimeOffset"] - entry["startTimeOffset"] < PRE_ROLL * 1000:
            raise AssertionError(f"no pre-roll: {entry}")
    _require_size(archive.files[1], yard.WIDTH, yard.HEIGHT)


def _require_size(path, width, height):
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
        capture_output=True, text=True, check=False)
    if probe.stdout.strip() != f"{width},{height}":
        raise AssertionError(f"ffprobe says of {path.name}: {probe.stdout}{probe.stderr}")

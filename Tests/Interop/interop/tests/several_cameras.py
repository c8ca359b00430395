"""A second camera beside the first: something moves before it alone, which is an event of that camera with its picture; the event's
archive has a file of each camera, also after SIGKILL, and the second is opened for nobody else. An operator's page shows a picture
of each camera, and the event with its own, from which a click leads to what that camera recorded."""
import json
import subprocess
import time
import urllib.request

from interop import archives, yard
from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.processes import free_port, wait_until
from interop.world import DEVICE, OPERATOR, World

CAMERA, PATIENCE = "yard", 20
#: Seconds.
PRE_ROLL = 2
#: The width of the main camera's pictures.
MAIN_WIDTH = 640
LARGE = "document.querySelector('#snapshot-picture')"
VIDEO = f"document.querySelector('#archive-player [data-filename=\"{CAMERA}.webm\"] video')"


def run(context):
    clip = context.scratch / "yard.y4m"
    yard.write(clip)
    settings = {
        "hub": {"snapshots": True, "timeline": True},
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
        _check_hub(world)
        with Browser() as browser:
            operator = CallPage(browser.page, world.url, *OPERATOR)
            operator.log_in_and_wait()
            _look_at_cameras(operator, context)
            _look_at_event(operator, event, archive.manifest, context)
            operator.require_no_complaints()
        _require_audit(world, event, archive.manifest)
    return f"event of camera {event['camera']}, score {event['score']}, files {', '.join(path.name for path in archive.files)}"


def _check_snapshots(world, folder):
    picture = folder / "snapshot.jpg"
    world.command("snapshot", "--camera", CAMERA, "--output", str(picture))
    _require_size(picture, yard.WIDTH, yard.HEIGHT)
    refused = world.try_command("snapshot", "--camera", "cellar", "--output", "-")
    if refused.returncode != 1 or "it has yard" not in refused.stderr:
        raise AssertionError(f"a camera that there is not: {refused}")


def _check_hub(world):
    """Through the hub there is a picture of each camera that there is."""
    client = HubClient(world.url)
    client.login(*OPERATOR)
    device = f"/v1/users/{client.find(DEVICE)}"
    if client.request("GET", f"{device}/cameras") != {"items": ["device", CAMERA]}:
        raise AssertionError(f"the cameras are {client.request('GET', f'{device}/cameras')}")
    try:
        client.fetch(f"{device}/snapshot/cellar")
    except Refused as refusal:
        if refusal.status != 404 or f"it has device, {CAMERA}" not in str(refusal):
            raise
    else:
        raise AssertionError("there is a picture of a camera that there is not")
    if "cellar" in world.device_log():
        raise AssertionError("the log has a name that is nobody's")


def _look_at_cameras(operator, context):
    """The card has a small picture of each camera, and a large one of the chosen."""
    page = operator.page
    operator.choose(DEVICE, "snapshot")
    for name, width in (("device", MAIN_WIDTH), (CAMERA, yard.WIDTH)):
        small = f"document.querySelector('#snapshot-cameras [data-camera=\"{name}\"] img')"
        page.wait_for(f"{small} && {small}.naturalWidth === {width}", f"a small picture of {name} shows")
    page.wait_for(f"{LARGE}.naturalWidth === {MAIN_WIDTH}", "the main camera's is the large one")
    page.click(f'#snapshot-cameras [data-camera="{CAMERA}"]')
    page.wait_for(f"{LARGE}.naturalWidth === {yard.WIDTH}", "the chosen camera's is the large one")
    if context.artifacts:
        page.screenshot(context.artifacts / "camera-pictures.png")
    page.click("#device .back")


def _look_at_event(operator, event, archive, context):
    """The event is listed with its camera's picture; its mark leads to what that camera recorded at this moment."""
    page, row = operator.page, f"#device-event-list [data-event-id='{event['id']}']"
    operator.choose(DEVICE, "events")
    operator.show_day_of(event)
    page.wait_for(f"document.querySelector(\"{row}\")", "the event is listed")
    page.evaluate(f"document.querySelector(\"{row}\").scrollIntoView()")
    page.wait_for(f"document.querySelector(\"{row} img\").naturalWidth === {yard.WIDTH}", "its camera's picture shows")
    if CAMERA not in page.text(row) or page.evaluate(f"document.querySelector(\"{row} button\").hidden"):
        raise AssertionError(f"the list says {page.text(row)!r}, or shows no way to the recording")
    # Marks of the same minute lie on each other: a pointer would meet the last.
    begin = page.evaluate(f"""new Promise((resolve) => {{
      const seeked = ({{ target }}) => target.closest("[data-filename='{CAMERA}.webm']") && resolve(target.currentTime);
      addEventListener("seeked", seeked, {{ capture: true }});
      document.querySelector("#timeline [data-event-id='{event["id"]}']").click();
      setTimeout(() => resolve(null), 10_000);
    }})""")
    if begin is None:
        raise AssertionError(f"the recording does not play: {page.text('#archives-state')}")
    page.wait_for(f"{VIDEO} && {VIDEO}.videoWidth === {yard.WIDTH} && !{VIDEO}.error", "its camera's recording shows", PATIENCE)
    page.wait_for(f"{VIDEO}.currentTime > {begin}", "it plays")
    file = next(file for file in archive["files"] if file.get("camera") == CAMERA)
    expected = (event["start"] - archive["createdAt"] - file["startTimeOffset"]) / 1000
    shown = page.evaluate("document.querySelector('#archive-player').dataset.archiveId")
    if shown != archive["id"] or abs(begin - expected) > 0.5:
        raise AssertionError(f"recording {shown} plays from {begin} s on instead of {expected} s of {archive['id']}")
    if context.artifacts:
        page.screenshot(context.artifacts / "camera-event.png")


def _require_audit(world, event, archive):
    """The log tells of all that the operator has seen."""
    seen = [
        "the names of the cameras", "a snapshot of the camera", f"a snapshot of camera {CAMERA}", "events from ", "when it recorded from ",
        f"the image of event {event['id']}", "the list of recordings", f"the manifest of recording {archive['id']}",
        f"{CAMERA}.webm of recording {archive['id']}",
    ]
    log = world.device_log()
    missing = [what for what in seen if f"an operator at the hub was shown {what}" not in log]
    if missing:
        raise AssertionError(f"the log does not tell of {missing}")


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

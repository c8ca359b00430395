"""An operator finds a recording on the page by image and title, plays both of its cameras by one clock, goes to a second before the
files have loaded, downloads a part, and locks, renames and deletes it; a locked one the device does not delete."""
import json
import os
import statistics
import subprocess
import time
import urllib.parse

from interop import archives
from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, OPERATORS_ARE_RECORDED, World

CAMERA, LENGTH, PATIENCE = "yard", 24, 20
MANAGED = OPERATORS_ARE_RECORDED + """
[recording]
managers = ["role:operator"]
"""
VIDEOS = "[...document.querySelectorAll('#player-videos video')]"
#: Where in the recording each video is, in seconds.
TIMES = f"""{VIDEOS}.map((video) => {{
  const file = window.manifest.files.find(({{ filename }}) => filename === video.closest("figure").dataset.filename);
  return video.currentTime + file.startTimeOffset / 1000;
}})"""


def run(context):
    settings = {
        "hub": {"timeline": True},
        "video": {"camera": f"file:{_noise(context.scratch)}", "width": 320, "height": 240, "bitrate": "4Mbit/s"},
        "[camera]": {"name": CAMERA, "path": "test:bars", "width": 320, "height": 240, "bitrate": "300kbit/s"},
    }
    with World(context, settings=settings, policy=MANAGED) as world:
        world.command("archive", "start")
        time.sleep(LENGTH)
        world.command("archive", "stop")
        archive = archives.read(world.archive_folder)[0]
        archive.require_faultless()
        client = HubClient(world.url)
        client.login(*OPERATOR)
        base = f"/v1/users/{client.find(DEVICE)}/archives/{archive.manifest['id']}"
        _check_clip(client, base, archive.manifest, context.scratch)
        with Browser() as browser:
            page = browser.page
            operator = CallPage(page, world.url, *OPERATOR)
            operator.log_in_and_wait()
            apart = _play(operator, archive.manifest, context)
            _seek_early(page, archive)
            _check_download(page)
            _manage(page, world, client, base, archive.manifest["id"])
            operator.require_no_complaints()
    return f"two cameras within {apart * 1000:.0f} ms"


def _noise(folder):
    """A camera whose files are large: the hub sends two megabytes at once."""
    path = folder / "noise.y4m"
    frames = b"".join(b"FRAME\n" + os.urandom(320 * 240 * 3 // 2) for _ in range(30))
    path.write_bytes(b"YUV4MPEG2 W320 H240 F30:1 Ip A1:1 C420\n" + frames)
    return path


def _check_clip(client, base, manifest, folder):
    """A part of the second camera's stream plays by itself, and says how long it is."""
    clip = folder / "clip.webm"
    clip.write_bytes(client.fetch(f"{base}/{CAMERA}.webm?from=6.5&to=14"))
    said = json.loads(subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "format=duration:stream=codec_name", "-of", "json", str(clip)],
        check=True, capture_output=True, text=True).stdout)
    duration = float(said["format"]["duration"])
    # It begins with the key frame before.
    if not 7.4 <= duration <= 12 or [stream["codec_name"] for stream in said["streams"]] != ["vp8", "opus"]:
        raise AssertionError(f"the clip is {said}")
    decoded = subprocess.run(["ffmpeg", "-v", "error", "-i", str(clip), "-f", "null", "-"], capture_output=True, text=True)
    if decoded.returncode or decoded.stderr:
        raise AssertionError(f"the clip does not decode: {decoded.stderr}")
    for query, status in (("from=3&to=2", 400), ("from=0&to=901", 400)):
        try:
            client.fetch(f"{base}/{CAMERA}.webm?{query}")
        except Refused as refusal:
            if refusal.status != status:
                raise
        else:
            raise AssertionError(f"there is a clip {query}")


def _play(operator, manifest, context):
    page = operator.page
    operator.choose(DEVICE, "archives")
    row = f"#archive-list [data-archive-id={json.dumps(manifest['id'])}]"
    page.wait_for(f"document.querySelector('{row} img')?.naturalWidth > 0", "the recording has an image", PATIENCE)
    if "manual" not in page.text(f"{row} .title"):
        raise AssertionError(f"it is called {page.text(f'{row} .title')!r}")
    page.evaluate(f"window.manifest = {json.dumps(manifest)}, null")
    page.click(f"{row} [data-action=open]")
    page.wait_for(f"{VIDEOS}.length === 2 && {VIDEOS}.every((video) => !video.paused && video.readyState >= 3)", "both play", PATIENCE)
    time.sleep(2)
    if context.artifacts:
        page.screenshot(context.artifacts / "recordings.png")
    times = [page.evaluate(TIMES) for _ in range(15) if not time.sleep(0.1)]
    # A machine that stalls holds one of them back for a moment.
    apart = statistics.median(max(moment) - min(moment) for moment in times)
    if apart > 0.1 or times[-1][0] <= times[0][0]:
        raise AssertionError(f"the videos are {apart} s apart, or stand: {times}")
    return apart


def _seek_early(page, archive):
    """A moment near the end shows at once, and not all of the files has come by then."""
    address = page.evaluate("location.hash.split('?')[0]")
    page.evaluate("location.hash = '#/', null")
    page.wait_for(f"{VIDEOS}.length === 0", "the player is closed")
    received = _count(page)
    page.evaluate(f"location.hash = {json.dumps(address + f'?t={LENGTH - 6}')}, null")
    page.wait_for(f"{VIDEOS}.length === 2 && {VIDEOS}.every((video) => video.currentTime > {LENGTH - 8} && video.readyState >= 2)",
                  "both show the moment of the address", PATIENCE)
    page.click("#player-play")
    size = sum(path.stat().st_size for path in archive.files)
    if not 0 < sum(received) < size * 0.8:
        raise AssertionError(f"{sum(received)} bytes of {size} came for the end of the files alone")


def _count(page):
    """The sizes of what the page receives from now on."""
    sizes, note = [], page._note

    def count(message):
        if message["method"] == "Network.dataReceived":
            sizes.append(message["params"]["dataLength"])
        note(message)
    page._note = count
    page.command("Network.enable")
    return sizes


def _check_download(page):
    """The link between the marks is of a clip, which the browser may read without a token in it."""
    for button, moment in (("#clip-from", 5), ("#clip-to", 12)):
        page.evaluate(f"(() => {{ const bar = document.querySelector('#player-seek'); bar.value = {moment};"
                      " bar.dispatchEvent(new Event('input')); })()")
        page.click(button)
    address = page.evaluate("document.querySelector('#clip-download').href")
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)
    if query != {"from": ["5"], "to": ["12"]}:
        raise AssertionError(f"the link is {address}")
    answer = page.evaluate(f"""fetch({json.dumps(address)}, {{ credentials: "same-origin" }}).then(async (response) => [
      response.status, response.headers.get("Content-Disposition"), (await response.blob()).size])""")
    if answer[0] != 200 or 'filename="front-door_' not in answer[1] or answer[2] < 10_000:
        raise AssertionError(f"the link gives {answer}")


def _manage(page, world, client, base, archive_id):
    row = f"#archive-list [data-archive-id={json.dumps(archive_id)}]"
    page.click(f"{row} [data-action=rename]")
    page.type_into("#archive-name", "Front garden")
    page.click("#archive-confirm")
    page.wait_for(f"document.querySelector('{row} .title').textContent === 'Front garden'", "it has its new name")
    world.command("archive", "verify", archive_id)
    page.click(f"{row} [data-action=lock]")
    page.wait_for(f"document.querySelector('{row} [data-action=delete]').disabled", "a locked one cannot be deleted")
    try:
        client.request("DELETE", base)
    except Refused as refusal:
        if refusal.status != 409 or "locked" not in str(refusal):
            raise
    else:
        raise AssertionError("a locked recording was deleted")
    page.click(f"{row} [data-action=lock]")
    page.wait_for(f"!document.querySelector('{row} [data-action=delete]').disabled", "it is unlocked")
    page.click(f"{row} [data-action=delete]")
    page.click("#archive-confirm")
    wait_until(lambda: not archives.read(world.archive_folder), "it is deleted", PATIENCE)
    page.wait_for(f"!document.querySelector('{row}')", "it is not listed any more")
    try:
        client.request("GET", f"{base}/thumbnail")
    except Refused as refusal:
        if refusal.status != 404:
            raise
    else:
        raise AssertionError("a deleted recording still has its image")
    log = world.device_log()
    for deed in ("renamed", "locked", "unlocked", "deleted"):
        if f"has {deed} recording {archive_id}" not in log:
            raise AssertionError(f"the journal does not say who {deed} it")

"""A picture of a device that nobody calls, here and through the hub, and a recording of it: both show what is written into them,
and nothing of what is covered."""
import datetime
import pathlib
import re
import subprocess
import time

import numpy

from interop import archives
from interop.hub_client import HubClient, Refused
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, STRANGER, World

WIDTH, HEIGHT = 640, 480
TITLE = "Yard 3, 21 °C"
#: Never set forward: half an hour off tells a time zone from a mistake of hours.
ZONE, OFFSET = "Asia/Kolkata", "+05:30"
#: Fractions of the picture: left, top, right, bottom.
COVERED = (0.5, 0.5, 0.9, 0.95)
FONT = pathlib.Path(__file__).resolve().parents[4] / "Sources/Core/VideoOverlay/BitmapFont.swift"
#: Samples from character to character and from line to line, and of each of the font's.
ADVANCE, LINE, SCALE = 6, 10, 2


def run(context):
    left, top, right, bottom = COVERED
    settings = {
        "hub": {"snapshots": True}, "overlay": {"title": TITLE, "time": True, "position": True},
        "[privacy_mask]": {"zone": [[left, top], [right, top], [right, bottom], [left, bottom]]},
    }
    with World(context, settings=settings, variables={"TZ": ZONE}) as world:
        begin = time.monotonic()
        snapshot = context.scratch / "snapshot.jpg"
        world.command("snapshot", "--output", str(snapshot))
        seconds = time.monotonic() - begin
        wait_until(lambda: _camera(world) == "idle", "the camera is closed again")
        _check(_frames(snapshot)[0], "the snapshot")
        if snapshot.stat().st_mode & 0o007:
            raise AssertionError("others may read the snapshot")
        if world.command_output("snapshot")[:3] != b"\xff\xd8\xff":
            raise AssertionError("standard output has no JPEG")
        _check_refusals(world)
        _check_hub(world, context.scratch / "hub.jpg")
        _record(world)
        world.change_settings({"hub": {"snapshots": False}})
        world.stop_device()
        world.start_device()
        _require_refusal(world, OPERATOR, 403)
    return f"the first picture of a closed camera took {seconds:.1f} s"


def _record(world):
    world.command("archive", "start")
    time.sleep(3)
    # Of a camera that runs a picture comes at once.
    begin = time.monotonic()
    world.command_output("snapshot")
    if time.monotonic() - begin > 1:
        raise AssertionError("a picture of a camera that runs took more than a second")
    world.command("archive", "stop")
    archive = archives.read(world.archive_folder)[0]
    archive.require_faultless()
    frames = _frames(next(world.archive_folder.glob("*/*/*/*/device.webm")))
    if len(frames) < 45:
        raise AssertionError(f"the recording has {len(frames)} pictures")
    for number, frame in enumerate(frames):
        _check_mask(frame, f"picture {number} of the recording")
    _check(frames[-1], "the recording")
    first, last = _text(frames[len(frames) // 3]), _text(frames[-1])
    if first[1] == last[1]:
        raise AssertionError(f"the time stands still at {last[1]}")


def _check_refusals(world):
    world.command("mute", "camera")
    refused = world.try_command("snapshot", "--output", "-")
    if refused.returncode != 1 or "the camera is muted" not in refused.stderr or refused.stdout:
        raise AssertionError(f"a muted camera: {refused}")
    world.command("unmute", "camera")


def _check_hub(world, path):
    """An operator gets the picture through the hub, and nobody else."""
    _require_refusal(world, STRANGER, 403)
    client = HubClient(world.url)
    client.login(*OPERATOR)
    path.write_bytes(client.fetch(f"/v1/users/{client.find(DEVICE)}/snapshot"))
    _check(_frames(path)[0], "the picture at the hub")


def _require_refusal(world, person, status):
    client = HubClient(world.url)
    client.login(*person)
    try:
        client.fetch(f"/v1/users/{client.find(DEVICE)}/snapshot")
    except Refused as refusal:
        if refusal.status != status:
            raise
    else:
        raise AssertionError(f"{person[0]} got a picture")


def _camera(world):
    return next(device["state"] for device in world.status()["devices"] if device["target"] == "camera")


def _frames(path):
    """The luma of each picture."""
    raw = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", path, "-f", "rawvideo", "-pix_fmt", "yuv420p", "-fps_mode", "passthrough", "-"],
        capture_output=True, check=True).stdout
    size = WIDTH * HEIGHT * 3 // 2
    frames = [numpy.frombuffer(raw, numpy.uint8, size, offset) for offset in range(0, len(raw) - size + 1, size)]
    return [frame[:WIDTH * HEIGHT].reshape(HEIGHT, WIDTH) for frame in frames]


def _check(frame, what):
    _check_mask(frame, what)
    title, moment, position = _text(frame)
    if title != TITLE or position != "52.51630° N 13.37770° E":
        raise AssertionError(f"{what} says {title!r} and {position!r}")
    told = datetime.datetime.fromisoformat(moment.rstrip("?"))
    age = abs((datetime.datetime.now(datetime.timezone.utc) - told).total_seconds())
    if not moment.rstrip("?").endswith(OFFSET) or age > 20:
        raise AssertionError(f"{what} says {moment!r}")


def _check_mask(frame, what):
    left, top, right, bottom = (round(edge * length) for edge, length in zip(COVERED, (WIDTH, HEIGHT) * 2))
    # Coding rings at the edges.
    covered = frame[top + 8:bottom - 8, left + 8:right - 8]
    if covered.max() > 40:
        raise AssertionError(f"{what} shows something of what is covered: luma up to {covered.max()}")
    if frame[top:bottom, :left - 16].max() < 100:
        raise AssertionError(f"{what} shows nothing beside what is covered")


def _text(frame):
    """The three lines at the upper left, read sample by sample."""
    drawings = re.findall(r'^    "([.# ]*)",$', FONT.read_text(), re.MULTILINE)
    known = {_shape(drawing): chr(32 + index) for index, drawing in enumerate(drawings)}
    known[_shape(drawings[-1])] = "°"
    return ["".join(known.get(_cell(frame, line, column), "\ufffd") for column in range(26)).rstrip() for line in range(3)]


def _shape(drawing):
    return "".join(drawing.split()).ljust(40, ".")


def _cell(frame, line, column):
    top, left = (line * LINE + 1) * SCALE, (column * ADVANCE + 1) * SCALE
    cell = frame[top:top + 8 * SCALE, left:left + 5 * SCALE].reshape(8, SCALE, 5, SCALE).mean(axis=(1, 3))
    return "".join("#" if sample > 128 else "." for sample in cell.flatten())

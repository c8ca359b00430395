"""The boot `uvc`: a USB camera that uvcvideo serves, its formats, and what can happen to it."""
import json
import re

from . import marks, pixels, usb_camera
from .check_faults import GROWTH
from .faults import camera_returns
from .recording import missing_share
from .results import continuous_sound, tone

NAME = "usb-LiveSessions_Test_camera_0001-video-index0"
#: What JPEG and VP8 together may change any component of a colour bar by.
COLOUR_TOLERANCE = 5
#: Seconds from asking for a recording to its first picture.
FIRST_PICTURE = 2
#: What the journal says of each fault, once, before it says that the camera is open again. Of what uvcvideo drops the daemon
#: learns nothing but that no picture comes.
REASONS = {
    "truncated": "no picture|damaged", "headless": "no picture|damaged", "marked": "no picture", "silent": "no picture",
    "stalled": "no picture|damaged", "refusing": "STREAMON"}


def quick(results):
    plugged(results)
    recorded(results, "usb-mjpg", "MJPG", 320, 180, 30)
    camera_returns(results, "usb-unplugged")
    undisturbed(results)


def full(results):
    quick(results)
    # The daemon chooses: what needs no decoder, unless that is too slow.
    recorded(results, "usb-any", "YUYV", 320, 180, 30)
    recorded(results, "usb-large", "MJPG", 640, 360, 15)
    camera_returns(results, "usb-faulty")
    for fault in results.facts.text("usb-faulty.faults").split():
        told_once(results, fault)
    nothing_leaks(results)


def plugged(results):
    results.check_done("usb.started", "the USB camera's program starts")
    results.check_done("usb.plugged", "uvcvideo takes the USB camera")
    listed(results, "small", "YUYV", 320, 180)
    listed(results, "large", "MJPG", 640, 360)


def listed(results, size, fourcc, width, height):
    """`livesessions devices`, asked for one size."""
    try:
        report = json.loads((results.out / f"devices-{size}.json").read_text())
    except (OSError, ValueError):
        report = {}
    cameras = report.get("cameras", [])
    if not results.check(len(cameras) == 1, f"devices, {size}: one camera is listed", len(cameras)):
        return
    (camera,) = cameras
    said = [camera["driver"], camera.get("stablePath"), report["automatic"]["camera"]]
    path = f"/dev/v4l/by-id/{NAME}"
    results.check(said == ["uvcvideo", path, path], f"devices, {size}: by the name that stays the same", said)
    formats = {entry["format"]: (entry["handling"], sizes(entry)) for entry in camera["formats"]}
    expected = {fourcc: ("native", offered(fourcc)) for fourcc in ("MJPG", "YUYV")}
    results.check(formats == expected, f"devices, {size}: formats, sizes and rates are the camera's", formats)
    choice = camera.get("choice") or {}
    said = [choice.get(key) for key in ("format", "width", "height")]
    results.check(said == [fourcc, width, height], f"devices, {size}: {fourcc} would be taken", choice)


def sizes(entry):
    return {(size["width"], size["height"], round(max(size["frameRates"]))) for size in entry["sizes"]}


def offered(fourcc):
    return {(mode.width, mode.height, max(mode.rates)) for mode in usb_camera.MODES if mode.fourcc == fourcc}


def recorded(results, name, fourcc, width, height, rate):
    asked, expected = results.facts.text(f"{name}.mode"), f"{fourcc}-{width}x{height} {rate:.2f}"
    results.check(asked == expected, f"{name}: the camera is asked for {expected}", asked)
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    tone(results, name, continuous_sound(results, name, recording))
    pictures, times = recording.every_picture(width, height), recording.times("video")
    numbers = [marks.read(picture, width, height) for picture in pictures]
    marked = [index for index, number in enumerate(numbers) if number is not None]
    if not results.check(
            len(marked) > rate, f"{name}: the camera's pictures can be told apart", f"{len(marked)} of {len(times)}"):
        return
    waited = times[marked[0]] + (manifest["createdAt"] - results.facts.number(f"{name}.asked")) / 1000
    results.check(waited <= FIRST_PICTURE, f"{name}: the first picture comes within {FIRST_PICTURE} s", f"{waited:.2f} s")
    complete(results, name, [numbers[index] for index in marked], [times[index] for index in marked], rate)
    seen = [pixels.bars(pixels.reader("YU12", pictures[index], width, height), width, height) for index in marked[rate::rate]]
    off = [pixels.difference(usb_camera.BARS, bars) for bars in seen]
    results.check(
        max(off) <= COLOUR_TOLERANCE, f"{name}: the colour bars are within {COLOUR_TOLERANCE}",
        f"{max(off):.2f} at most in {len(off)} pictures")


def complete(results, name, numbers, times, rate):
    """By what is seen in the pictures, and by their times."""
    turned = [(after - before) % usb_camera.PICTURES for before, after in zip(numbers, numbers[1:])]
    lost, repeated = sum(step - 1 for step in turned if step), turned.count(0)
    results.check(
        lost <= 0.02 * len(numbers) and not repeated,
        f"{name}: at most 2 % of the camera's pictures are missing, none comes twice",
        f"{len(numbers)} pictures, {lost} missing, {repeated} repeated")
    missing = missing_share(times, rate)
    results.check(missing <= 0.02, f"{name}: nor by their times", f"{missing:.2%} missing")


def told_once(results, fault):
    lines = [line for line in results.facts.text(f"usb-faulty.{fault}.said").split("|") if line]
    if fault in REASONS:
        told = any(re.search(REASONS[fault], line) for line in lines)
        results.check(
            told and "Test camera" in lines[-1], f"usb-faulty: {fault}: the journal says what is the matter, and its end", lines)
    results.check(len(set(lines)) == len(lines), f"usb-faulty: {fault}: it does not repeat itself", len(lines))


def nothing_leaks(results):
    usage = lambda what: [results.facts.number(f"usage.{when}.{what}") for when in ("before", "after")]
    before, after = usage("descriptors")
    results.check(before == after, "no more descriptors after all faults than before", f"{before:.0f}, {after:.0f}")
    before, after = usage("memory")
    results.check(after - before <= GROWTH, "nor more private memory", f"{before:.0f}, {after:.0f} KiB")


def undisturbed(results):
    errors = results.facts.text("usb.errors")
    results.check(errors == "", "the USB camera's program has no error", errors[-300:])

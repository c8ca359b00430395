"""The boot `formats`: a recording of each of the camera's formats."""
from . import pixels
from .recording import missing_share
from .results import continuous_sound, tone

SMALL = ("320", 320, 180, 30)
LARGE = ("640", 640, 360, 15)
#: Of any component of any colour bar.
COLOUR_TOLERANCE = 3
#: Seconds between the first block of sound and that of the first picture.
START_TOLERANCE = 0.040
#: Opus' own delay, which ffprobe subtracts from the blocks' timestamps.
CODEC_DELAY = 0.0065


def formats(results, small, large):
    for fourcc in small:
        recorded(results, fourcc, *SMALL)
    for fourcc in large:
        recorded(results, fourcc, *LARGE)


def quick(results):
    formats(results, ["UYVY", "BGR3"], [])


def full(results):
    formats(results, ["YUYV", "UYVY", "NV12", "NV21", "YU12", "YV12", "RGB3", "BGR3"], ["YUYV", "RGB3"])


def recorded(results, fourcc, suffix, width, height, rate):
    name = f"{fourcc}-{suffix}"
    facts = results.facts
    if not results.check(f"{name}.refused" not in facts, f"{name}: the daemon takes the setting", facts.text(f"{name}.refused")):
        return
    results.check(facts.text(f"{name}.camera") == fourcc, f"{name}: the camera delivers it", facts.text(f"{name}.camera"))
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    tone(results, name, continuous_sound(results, name, recording))
    pictures, sound = recording.times("video"), recording.times("audio")
    if not results.check(len(pictures) > rate, f"{name}: there are pictures", len(pictures)):
        return
    missing = missing_share(pictures, rate)
    results.check(missing <= 0.02, f"{name}: at most 2 % of the pictures are missing", f"{len(pictures)}, {missing:.2%} missing")
    apart = abs(pictures[0] - sound[0] - CODEC_DELAY)
    results.check(apart <= START_TOLERANCE, f"{name}: sound and picture start within 40 ms", f"{apart * 1000:.0f} ms")
    colours(results, name, recording, fourcc, width, height)


def colours(results, name, recording, fourcc, width, height):
    """A picture a second against what the camera itself gives in this format."""
    raw = (results.out / name / "raw").read_bytes()
    expected = pixels.bars(pixels.reader(fourcc, raw, width, height), width, height)
    off = [pixels.difference(expected, pixels.bars(pixels.reader("YU12", picture, width, height), width, height))
           for picture in recording.pictures(width, height)]
    results.check(
        len(off) > 2 and max(off) <= COLOUR_TOLERANCE, f"{name}: the colour bars are within 3",
        f"{max(off, default=0):.2f} at most in {len(off)} pictures")

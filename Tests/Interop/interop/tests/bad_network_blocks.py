"""Every twentieth packet is lost on the way to the caller: what the caller shows is compared block by block with the
device's recording of the same call, which is the same stream without loss. No block stays broken for long, nor beyond a
key frame that came.

aiortc asks once for each lost packet and then waits until its jitter buffer is full, so it shows few pictures; each of
them counts.
"""
import json
import subprocess

import numpy

from interop import archives, pattern
from interop.bad_network import BadNetwork
from interop.calling import Caller
from interop.far_call import far_world
from interop.world import DEVICE_TONE

WIDTH, HEIGHT, RATE, BLOCK = 640, 480, 30, 16
LOSS, DELAY = 0.05, 0.05
#: The mean difference of a block's samples that is seen; seconds that a block may be broken.
SEEN, PERMITTED = 3.0, 1.0
#: Pictures that have to be compared at least.
COMPARED = 20


def run(context):
    world = far_world(context, settings={"video": {"camera": "test:street"}})
    kept = context.scratch / "received.luma"
    with BadNetwork(context, world, 0, context.seed) as line, world:
        with Caller(context, world, seconds=context.seconds, network=line, options=["--keep", str(kept)]) as caller:
            caller.wait_for("received")
            line.change("down", loss=LOSS, delay=DELAY)
            caller.wait_for("ended", limit=context.seconds + 60)
            events = caller.events("received")
        archive = archives.wait_for(world.archive_folder, 1)[0]
    recorded, keys = _recorded(archive.file_with_tone(DEVICE_TONE))
    received = {number: frame for number, frame in _received(kept.read_bytes(), events) if number in recorded}
    if len(received) < COMPARED:
        raise AssertionError(f"{len(received)} pictures were received that are recorded, too few to compare")
    durations, beyond = _broken(recorded, keys, received)
    longest = max(durations, default=0.0)
    words = (f"{len(received)} of {len(recorded)} pictures compared; {len(durations)} times a block was broken, "
             f"{numpy.mean(durations or [0]):.2f} s on average, {longest:.2f} s at most")
    if longest > PERMITTED or beyond:
        raise AssertionError(f"{words}; {beyond} blocks were still broken with a key frame that came")
    return words


def _frames(data):
    """The luma of pictures that lie one after the other."""
    return numpy.frombuffer(data, numpy.uint8).reshape(-1, HEIGHT, WIDTH)


def _received(data, events):
    """Number and luma of the pictures in full size; on a bad line the device sends smaller ones for a while."""
    begin = 0
    for event in events:
        height, width = event["size"]
        end = begin + height * width
        if (height, width) == (HEIGHT, WIDTH) and end <= len(data):
            yield event["number"], _frames(data[begin:end])[0]
        begin = end


def _recorded(path):
    """The luma of each recorded picture by its number, and the numbers of key frames."""
    decoded = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-map", "0:v:0", "-vf", "extractplanes=y",
         "-vsync", "passthrough", "-f", "rawvideo", "-"], capture_output=True, check=True, timeout=120).stdout
    probed = subprocess.run(
        ["ffprobe", "-v", "error", "-select_streams", "v:0", "-show_entries", "packet=flags", "-of", "json", path],
        capture_output=True, check=True, timeout=60).stdout
    is_key = ["K" in packet["flags"] for packet in json.loads(probed)["packets"]]
    frames = _frames(decoded)
    marks = [pattern.read(frame) for frame in frames]
    found = {mark.number: (frame, key) for mark, frame, key in zip(marks, frames, is_key) if mark}
    return {number: frame for number, (frame, _) in found.items()}, {number for number, (_, key) in found.items() if key}


def _broken(recorded, keys, received):
    """Seconds of each time that a block was broken, as the received pictures show it; and how many blocks were so in a key
    frame that had come."""
    since, durations, beyond = numpy.full((HEIGHT // BLOCK, WIDTH // BLOCK), numpy.nan), [], 0
    for number in sorted(received):
        difference = abs(recorded[number].astype(numpy.int16) - received[number])
        broken = difference.reshape(HEIGHT // BLOCK, BLOCK, WIDTH // BLOCK, BLOCK).mean((1, 3)) > SEEN
        beyond += int(broken.sum()) if number in keys else 0
        ended = ~broken & ~numpy.isnan(since)
        durations += list((number - since[ended]) / RATE)
        since = numpy.where(broken, numpy.where(numpy.isnan(since), number, since), numpy.nan)
    return durations + list((max(received) - since[~numpy.isnan(since)]) / RATE), beyond

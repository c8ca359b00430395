"""The daemon is killed at random moments of recorded calls: each recording plays and lacks a second at most."""
import random
import time

from interop import archives, webm
from interop.calling import Caller
from interop.world import DEVICE_TONE, World

#: Seconds of call before a kill.
EARLIEST, LATEST = 2.5, 6.0
#: Seconds that a recording may lack, as design and README promise.
PERMITTED = 1.0
FRAME_RATE = 30


def run(context):
    moments = random.Random(context.seed)
    losses = []
    with World(context) as world:
        for number in range(context.kills):
            try:
                losses += _kill_once(context, world, moments.uniform(EARLIEST, LATEST), number)
            except Exception as error:
                raise AssertionError(f"kill {number + 1} of {context.kills}, seed {context.seed}: {error}") from error
    worst, mean = max(losses), sum(losses) / len(losses)
    return f"{context.kills} kills, seed {context.seed}: lost {worst:.2f} s at most, {mean:.2f} s on average"


def _kill_once(context, world, seconds, number):
    """Seconds lost of the device's and of the caller's stream."""
    with Caller(context, world, seconds=30) as caller:
        caller.wait_for("connected")
        caller.wait_for("received")
        time.sleep(seconds)
        world.kill_device()
        killed_at = time.monotonic()
    world.start_device()
    archive = archives.wait_for(world.archive_folder, number + 1)[-1]
    if archive.manifest["reason"] != "recovered":
        raise AssertionError(f"the archive's reason is {archive.manifest['reason']!r}")
    archive.require_faultless()
    world.command("archive", "verify", archive.manifest["id"])
    received = _last(caller.events("received"), killed_at)
    sent = _last(caller.events("sent"), killed_at)
    return [_loss("the device's", archive.file_with_tone(DEVICE_TONE), received),
            _loss("the caller's", archive.file_with_tone(context.tone), sent)]


def _last(events, moment):
    """The highest number until `moment`."""
    return max(event["number"] for event in events if event["at"] <= moment and event["number"] is not None)


def _loss(whose, path, last):
    recorded = [number for number in webm.frame_numbers(path) if number is not None]
    if recorded != sorted(set(recorded)):
        raise AssertionError(f"{whose} pictures are out of order")
    loss = (last - recorded[-1]) / FRAME_RATE
    if loss > PERMITTED:
        raise AssertionError(f"{whose} recording lacks {loss:.2f} s: it ends with {recorded[-1]} of {last}")
    return max(0.0, loss)

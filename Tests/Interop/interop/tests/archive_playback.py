"""Chromium plays archives and goes to any second of them: both parties' files, whole and recovered after a SIGKILL."""
import math
import random
import shutil
import time

from interop import archives, measure, webm
from interop.browser import Browser
from interop.calling import Caller
from interop.serving import StaticSite
from interop.world import DEVICE_TONE, World

#: Seconds of each call. Long enough for several key frames.
SECONDS = 14
#: Seconds that are played from each place.
PLAYED = 0.5
#: Seconds between the place and the picture that is shown.
TOLERANCE = 0.1


def run(context):
    chance = random.Random(context.seed)
    site = context.scratch / "site"
    site.mkdir()
    (site / "index.html").write_text("<!doctype html><title>archives</title><body></body>")
    names = []
    with World(context) as world:
        names += _keep(context, _record(context, world, is_killed=False), site, "whole")
        names += _keep(context, _record(context, world, is_killed=True), site, "recovered")
    with StaticSite(site) as served, Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        browser.page.open(served.url)
        worst = max(_play(browser.page, site / name, chance) for name in names)
    return f"{len(names)} files, seed {context.seed}: pictures are {worst * 1000:.0f} ms off at most"


def _record(context, world, is_killed):
    count = len(archives.read(world.archive_folder)) + 1
    with Caller(context, world, seconds=SECONDS) as caller:
        caller.wait_for("received")
        if is_killed:
            time.sleep(SECONDS / 2)
            world.kill_device()
        else:
            caller.wait_for("ended", limit=SECONDS + 20)
    if is_killed:
        world.start_device()
    archive = archives.wait_for(world.archive_folder, count)[-1]
    archive.require_faultless()
    return archive


def _keep(context, archive, site, kind):
    """Copies the device's and the caller's file to the site and returns their names there."""
    files = {"device": archive.file_with_tone(DEVICE_TONE), "caller": archive.file_with_tone(context.tone)}
    for party, path in files.items():
        shutil.copy(path, site / f"{kind}-{party}.webm")
    return [f"{kind}-{party}.webm" for party in files]


def _play(page, path, chance):
    """The largest distance of a picture from its place, in seconds."""
    times = webm.frame_times(path)
    # From when to when each picture is the right one.
    when = dict(zip(webm.frame_numbers(path), zip(times, [*times[1:], webm.duration(path)])))
    measure.open_file(page, path.name)
    last = times[-1] - PLAYED
    places = [times[0], last, *(second + chance.random() for second in range(math.ceil(times[0]), int(last)))]
    chance.shuffle(places)
    return max(_play_from(page, path, place, when) for place in places)


def _play_from(page, path, place, when):
    """The largest distance of a picture from its place, in seconds; raises when it is too large, or when few can be read.

    The party's own encoder is free to make its marks unreadable: how many may be is another test's matter.
    """
    shown = measure.play_from(page, place, PLAYED)
    distances = {(time, mark.number): _distance(time, *when[mark.number]) for time, mark in shown
                 if mark and mark.number in when}
    misplaced = {picture: distance for picture, distance in distances.items() if distance > TOLERANCE}
    if misplaced or len(distances) < max(2, len(shown) / 2):
        raise AssertionError(f"{path.name} at {place:.3f} s: of {len(shown)} pictures {len(distances)} can be read,"
                             f" off by more than {TOLERANCE} s: {misplaced}")
    return max(distances.values())


def _distance(time, begin, end):
    return max(begin - time, time - end, 0.0)

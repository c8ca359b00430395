"""A night with rain and two visitors, recorded with events and evidence, and a power cut at its end while nothing
moves.

usage: Benchmarks/run --night [--minutes N] [--bin FOLDER]

The clip is of two and a half minutes and is repeated without a gap: an hour (--minutes 60) is 24 of it. Each visit is
to be an event with a sharp image; the recording is to be faultless, its evidence valid, and the cut is to lose a
second at most.
"""
import argparse
import dataclasses
import json
import pathlib
import subprocess
import tempfile
import time

import numpy

from bench.__main__ import REPOSITORY, Context
from interop import archives
from interop.processes import wait_until
from interop.world import World
from light import clips, moving, noise
from light.scenes import FRAME_RATE, Figure, Visit

#: Seconds of the clip, and of it when the visitors come and how long they take.
SECONDS, VISITS, CROSSING = 150, (45, 100), 12
#: How late an event may begin after a visitor is whole in the frame, and how long after a visit one is still of it, in
#: seconds.
PATIENCE = 12
#: The least share of the scene's fine detail that an event's image has: the variance of the Laplacian, of samples
#: averaged by fours.
SHARP = 0.6
#: Seconds that a power cut may take, and what a busy machine adds.
PERMITTED, MACHINE = 1.0, 0.5


class RainyNight(moving.Rain):
    """Rain in the light of a lamp, and two visitors."""

    drops, brightness = 200, 60

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        rows, columns = numpy.mgrid[0:height, 0:width].astype(numpy.float32) / height
        self._light = (0.12 + 0.4 * numpy.exp(-numpy.hypot(columns - 0.7, rows - 0.25) / 0.5)).astype(numpy.float32)

    def _visits(self, random):
        found = []
        for index, second in enumerate(VISITS):
            figure = Figure(random, self.scale)
            step = (self.width + figure.width) / (CROSSING * FRAME_RATE) * (-1)**index
            found.append(Visit(figure, second * FRAME_RATE, int(0.42 * self.height), step, self.width))
        return found

    def draw(self, number):
        frame = super().draw(number).scaled(self._light)
        frame.luma += 12
        return frame


CLIP = clips.Clip("rainy-night", RainyNight, noise.Demosaiced(read=5, shot=10), SECONDS, seed=23)


class NightWorld(World):
    """A device that records all night."""

    microphone = "test:tone"

    def __init__(self, context, clip):
        self.camera = f"file:{clip}"
        super().__init__(context,
                         has_device=False,
                         settings={
                             "archive": {
                                 "min_free": "1MiB",
                                 "record": "always"
                             },
                             "evidence": {
                                 "enabled": True
                             },
                             "[event]": {
                                 "name": "yard",
                                 "kind": "motion"
                             }
                         })


@dataclasses.dataclass(frozen=True)
class Picture:
    """An event's image beside the scene."""

    sharpness: float
    name: str


def main():
    options = _options()
    files = clips.draw(CLIP, options.clips)
    with tempfile.TemporaryDirectory() as folder:
        problems = _run(options, files, pathlib.Path(folder))
    if problems:
        raise SystemExit("\n".join(problems))


def _run(options, files, folder):
    with NightWorld(Context(options.bin, folder), files.source) as world:
        world.start_device()
        _wait_for_recording(world)
        begin = time.time()
        time.sleep(max(0, begin + _still_moment(options.minutes) - time.time()))
        events = [json.loads(line) for line in world.command("events", "--json").splitlines()]
        before = archives.read(world.archive_folder)
        world.kill_device()
        cut_at = time.time()
        world.start_device()
        cut = wait_until(lambda: _recovered(world, before[-1].manifest["id"]), "the recording is recovered", limit=60)
        problems = _check_events(world, events, begin, cut_at, files)
        return problems + _check_archive(world, cut, cut_at)


def _still_moment(minutes):
    """Seconds after the start: in the middle of the clip's last still part, in the last repetition that the time has
    room for.
    """
    still = VISITS[-1] + CROSSING + 15
    return max(0, round(minutes * 60 / SECONDS) - 1) * SECONDS + still


def _wait_for_recording(world):
    wait_until(lambda: any(path.stat().st_size > 20_000 for path in world.archive_folder.glob("*/*/*/*/*.webm")),
               "something is recorded")


def _recovered(world, archive_id):
    found = [archive for archive in archives.read(world.archive_folder) if archive.manifest["id"] == archive_id]
    return found[0] if found and found[0].manifest["status"] != "started" else None


def _check_events(world, events, begin, end, files):
    visits = [
        begin + repetition * SECONDS + second for repetition in range(int((end - begin) // SECONDS) + 1)
        for second in VISITS
    ]
    visits = [visit for visit in visits if visit + CROSSING < end]
    motion = [event for event in events if event["kind"] == "motion"]
    starts = [event["start"] / 1000 for event in motion]
    seen = [visit for visit in visits if any(visit - 1 < start < visit + CROSSING + 1 for start in starts)]
    false = [start for start in starts if not any(visit - 1 < start < visit + CROSSING + PATIENCE for visit in visits)]
    print(
        f"{(end - begin) / 60:.1f} minutes: {len(seen)} of {len(visits)} visits are events, {len(false)} false alarms")
    pictures = [_judge_picture(world, event, files) for event in motion if event.get("picture")]
    values = ", ".join(f"{picture.sharpness:.2f}" for picture in pictures)
    print(f"{len(pictures)} event images; their fine detail ÷ the noise-free scene's: {values or 'none'}")
    problems = [] if len(seen) == len(visits) else [f"{len(visits) - len(seen)} visits were missed"]
    problems += [
        f"{picture.name} has {picture.sharpness:.2f} of the scene's fine detail" for picture in pictures
        if picture.sharpness < SHARP
    ]
    return problems if pictures else [*problems, "no event has an image"]


def _judge_picture(world, event, files):
    day = time.strftime("%Y-%m-%d", time.gmtime(event["start"] / 1000))
    path = world.state_folder / "events" / day / event["picture"]
    decoded = subprocess.run(
        ["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-vf", "extractplanes=y", "-f", "rawvideo", "-"],
        capture_output=True,
        check=True,
        timeout=30).stdout
    shown = numpy.frombuffer(decoded, numpy.uint8).reshape(CLIP.height, CLIP.width)
    # Rain and visitor are elsewhere by then; what stands still has the detail. JPEG has the full range, the camera's
    # file the limited one.
    scene = CLIP.make_scene()
    frame = scene.backdrop.scaled(scene._light).luma + 12
    return Picture(_share_of_detail(_in_range_of(shown, frame), frame), path.name)


def _in_range_of(shown, frame):
    """The image with its tones as the scene has them: JPEG's range is another one than video's."""
    means = [_fours(plane).ravel() for plane in (shown, frame)]
    slope, level = numpy.polyfit(*means, 1)
    return shown * slope + level


def _share_of_detail(shown, frame):
    """How much of the scene's Laplacian is in the image's: 1 when it is as sharp, 0 without any; noise and rain, which the
    scene lacks, add nothing.
    """
    found, wanted = _laplacian(shown), _laplacian(frame)
    return float((found * wanted).sum() / (wanted * wanted).sum())


def _laplacian(plane):
    """That of samples averaged by fours, which leaves out most of the sensor's noise."""
    mean = _fours(plane)
    return mean[:-2, 1:-1] + mean[2:, 1:-1] + mean[1:-1, :-2] + mean[1:-1, 2:] - 4 * mean[1:-1, 1:-1]


def _fours(plane):
    height, width = plane.shape
    return plane.astype(numpy.float32).reshape(height // 4, 4, width // 4, 4).mean((1, 3))


def _check_archive(world, archive, cut_at):
    archive.require_faultless()
    judged = json.loads(world.try_command("archive", "verify", "--evidence", str(archive.folder), "--json").stdout)
    end = archive.manifest["createdAt"] / 1000 + max(entry["stopTimeOffset"]
                                                     for entry in archive.manifest["files"]) / 1000
    size = sum(path.stat().st_size for path in archive.files)
    print(
        f"the archive is faultless, {size / 1e6:.1f} MB; "
        f"its evidence is {judged['verdict']}; the cut lost {cut_at - end:.2f} s"
    )
    problems = [] if judged["verdict"] in ("cut", "whole") else [f"the evidence is {judged['verdict']}"]
    return problems + ([f"the power cut lost {cut_at - end:.2f} s"] if cut_at - end > PERMITTED + MACHINE else [])


def _options():
    parser = argparse.ArgumentParser(prog="Benchmarks/run --night",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=lambda text: pathlib.Path(text).resolve(), default=REPOSITORY / ".build/release")
    parser.add_argument("--minutes", type=float, default=2.5, help="60 for the whole hour")
    parser.add_argument("--clips", type=pathlib.Path, default=clips.default_folder())
    return parser.parse_args()


if __name__ == "__main__":
    main()

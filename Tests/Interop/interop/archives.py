"""The recordings that the device left on its disk."""
import dataclasses
import json
import pathlib
import time

from interop import sound, webm
from interop.processes import wait_until


@dataclasses.dataclass(frozen=True)
class Archive:
    """One folder with its manifest."""

    folder: pathlib.Path
    manifest: dict

    @property
    def files(self):
        return [self.folder / entry["filename"] for entry in self.manifest["files"]]

    def require_faultless(self):
        """Raises unless ffprobe is content with each file and the manifest's figures are those of the files."""
        for entry, path in zip(self.manifest["files"], self.files):
            webm.require_faultless(path)
            if entry["size"] != path.stat().st_size:
                raise AssertionError(f"{path.name}: the manifest says {entry['size']} bytes, not {path.stat().st_size}")
            told = (entry["stopTimeOffset"] - entry["startTimeOffset"]) / 1000
            if abs(told - webm.duration(path)) > 0.1:
                raise AssertionError(f"{path.name}: the manifest says {told} s, the file {webm.duration(path)} s")

    def file_with_tone(self, frequency):
        """The one file in which this tone is the strongest; raises when its sound is not mostly that tone."""
        found = []
        for path in self.files:
            # What begins and ends a call is left out: jitter buffers and encoders settle there.
            samples = webm.samples(path)[webm.RATE // 2:-webm.RATE // 4]
            if abs(sound.strongest_tone(samples, webm.RATE)[0] - frequency) <= 5:
                sound.require_tone(samples, webm.RATE, frequency, path.name)
                found.append(path)
        if len(found) != 1:
            raise AssertionError(f"{len(found)} files of {[path.name for path in self.files]} have {frequency} Hz")
        return found[0]

    def moments(self, path, clocked):
        """When each picture of `path` was recorded, of CLOCK_MONOTONIC; the pictures of `clocked` tell that clock."""
        times = zip(webm.frame_times(clocked), webm.marks(clocked))
        told, mark = next((at, mark) for at, mark in times if mark)
        begin = self._begin(path) - self._begin(clocked) + _whole(mark.milliseconds) - told
        return [begin + at for at in webm.frame_times(path)]

    def began(self, path):
        """When `path` begins, of CLOCK_MONOTONIC, as the wall clock tells it: for pictures without the device's marks."""
        created = self.manifest["createdAt"] / 1000
        return created - (time.time() - time.monotonic()) + self._begin(path)

    def _begin(self, path):
        entry = next(entry for entry in self.manifest["files"] if entry["filename"] == path.name)
        return entry["startTimeOffset"] / 1000


def _whole(milliseconds):
    """The latest moment, in seconds, whose milliseconds have these 24 bits."""
    now = int(time.monotonic() * 1000)
    return (now - (now - milliseconds) % (1 << 24)) / 1000


def read(root: pathlib.Path):
    """All archives below `root`, the oldest first."""
    found = [Archive(path.parent, json.loads(path.read_text())) for path in root.glob("*/*/*/*/archive.json")]
    return sorted(found, key=lambda archive: archive.manifest["createdAt"])


def wait_for(root, count, limit=10.0):
    """The archives, when there are `count` and none is being recorded any more."""
    def finished():
        archives = read(root)
        is_complete = all(archive.manifest["status"] not in ("started", "stopped") for archive in archives)
        return archives if len(archives) == count and is_complete else None
    return wait_until(finished, f"{count} archives are complete", limit)

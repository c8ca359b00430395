"""Rounds: livesessionsd and the others record the same clip, side by side or in turns."""
import contextlib
import dataclasses
import os
import pathlib
import tempfile

from bench import media
from bench.device import Device
from bench.settings import OPUSENC
from interop import webm
from light import programs

#: Kilobits a second by the frame's height.
KILOBITS = {480: 800, 1080: 3000}
DAEMON, ENCODERS, PIPES = "livesessionsd", "vpxenc + opusenc", "cat"


@dataclasses.dataclass(frozen=True)
class Round:
    """CPU seconds of each program, and RssAnon of the daemon."""

    cpu: dict
    memory: int
    #: How many frames the daemon recorded.
    frames: int


class Stage:
    """One daemon for all clips of one size, and what the others need for the clip that is on."""

    def __init__(self, context, folder: pathlib.Path, clip):
        self._folder, self._size = folder, (clip.width, clip.height)
        self._camera, self._tone = folder / "camera.y4m", folder / "tone.wav"
        self._kilobits, self._threads = KILOBITS[clip.height], 1 if clip.is_small else 2
        settings = {"video": {"width": clip.width, "height": clip.height, "bitrate": f"{self._kilobits}kbit/s"}}
        # The camera is opened for each recording, and so is whatever the link leads to then.
        self._camera.symlink_to(os.devnull)
        media.write_tone(self._tone, 1)
        self._device = Device(context, f"file:{self._camera}", f"file:{self._tone}", settings)

    def __enter__(self):
        self._device.__enter__()
        return self

    def __exit__(self, *problem):
        self._device.__exit__(*problem)

    @contextlib.contextmanager
    def clip(self, files):
        """Makes a clip the camera's, and gives a folder for what is recorded of it."""
        self._camera.unlink(missing_ok=True)
        self._camera.symlink_to(files.source)
        media.write_tone(self._tone, files.clip.seconds)
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            material = programs.Material(files, self._tone, self._kilobits, self._threads)
            yield Recorders(self._device, material, pathlib.Path(folder))


class Recorders:
    """All programs that record one clip."""

    def __init__(self, device, material, folder):
        self._device, self.material, self.folder = device, material, folder
        self.peers = programs.peers(material, folder)

    @property
    def daemon_file(self):
        return self._device.last_recording

    def round(self):
        """Lets each program record the clip once: small clips all at the same time, so that what disturbs one disturbs
        all; great ones in turns.
        """
        seconds, starts = self.material.clip.seconds, self._starts()
        _read_ahead(self.material.files.source)
        # A great clip takes a busy machine several times as long.
        limit = 10 * seconds + 60
        if not self.material.clip.is_small:
            cpu, memory, frames = self._record()
            return Round({DAEMON: cpu} | {name: start().finish(limit) for name, start in starts.items()}, memory, frames)
        running = {name: start() for name, start in starts.items()}
        try:
            cpu, memory, frames = self._record()
            return Round({DAEMON: cpu} | {name: child.finish(limit) for name, child in running.items()}, memory, frames)
        finally:
            for child in running.values():
                child.kill()

    def _starts(self):
        material, folder = self.material, self.folder
        video = programs.vpxenc(material, "-", folder / "vpxenc.webm")
        audio = [*OPUSENC, "-", str(folder / "sound.opus")]
        return {
            ENCODERS: lambda: programs.Encoders(material, video, audio),
            PIPES: lambda: programs.Encoders(material, ["cat"], ["cat"]),
            **{
                name: peer.start
                for name, peer in self.peers.items()
            }
        }

    def _record(self):
        taken = self._device.record(self.material.clip.seconds, "recording")
        return taken.total, self._device.snapshots[-1].anonymous, len(webm.frame_times(self.daemon_file))


def _read_ahead(path):
    """Has the kernel keep a file's content, so that no program waits for the disk."""
    with open(path, "rb", buffering=0) as file:
        while file.read(1 << 24):
            pass

"""The clips: which scene with which noise, and where their files are kept.

usage: python -m light.clips [--folder FOLDER] [NAME …]      draws clips that are not there yet, and prints where they
are
"""
import argparse
import ast
import concurrent.futures
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import subprocess

import numpy

from light import moving, noise, scenes

SEED = 7


@dataclasses.dataclass(frozen=True)
class Clip:
    """One clip; each of its frames follows from the seed and its number."""

    name: str
    scene: type
    noise: object
    seconds: int = 12
    width: int = 640
    height: int = 480
    #: Clips of one seed have one yard.
    seed: int = SEED

    @property
    def is_small(self):
        """Whether programs that encode it side by side leave the machine idle most of the time."""
        return self.width * self.height <= 640 * 480

    @property
    def frames(self):
        return self.seconds * scenes.FRAME_RATE

    @property
    def text(self):
        """All that makes it what it is."""
        size = f"{self.width}×{self.height}"
        return f"{self.scene.__name__}, {self.noise.text}, {self.seconds} s of {size}, seed {self.seed}"

    def make_scene(self):
        return self.scene(numpy.random.default_rng(self.seed), self.height, self.width, self.frames)


SENSOR = noise.Demosaiced(read=1.5, shot=3.5)
CLIPS = {
    clip.name: clip
    for clip in (
        Clip("still-1", scenes.Still, noise.Gaussian(1), 20),
        Clip("still-2", scenes.Still, noise.Gaussian(2), 20),
        Clip("still-4", scenes.Still, noise.Gaussian(4), 20),
        Clip("still-bayer", scenes.Still, SENSOR, 20),
        Clip("still-jpeg", scenes.Still, noise.Jpeg(SENSOR), 20),
        Clip("night", moving.Night, noise.Demosaiced(read=9, shot=16), 20, seed=11),
        Clip("rain", moving.Rain, SENSOR),
        Clip("leaves", moving.Leaves, SENSOR),
        Clip("street", moving.Street, SENSOR, seed=13),
        Clip("pan", moving.Pan, SENSOR),
        Clip("lights", moving.Lights, SENSOR),
        Clip("flicker", moving.Flicker, SENSOR),
        Clip("moving", moving.Moving, SENSOR),
        Clip("still-1080p", scenes.Still, SENSOR, 12, 1920, 1080),
        Clip("moving-1080p", moving.Moving, SENSOR, 8, 1920, 1080),
    )
}


@dataclasses.dataclass(frozen=True)
class Files:
    """A drawn clip: what the camera delivers, the scene without noise, and what happens when."""

    clip: Clip
    source: pathlib.Path
    clean: pathlib.Path
    #: Numbers of frames with which something new begins.
    entrances: list


def default_folder():
    cache = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache")
    return cache / "livesessions/light-clips"


@functools.cache
def _version():
    """Clips are drawn again when what draws them has changed, other than in its layout."""
    sources = (pathlib.Path(module.__file__).read_text() for module in (scenes, moving, noise))
    return hashlib.sha256("".join(ast.dump(ast.parse(source)) for source in sources).encode()).hexdigest()[:12]


def draw(clip: Clip, folder: pathlib.Path) -> Files:
    """The clip's files in `folder`, drawn on both cores if they are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = {kind: folder / f"{clip.name}{kind}" for kind in (".y4m", "-clean.y4m", ".json")}
    identity = {"version": _version(), "clip": clip.text}
    found = json.loads(paths[".json"].read_text()) if paths[".json"].exists() else {}
    if found.get("identity") != identity:
        paths[".json"].unlink(missing_ok=True)
        _write(clip, paths[".y4m"], paths["-clean.y4m"])
        found = {"identity": identity, "entrances": [int(number) for number in clip.make_scene().entrances]}
        paths[".json"].write_text(json.dumps(found))
    return Files(clip, paths[".y4m"], paths["-clean.y4m"], found["entrances"])


def _write(clip, source, clean):
    header = f"YUV4MPEG2 W{clip.width} H{clip.height} F{scenes.FRAME_RATE}:1 Ip A1:1 C420jpeg\n".encode()
    frame_bytes = len(b"FRAME\n") + clip.width * clip.height * 3 // 2
    for path in (source, clean):
        path.write_bytes(header)
        os.truncate(path, len(header) + clip.frames * frame_bytes)
    parts = os.cpu_count() or 1
    with concurrent.futures.ProcessPoolExecutor(parts) as pool:
        list(
            pool.map(_write_part,
                     *zip(*((clip, (source, clean), len(header), frame_bytes, part, parts) for part in range(parts)))))


def _write_part(clip, paths, begin, frame_bytes, part, parts):
    scene = clip.make_scene()
    with open(paths[0], "r+b") as source, open(paths[1], "r+b") as clean:
        for number in range(part, clip.frames, parts):
            frame = scene.draw(number)
            noisy = clip.noise(frame, numpy.random.default_rng([clip.seed, number]))
            for file, planes in ((source, noisy), (clean, frame)):
                file.seek(begin + number * frame_bytes)
                file.write(b"FRAME\n" + planes.rounded())


def convert(video: pathlib.Path, folder: pathlib.Path) -> Files:
    """A real recording as a clip: 20 s of it at most, scaled to 640×480 at 30 frames a second. What it shows without
    noise is not known, so it stands for that itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"video-{video.stem}.y4m"
    subprocess.run([
        "ffmpeg", "-nostdin", "-v", "error", "-y", "-i", video, "-t", "20", "-an", "-vf",
        f"fps={scenes.FRAME_RATE},scale=640:480", "-pix_fmt", "yuv420p", path
    ],
                   check=True,
                   timeout=300)
    path.with_suffix(".json").write_text(json.dumps({"identity": hashlib.sha256(video.read_bytes()).hexdigest()}))
    seconds = (path.stat().st_size - 100) // (scenes.FRAME_RATE * (640 * 480 * 3 // 2 + len("FRAME\n")))
    return Files(Clip(path.stem, None, None, seconds), path, path, [])


def main():
    parser = argparse.ArgumentParser(prog="python -m light.clips",
                                     description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=pathlib.Path, default=default_folder())
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(CLIPS))
    options = parser.parse_args()
    for name in options.names or CLIPS:
        if name not in CLIPS:
            parser.error(f"no clip is called {name}; there are {', '.join(CLIPS)}")
        files = draw(CLIPS[name], options.folder)
        print(files.source, files.clean, f"entrances at frames {files.entrances}")


if __name__ == "__main__":
    main()

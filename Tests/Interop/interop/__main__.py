"""Runs the tests one after the other and reports."""
import argparse
import importlib
import pathlib
import random
import sys
import tempfile
import time
import traceback

from interop import pattern, sound
from interop.tests import ALL, USUAL

REPOSITORY = pathlib.Path(__file__).resolve().parents[3]


class Context:
    """What a test is given: the programs, a folder of its own, and the caller's clip and tone."""

    camera_frames = 300
    tone = 440
    repository = REPOSITORY
    web = REPOSITORY / "Sources/Hub/HubHTTP/web"

    def __init__(self, binaries, *, artifacts=None, kills=0, calls=0, seconds=0.0, seed=0, gpio_sim=None,
                 nodes=1, interruptions=50):
        self.binaries = binaries
        self.artifacts = artifacts
        self.kills, self.calls, self.seconds = kills, calls, seconds
        self.seed = seed
        #: Of the upload, by upload_interrupted.
        self.interruptions = interruptions
        self.gpio_sim = gpio_sim
        #: Of the hub.
        self.nodes = nodes
        self.scratch = None
        self._clips = pathlib.Path(tempfile.mkdtemp(prefix="clips."))

    def camera(self):
        """A clip of :attr:`camera_frames` numbered frames."""
        path = self._clips / "camera.y4m"
        if not path.exists():
            pattern.write_y4m(path, self.camera_frames)
        return path

    def microphone(self):
        path = self._clips / "microphone.wav"
        if not path.exists():
            sound.write_tone(path, self.tone)
        return path


def main():
    options = _options()
    if options.list:
        print("\n".join(ALL))
        return 0
    context = Context(options.bin, artifacts=options.artifacts, kills=options.kills, calls=options.calls,
                      seconds=options.seconds, seed=options.seed, gpio_sim=options.gpio_sim,
                      nodes=options.nodes, interruptions=options.interruptions)
    tests = (options.tests or (ALL if options.all else USUAL))[options.share.start::options.share.step]
    first = "once" if options.again else "FAIL"
    # A failure that is followed by another try is not one that stands.
    failed = {name: reason for name in tests if (reason := _failure(name, context, first))}
    if options.again and failed:
        print("once more, to be mended if that passes:", *failed)
        failed = {name: reason for name in failed if (reason := _failure(name, context, "FAIL"))}
    print(f"{len(tests) - len(failed)} passed, {len(failed)} failed")
    print("".join(f"FAIL {name}: {reason}\n" for name, reason in failed.items()), end="")
    if options.failed:
        options.failed.write_text("".join(f"{name}\n" for name in failed))
    return 1 if failed else 0


def _options():
    parser = argparse.ArgumentParser(prog="Tests/Interop/run", description=__doc__)
    parser.add_argument("--bin", type=_path, default=REPOSITORY / ".build/release", help="where the programs are")
    parser.add_argument("--artifacts", type=_path, help="a folder for screenshots")
    parser.add_argument("--kills", type=int, default=20, help="how often kill_recording kills the daemon")
    parser.add_argument("--calls", type=int, default=500, help="how many vanishing_callers places")
    parser.add_argument("--seconds", type=float, default=20, help="how long bad_network_loss listens and looks")
    parser.add_argument("--interruptions", type=int, default=50, help="how often upload_interrupted interrupts")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32), help="for moments, places in files and who vanishes")
    parser.add_argument("--gpio-sim", type=_path, help="gpiosim.ko, as Tests/DeviceVM/gpio-sim makes it, for door_station")
    parser.add_argument("--nodes", type=_count, default=1, help="how many nodes the hub has, with a Redis and HAProxy")
    parser.add_argument("--all", action="store_true", help="run also the tests that take long")
    parser.add_argument("--again", action="store_true", help="run what failed once more, as a busy machine may need")
    parser.add_argument("--failed", type=_path, help="a file for the names of what failed")
    parser.add_argument("--share", type=_share, default=slice(0, None, 1), metavar="K/N",
                        help="every N-th test alone, from the K-th on: for N runs at the same time")
    parser.add_argument("--list", action="store_true", help="name the tests")
    parser.add_argument("tests", nargs="*", metavar="test", help="which tests; the usual ones without")
    options = parser.parse_args()
    unknown = set(options.tests) - set(ALL)
    if unknown:
        parser.error(f"unknown test: {', '.join(sorted(unknown))}; known are {', '.join(ALL)}")
    return options


def _count(text):
    if int(text) < 1:
        raise argparse.ArgumentTypeError("there must be one at least")
    return int(text)


def _share(text):
    which, of = map(int, text.split("/"))
    if not 1 <= which <= of:
        raise argparse.ArgumentTypeError("K/N, with K from 1 to N")
    return slice(which - 1, None, of)


def _path(text):
    return pathlib.Path(text).resolve()


def _failure(name, context, word):
    """Runs a test and says how it went, with `word` before it when it failed. The reason in short, None when it passed."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix=f"{name}.", ignore_cleanup_errors=True) as scratch:
        context.scratch = pathlib.Path(scratch)
        try:
            words = importlib.import_module(f"interop.tests.{name}").run(context)
        except Exception as error:
            print(f"{word} {name} ({time.monotonic() - begin:.1f} s)\n{traceback.format_exc()}")
            return f"{type(error).__name__}: {error}".splitlines()[0][:300]
    print(f"ok   {name} ({time.monotonic() - begin:.1f} s){': ' + words if words else ''}")
    return None


if __name__ == "__main__":
    sys.exit(main())

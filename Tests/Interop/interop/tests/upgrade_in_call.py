"""The daemon's program is replaced in mid-call, as a package does, and the daemon restarted: the caller is told that
the call has ended, its recording is whole, proven and none to be recovered, and the next call works."""
import os
import shutil
import time

from interop import archives, sequence
from interop.calling import Caller
from interop.world import DEVICE_TONE, World

PROGRAMS = ("livesessionsd", "livesessions-hub", "livesessions")
#: Seconds of call before the upgrade, and until the caller is told at most.
CALL, PERMITTED = 6.0, 3.0


def run(context):
    own = _Installed(context)
    with World(own, settings={"evidence": {"enabled": True}}) as world:
        with Caller(context, world, seconds=60) as caller:
            caller.wait_for("connected")
            caller.wait_for("received")
            time.sleep(CALL)
            own.replace("livesessionsd")
            begin = time.monotonic()
            world.stop_device()
            ended = caller.wait_for("ended")
            told = ended["at"] - begin
        archive = archives.wait_for(world.archive_folder, 1)[0]
        if ended["reason"] != "shutdown" or told > PERMITTED:
            raise AssertionError(f"the caller is told {ended['reason']!r} after {told:.1f} s")
        _require_whole(context, world, archive)
        world.start_device()
        with Caller(context, world, seconds=4, name="second caller") as caller:
            caller.wait_for("connected")
            caller.wait_for("ended")
            seen = sequence.examine([event["number"] for event in caller.events("received")])
        seen.require("the device's pictures after the upgrade", at_least=30)
        if archives.read(world.archive_folder)[0].manifest != archive.manifest:
            raise AssertionError("the new program has changed a recording that was whole")
    return f"told {ended['reason']!r} after {told:.1f} s; the archive's reason is {archive.manifest['reason']!r}"


def _require_whole(context, world, archive):
    if archive.manifest["status"] != "available" or archive.manifest["reason"] == "recovered":
        raise AssertionError(f"the archive is {archive.manifest['status']!r}: {archive.manifest['reason']!r}")
    archive.require_faultless()
    archive.file_with_tone(DEVICE_TONE)
    archive.file_with_tone(context.tone)
    world.command("archive", "verify", "--evidence", str(archive.folder))


class _Installed:
    """The context with programs of its own, which can be replaced."""

    def __init__(self, context):
        self._context, self.binaries = context, context.scratch / "bin"
        self.binaries.mkdir()
        for name in PROGRAMS:
            self.replace(name)

    def __getattr__(self, name):
        return getattr(self._context, name)

    def replace(self, name):
        """Puts a new file in the place of the program, whichever runs."""
        new = self.binaries / f"{name}.new"
        shutil.copy2(self._context.binaries / name, new)
        os.replace(new, self.binaries / name)

"""A device that boots a year late records itself; in mid-recording the time server is reached: the recording has its
true date from then on, its files and its evidence are whole, and nothing is deleted for its age."""
import json
import time

from interop import archives
from interop.wall_clock import WallClock
from interop.world import World

YEAR = 365 * 86_400
BEFORE, AFTER = 6.0, 12.0
#: Seconds by which the date may be wrong.
PERMITTED = 1.0
PLAN = {"name": "all day", "when": "always", "max_age": "1d"}


def run(context):
    clock = WallClock(context.scratch)
    clock.step(-YEAR)
    settings = {"[plan]": PLAN, "archive": {"min_free": "1MiB", "segment": "10s"}, "evidence": {"enabled": True}}
    with World(context, variables=clock.variables, settings=settings) as world:
        archive_id = world.command("archive", "start").split()[0]
        begun = time.time()
        time.sleep(BEFORE)
        world.command("archive", "stop", archive_id)
        planned = next(one for one in archives.read(world.archive_folder) if one.manifest["status"] == "started")
        if planned.manifest["clockSynchronized"]:
            raise AssertionError("a clock that is a year late counts as synchronised")
        clock.synchronise()
        time.sleep(AFTER)
        world.stop_device()
        found = {one.manifest["id"]: one for one in archives.wait_for(world.archive_folder, 2)}
        _require_kept(world, found[archive_id])
        return _require_dated(world, found[planned.manifest["id"]], begun)


def _require_kept(world, archive):
    """What ended before is whole, and says that its date is not to be believed."""
    archive.require_faultless()
    _verdict(world, archive)
    if archive.manifest["clockSynchronized"]:
        raise AssertionError("an archive that ended before has a date to be believed")


def _require_dated(world, archive, begun):
    archive.require_faultless()
    begin, now = archive.manifest["createdAt"] / 1000, time.time()
    if not archive.manifest["clockSynchronized"] or not begun - 60 < begin < begun + PERMITTED:
        raise AssertionError(f"the archive began {now - begin:.0f} s ago, it says, not {now - begun:.0f} s")
    end = begin + max(entry["stopTimeOffset"] for entry in archive.manifest["files"]) / 1000
    if not now - 30 < end < now:
        raise AssertionError(f"it ends {now - end:.1f} s ago, it says")
    verdict = _verdict(world, archive)
    return f"{len(archive.files)} files, dated {begun - begin:.1f} s before the first command, evidence {verdict}"


def _verdict(world, archive):
    judged = json.loads(world.command("archive", "verify", "--evidence", str(archive.folder), "--json"))
    if judged["verdict"] != "whole":
        raise AssertionError(f"the evidence is {judged}")
    return judged["verdict"]

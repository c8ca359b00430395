"""Power cuts at random moments while a plan, manual archives, uploads, exports and retention are at work, on a disk that flushes at
once and on one that takes half a second: what is left plays, lacks little, and what was to stay is there."""
import itertools
import json
import random
import statistics
import subprocess
import time

from interop import archives, webm
from interop.background import Background
from interop.object_store import BUCKET, REGION, ObjectStore
from interop.processes import wait_until
from interop.slow_disk import SlowDisk
from interop.world import World

#: Seconds from the start to the cut.
EARLIEST, LATEST = 3.0, 12.0
#: Of the disk, for each flush; those of half a second come every other time.
MILLISECONDS = (0, 500)
#: Seconds that a recording may lack: two clusters, two flushes, and what a busy machine takes to make frames.
CLUSTER, MACHINE = 0.9, 0.5
PLAN = {"name": "all day", "when": "always", "max_total": "10MiB"}
#: Octets that retention leaves of the plan at least, and of all: the oldest goes when the next one would be too much.
KEPT_OF_PLAN, KEPT = 7 << 20, 30 << 20


class CutWorld(World):
    """A device that records itself, whose disk is slow."""

    def __init__(self, context, store, milliseconds):
        credentials = context.scratch / "upload-credentials"
        credentials.write_text(store.credentials + "\n")
        credentials.chmod(0o600)
        disk = SlowDisk(context.scratch, context.scratch / "state" / "archives", milliseconds)
        super().__init__(context, variables=disk.variables, settings={
            "video": {"camera": "test:bars", "width": 320, "height": 240, "frame_rate": 15},
            "archive": {"min_free": "1MiB", "segment": "10s", "max_total": "40MiB"},
            "evidence": {"enabled": True}, "[plan]": PLAN,
            "upload": {"endpoint": store.address, "bucket": BUCKET, "region": REGION,
                       "credentials_file": str(credentials)}})
        self.disk = disk
        #: When each manual archive was stopped: what it lacks, it lacks of what was before.
        self.stops = {}


class Busy(Background):
    """Manual archives one after the other, and exports of what has ended; what fails because the device is gone is no matter."""

    def __init__(self, world, step):
        super().__init__()
        self._world, self._step = world, step

    def _run(self):
        while not self._is_over.is_set():
            try:
                self._step(self._world, self._is_over)
            except (subprocess.SubprocessError, OSError, ValueError, IndexError):
                pass
            self._is_over.wait(0.2)


def record(world, is_over):
    archive_id = world.try_command("archive", "start").stdout.split()[0]
    is_over.wait(3)
    world.stops[archive_id] = time.time()
    world.try_command("archive", "stop", archive_id)
    is_over.wait(2.5)


def export(world, is_over):
    listed = json.loads(world.try_command("archive", "list", "--json").stdout)
    ended = [item["archiveID"] for item in listed if item["status"] == "available"]
    target = world.folder / "export.webm"
    world.try_command("archive", "export", random.choice(ended), "--output", str(target), "--force",
                      variables=world.disk.variables)
    is_over.wait(2)


def run(context):
    moments = random.Random(context.seed)
    losses = {milliseconds: [] for milliseconds in MILLISECONDS}
    with ObjectStore(context.scratch) as store:
        store.door.open()
        for number, milliseconds in zip(range(context.kills), itertools.cycle(MILLISECONDS)):
            losses[milliseconds].append((number, moments.uniform(EARLIEST, LATEST)))
        told = [_cuts(context, store, milliseconds, cuts) for milliseconds, cuts in losses.items() if cuts]
    return f"{context.kills} cuts, seed {context.seed}: " + "; ".join(told)


def _cuts(context, store, milliseconds, cuts):
    folder = context.scratch / f"disk-{milliseconds}"
    folder.mkdir()
    own = _Scratch(context, folder)
    lost, files = {}, 0
    with CutWorld(own, store, milliseconds) as world:
        kept = _lock_one(world)
        for number, moment in cuts:
            try:
                seconds, count = _cut_once(world, moment, kept)
            except Exception as error:
                raise AssertionError(
                    f"cut {number + 1}, {milliseconds} ms a flush, seed {context.seed}: {error}") from error
            lost |= {f"cut {number + 1}: {name}": value for name, value in seconds.items()}
            files += count
    worst = max(lost, key=lost.get)
    told = (f"{milliseconds} ms a flush: {len(cuts)} cuts, {files} files, "
            f"lost {statistics.mean(lost.values()):.2f} s on average, {lost[worst]:.2f} s at most ({worst})")
    permitted = 2 * CLUSTER + 2 * milliseconds / 1000 + MACHINE if milliseconds else 1.0 + MACHINE
    if lost[worst] > permitted:
        raise AssertionError(f"{told}, {permitted} s are permitted; seed {context.seed}")
    return told


class _Scratch:
    """The context with another folder."""

    def __init__(self, context, folder):
        self._context, self.scratch = context, folder

    def __getattr__(self, name):
        return getattr(self._context, name)


def _lock_one(world):
    archive_id = world.command("archive", "start").split()[0]
    time.sleep(1.5)
    world.command("archive", "stop", archive_id)
    world.command("archive", "lock", archive_id)
    return archive_id


def _cut_once(world, moment, kept):
    """The seconds that each archive lacks which was being recorded, by what it is; and how many files were checked."""
    with Busy(world, record), Busy(world, export):
        time.sleep(moment)
        world.kill_device()
        cut_at = time.time()
        before = {archive.manifest["id"]: archive for archive in archives.read(world.archive_folder)}
    running = {name: archive for name, archive in before.items() if archive.manifest["status"] == "started"}
    world.disk.cut_power()
    world.start_device()
    # The hub may still think that it is there, while a slow disk takes its time for recovery.
    wait_until(lambda: world.try_command("status", "--json").stdout, "the daemon answers", limit=60)
    after = wait_until(lambda: _recovered(world, running), "recordings are recovered", limit=60)
    if kept not in after:
        raise AssertionError("the archive that was locked is gone")
    _require_kept([archive for name, archive in before.items() if name not in running], after)
    found = [after[name] for name in running if name in after]
    cut = [archive for archive in found if archive.manifest["reason"] == "recovered" or not archive.files]
    for archive in filter(lambda archive: archive.files, cut):
        _require_sound(world, archive)
    lost = {_name(archive): _last_moment(world, archive, cut_at) - _end(archive) for archive in cut}
    # What had nothing on the disk is taken away.
    lost |= {f"{_name(archive)}, discarded": _last_moment(world, archive, cut_at) - _begin(archive)
             for name, archive in running.items() if name not in after}
    return lost, sum(len(archive.files) for archive in cut)


def _recovered(world, running):
    """All archives by their ids, once none of those that were being recorded is in that state any more."""
    found = {archive.manifest["id"]: archive for archive in archives.read(world.archive_folder)}
    is_over = all(found[name].manifest["status"] != "started" for name in running if name in found)
    return found if is_over else None


def _require_kept(complete, after):
    """Raises when a complete archive is gone though there was space for it."""
    gone = [archive for archive in complete if archive.manifest["id"] not in after]
    for limit, is_counted in ((KEPT_OF_PLAN, lambda archive: archive.manifest.get("plans")), (KEPT, lambda _: True)):
        left = sum(archive.manifest["size"] for archive in after.values() if is_counted(archive))
        if left >= limit:
            gone = [archive for archive in gone if not is_counted(archive)]
    if gone:
        raise AssertionError(f"{_name(gone[0])} is gone, of {gone[0].manifest['size']} octets")


def _name(archive):
    kind = "planned" if archive.manifest.get("plans") else "manual"
    return f"{kind} {archive.manifest['id'][:8]}"


def _last_moment(world, archive, cut_at):
    """When an archive's recording ended, in seconds since 1970: its files may still have been completed at the cut."""
    return min(cut_at, world.stops.get(archive.manifest["id"], cut_at))


def _begin(archive):
    """Seconds since 1970."""
    return archive.manifest["createdAt"] / 1000


def _end(archive):
    """Seconds since 1970."""
    stops = [entry["stopTimeOffset"] for entry in archive.manifest["files"]] or [0]
    return _begin(archive) + max(stops) / 1000


def _require_sound(world, archive):
    world.command("archive", "verify", archive.manifest["id"])
    for path in archive.files:
        webm.duration(path)
    judged = world.try_command("archive", "verify", "--evidence", str(archive.folder), "--json")
    verdict = json.loads(judged.stdout)["verdict"]
    if verdict not in ("cut", "whole", "missing"):
        raise AssertionError(f"{archive.folder.name}: its evidence is {verdict}: {judged.stdout}")

"""Recordings leave the device: in parts to a store that checks each signature, past SIGKILL of the daemon and a store that is
away; bytes are equal, the manifest comes last, a program is run, and everybody tells what is uploaded."""
import hashlib
import json
import time

from interop import archives
from interop.object_store import BUCKET, REGION, ObjectStore
from interop.processes import wait_until
from interop.world import World

PREFIX = "front-door"
#: Bytes, more than two parts.
BALLAST = 12_000_000


def settings(store, context, **more):
    credentials = context.scratch / "upload-credentials"
    credentials.write_text(store.credentials + "\n")
    credentials.chmod(0o600)
    return {
        "upload": {"endpoint": store.address, "bucket": BUCKET, "region": REGION, "prefix": PREFIX,
                   "credentials_file": str(credentials), **more},
        "archive": {"on_archive": [str(hook(context)), "an argument"], "min_free": "1MiB"},
    }


def hook(context):
    program = context.scratch / "finished"
    program.write_text(
        f'#!/bin/sh\necho "$1 $LIVESESSIONS_ARCHIVE $LIVESESSIONS_UPLOADED_TO $HOME" >>{context.scratch}/hooked\n')
    program.chmod(0o755)
    return program


def record(world, seconds):
    """A recording of the device alone; its folder and its id."""
    archive_id = world.command("archive", "start").split()[0]
    time.sleep(seconds)
    world.command("archive", "stop", archive_id)
    return archive_id


def run(context):
    with ObjectStore(context.scratch) as store:
        # Slow enough that the daemon is killed while it sends.
        with World(context, settings=settings(store, context, max_bitrate="24Mbit/s")) as world:
            archive_id = record(world, 1)
            wait_until(lambda: problems(world), "it is told that the store is away", limit=10, interval=0.2)
            [archive] = archives.wait_for(world.archive_folder, 1)
            add_ballast(archive)
            store.door.open()
            wait_until(lambda: store.requests("partNumber=1&"), "the first part is there", limit=15)
            world.kill_device()
            world.start_device()
            wait_for_upload(store, world, archive_id)
            require_equal(store, world)
            if store.requests("?uploads=") != 1 or store.requests("partNumber=1&") != 1:
                raise AssertionError(f"what was begun was not gone on with:\n{store.last_words()}")
            require_told(context, world, archive_id)
            sent = world.status()["upload"]["sentBytes"]
        return f"{sent / 1e6:.1f} of {BALLAST / 1e6:.0f} MB sent after SIGKILL in the middle"


def add_ballast(archive):
    """A file that goes in parts, as those of longer recordings do."""
    (archive.folder / "ballast.bin").write_bytes(hashlib.shake_256(b"ballast").digest(BALLAST))


def wait_for_upload(store, world, archive_id, limit=25):
    try:
        wait_until(lambda: is_uploaded(world, archive_id), f"{archive_id} is uploaded", limit=limit, interval=0.2)
    except TimeoutError as error:
        status = world.status()
        raise AssertionError(f"{error}: {status['upload']}, {status.get('problems')}\n{store.last_words()}") from error


def is_uploaded(world, archive_id):
    listed = json.loads(world.command("archive", "list", "--json"))
    return any(item["archiveID"] == archive_id and item.get("isUploaded") for item in listed)


def problems(world):
    return [problem for problem in world.status().get("problems") or []
            if problem["part"] == "upload" and "until" not in problem]


def require_equal(store, world):
    """All files of all archives are there, with the same bytes, and nothing else."""
    own = {}
    for path in sorted(world.archive_folder.glob("*/*/*/*/*.*")):
        own[f"{PREFIX}/{path.relative_to(world.archive_folder)}"] = hashlib.sha256(path.read_bytes()).hexdigest()
    there = store.digests()
    if own != there:
        raise AssertionError(f"the store has {there}, the device {own}")
    if store.unfinished():
        raise AssertionError(f"these were begun and never completed: {store.unfinished()}")


def require_told(context, world, archive_id):
    upload = world.status()["upload"]
    if upload["waitingArchives"] or not upload["uploadedArchives"] or upload["destination"].count(PREFIX) != 1:
        raise AssertionError(f"the status tells {upload}")
    hooked = (context.scratch / "hooked").read_text().split("\n")
    if len(hooked) != 2 or not hooked[0].startswith(f"an argument {archive_id} {upload['destination']}"):
        raise AssertionError(f"the program was run with {hooked}")
    if not hooked[0].endswith(f"/{archive_id} "):
        raise AssertionError(f"its environment is not empty: {hooked}")
    verified = world.try_command("archive", "verify", archive_id)
    if verified.returncode:
        raise AssertionError(f"verify says {verified.stdout}")

"""The archive disk was in other hands: links out of it, pipes that never open, manifests that name other files."""
import json
import os
import shutil
import subprocess
import time

from interop import archives
from interop.world import DEVICE, OPERATOR

from abuse.client import Client
from abuse.ringing import status_seconds

SECRET = "what lies outside of the archives"
#: How long the device may take to answer for something that is none of its archives.
LIMIT = 5.0
#: So often it may be late before the rest is left out.
LATE = 3


class Late(Exception):
    """The device took too long; what else was to be tried waits for the same thing."""


def begin(stage):
    """An archive of the device alone, and a copy of it."""
    archive_id = stage.world.command("archive", "start").split()[0]
    time.sleep(2)
    stage.world.command("archive", "stop", archive_id)
    [stage.archive] = archives.wait_for(stage.world.archive_folder, 1)
    stage.kept = stage.world.folder / "kept"
    shutil.copytree(stage.archive.folder, stage.kept)


def attack(stage):
    stage.looker = Client(stage.port, "127.0.5.1")
    stage.looker.login(*OPERATOR)
    stage.root = f"/v1/users/{_device(stage.looker)}/archives"
    secret = stage.world.folder / "elsewhere" / "secret"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    late = 0
    for tamper in QUICK_TAMPERINGS if stage.is_quick else TAMPERINGS:
        tamper(stage.archive.folder, secret)
        try:
            _use(stage, tamper.__doc__, secret)
        except Late as error:
            late += 1
            stage.check(False, f"{tamper.__doc__}: {error}")
        _restore(stage)
        if late == LATE:
            return stage.note("the rest was left out")
    _require_whole(stage)


def _link_file(folder, secret):
    """a file that is a link"""
    path = next(folder.glob("*.webm"))
    path.unlink()
    path.symlink_to(secret)


def _pipe_file(folder, _secret):
    """a file that is a pipe"""
    path = next(folder.glob("*.webm"))
    path.unlink()
    os.mkfifo(path)


def _climb(folder, _secret):
    """a manifest that names files elsewhere"""
    def change(manifest):
        manifest["files"] = [{**manifest["files"][0], "filename": name} for name in (
            "../../../../elsewhere/secret", "/etc/passwd", "..", "", "a/../../b.webm")]
    _edit(folder, change)


def _wild_numbers(folder, _secret):
    """a manifest with wild numbers"""
    def change(manifest):
        manifest.update(createdAt=-(2 ** 63), duration=2 ** 63 - 1, size=2 ** 63 - 1)
        for entry in manifest["files"]:
            entry.update(size=-1, startTimeOffset=2 ** 63 - 1, stopTimeOffset=-(2 ** 63))
    _edit(folder, change)


def _wild_text(folder, _secret):
    """a manifest with wild text"""
    def change(manifest):
        manifest.update(name="\x1b]52;c;AAAA\x07\r\n" * 50, status="x" * 10_000, id="../../elsewhere")
    _edit(folder, change)


def _link_manifest(folder, secret):
    """a manifest that is a link"""
    (folder / "archive.json").unlink()
    (folder / "archive.json").symlink_to(secret)


def _pipe_manifest(folder, _secret):
    """a manifest that is a pipe"""
    (folder / "archive.json").unlink()
    os.mkfifo(folder / "archive.json")


def _deep_manifest(folder, _secret):
    """a manifest that is nested 100,000 deep"""
    (folder / "archive.json").write_text('{"id":' * 100_000)


def _link_folder(folder, secret):
    """a folder that is a link"""
    shutil.rmtree(folder)
    folder.symlink_to(secret.parent)


def _link_day(folder, secret):
    """a day that is a link"""
    # Other archives of that day are away for a moment; the one that is recorded goes on.
    other = folder.parent.with_name("31" if folder.parent.name != "31" else "30")
    other.symlink_to(secret.parent)


TAMPERINGS = [_link_file, _pipe_file, _climb, _wild_numbers, _wild_text, _link_manifest, _pipe_manifest,
              _deep_manifest, _link_folder, _link_day]
QUICK_TAMPERINGS = [_link_file, _pipe_file, _wild_numbers]


def _edit(folder, change):
    path = folder / "archive.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))


def _use(stage, what, secret):
    """Everything that reads archives, from the hub's side and from the command line."""
    archive_id = stage.archive.manifest["id"]
    names = [entry["filename"] for entry in stage.archive.manifest["files"]]
    for path in ("", f"/{archive_id}", *(f"/{archive_id}/{name}" for name in (*names, "secret"))):
        answer = stage.looker.request("GET", stage.root + path)
        stage.check(SECRET.encode() not in answer.body, f"{what}: archives{path} shows a file from outside")
        if answer.seconds >= LIMIT:
            raise Late(f"a look at archives{path} takes longer than {LIMIT:.0f} s")
    for command in ("list", "show", "verify", "repair"):
        _command(stage, what, secret, command, *([] if command == "list" else [archive_id]))
    _command(stage, what, secret, "delete", archive_id, "--force")


def _device(looker):
    """The device's user id."""
    return next(user["userID"] for user in looker.request("GET", "/v1/users").json["items"]
                if user["userTitle"] == DEVICE)


def _command(stage, what, secret, *arguments):
    try:
        finished = stage.world.try_command("archive", *arguments, limit=LIMIT)
    except subprocess.TimeoutExpired:
        raise Late(f"archive {arguments[0]} takes longer than {LIMIT:.0f} s") from None
    told = finished.stdout + finished.stderr
    stage.check("\x1b" not in told and SECRET not in told, f"{what}: archive {arguments[0]} prints what the disk says")
    stage.check(secret.read_text() == SECRET, f"{what}: archive {arguments[0]} changes a file outside")


def _restore(stage):
    folder = stage.archive.folder
    if folder.is_symlink():
        folder.unlink()
    shutil.rmtree(folder, ignore_errors=True)
    for link in folder.parents[1].iterdir():
        if link.is_symlink():
            link.unlink()
    shutil.copytree(stage.kept, folder)


def _require_whole(stage):
    """After all that, the archive as it was is shown, and the daemon is quick."""
    finished = stage.world.try_command("archive", "verify", stage.archive.manifest["id"])
    stage.check(finished.returncode == 0, f"an archive without fault is not: {finished.stdout}{finished.stderr}")
    stage.check(status_seconds(stage) < 1, "status takes longer than a second")

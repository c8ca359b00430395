"""What the daemon makes of a disk at its start after a power cut: on the host, which is faster than the machine."""
import dataclasses
import hashlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

from .recording import Recording

LIMIT = 60
CONFIGURATION = """\
[device]
title = "Front gate"
state_directory = "{folder}/state"

[hub]
url = "http://127.0.0.1:9"

[video]
camera = "test:bars"

[audio]
microphone = "test:tone"
speaker = "none"

[archive]
min_free = "1MiB"

[network]
addresses = ["127.0.0.1"]

[location]
enabled = false

[control]
socket = "{folder}/control"
"""


@dataclasses.dataclass
class Archive:
    """One that `archive list` names."""

    listed: dict
    manifest: dict
    #: Of its files, in words.
    problems: list


def length(manifest):
    """Milliseconds from an archive's start to the end of its files."""
    return max((file["stopTimeOffset"] for file in manifest["files"]), default=0)


@dataclasses.dataclass
class Aftermath:
    archives: dict = dataclasses.field(default_factory=dict)
    #: What must never be, in words.
    problems: list = dataclasses.field(default_factory=list)
    #: What the daemon has logged.
    log: str = ""


class Examination:
    """Examines images; from several threads at the same time."""

    def __init__(self, programs):
        self._programs = programs
        self._known = {}
        self._lock = threading.Lock()

    def examine(self, image, folder):
        """Mounts, as it were, an image, starts the daemon on what is there, and looks at what it says."""
        found = Aftermath()
        archives = folder / "state" / "archives"
        archives.mkdir(parents=True, mode=0o700)
        try:
            _extract(image, archives)
            self._recover(folder, found)
            self._look_at_files(archives, found)
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            found.problems.append(f"{type(error).__name__}: {error}")
        return found

    def _recover(self, folder, found):
        (folder / "device.toml").write_text(CONFIGURATION.format(folder=folder))
        (folder / "policy.toml").write_text('default = "reject"\n')
        with open(folder / "daemon.log", "wb") as log:
            daemon = subprocess.Popen(
                [self._programs / "livesessionsd", "--config", folder / "device.toml"], stdin=subprocess.DEVNULL,
                stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            _await(folder / "control", daemon)
            listed = self._ask(folder, "list")
            reports = self._ask(folder, "verify")
            _end(daemon)
        finally:
            if daemon.poll() is None:
                daemon.kill()
                daemon.wait()
            found.log = (folder / "daemon.log").read_text(errors="replace")
        if "cannot be recovered" in found.log:
            found.problems.append("the daemon cannot recover an archive")
        problems = {report["archiveID"]: report["problems"] for report in reports}
        for entry in listed:
            manifest = json.loads(pathlib.Path(entry["path"], "archive.json").read_text())
            found.archives[entry["archiveID"]] = Archive(entry, manifest, list(problems[entry["archiveID"]]))

    def _ask(self, folder, command):
        answer = subprocess.run(
            [self._programs / "livesessions", "archive", command, "--json", "--socket", folder / "control"],
            capture_output=True, text=True, timeout=LIMIT, check=False)
        # 1: a problem was found.
        if answer.returncode not in (0, 1) or not answer.stdout:
            raise ValueError(f"archive {command}: {answer.stderr or answer.returncode}")
        return json.loads(answer.stdout)

    def _look_at_files(self, archives, found):
        """Whatever lies there under a medium's name can be played, and nothing is left over."""
        for path in archives.rglob("*"):
            if path.suffix == ".webm":
                for problem in self._playing_problems(path):
                    place = found.archives.get(path.parent.name)
                    (place or found).problems.append(f"{path.name}: {problem}")
        for path in archives.glob("*/*/*/*"):
            if path.name not in found.archives:
                names = ", ".join(sorted(entry.name for entry in path.iterdir()))
                found.problems.append(f"{path.name} is not listed and was left with {names or 'nothing'}")

    def _playing_problems(self, path):
        """Empty if ffprobe, mkvmerge and ffmpeg are content; each content is looked at once."""
        key = hashlib.sha256(path.read_bytes()).digest()
        with self._lock:
            known = self._known.get(key)
        if known is None:
            recording = Recording(path)
            known = [
                str(text).replace(str(path), path.name)[:200] for text in
                (recording.warnings, recording.identification_problems(), recording.decoding_errors()) if text]
            with self._lock:
                self._known[key] = known
        return known

    @property
    def contents(self):
        """How many files of different content there were."""
        return len(self._known)


def _extract(image, target):
    """Replays the file system's journal, as mounting does, and copies what there is; needs no privileges."""
    checked = subprocess.run(["e2fsck", "-p", image], capture_output=True, text=True, timeout=LIMIT)
    if checked.returncode not in (0, 1):
        raise ValueError(f"the file system cannot be repaired: {checked.stdout}")
    subprocess.run(["debugfs", "-R", f"rdump / {target}", image], capture_output=True, timeout=LIMIT, check=True)
    shutil.rmtree(target / "lost+found")
    if os.geteuid() == 0:
        # Root must not run the daemon in somebody else's folder.
        for path in (target, *target.rglob("*")):
            os.chown(path, 0, 0)


def _await(control, daemon):
    """Waits until the daemon takes commands, which it does when it has recovered the archives."""
    deadline = time.monotonic() + LIMIT
    while not _takes_connections(control):
        if daemon.poll() is not None:
            raise ValueError(f"the daemon ended with {daemon.returncode}")
        if time.monotonic() > deadline:
            raise ValueError("the daemon has not started in time")
        time.sleep(0.02)


def _takes_connections(control):
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(str(control)) == 0


def _end(daemon):
    daemon.send_signal(signal.SIGTERM)
    status = daemon.wait(LIMIT)
    if status != 0:
        raise ValueError(f"the daemon ended with {status}")

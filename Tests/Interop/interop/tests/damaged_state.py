"""Each file that daemon and hub keep for their next start, missing, empty, truncated, garbage or unreadable, and their disks
full, read-only or slow: the daemon answers a call in every case, the hub serves its accounts or ends with words; what is wrong
is named with what to do, and nothing is deleted."""
import asyncio
import errno
import json
import shutil
import subprocess
import time
import urllib.error
import uuid

from interop.hub_client import EventQueue, HubClient, Refused
from interop.processes import Child, free_port, wait_until
from interop.wall_clock import compiler
from interop.world import DEVICE, OPERATOR, SECOND_OPERATOR, World

FAULTS = ("missing", "empty", "truncated", "garbage", "unreadable")
#: Files of the daemon, and of them those that it makes again, which it keeps where they are damaged.
FILES = ("dtls.pem", "evidence.key", "home", "evidence-outstanding", "on-archive-outstanding", "evidence-certificate.json")
FOLDERS = ("events", "actions", "archives")
HUB_FILES = ("hub.sqlite", "hub.sqlite-wal", "hub.sqlite-shm", "hub.sqlite.exists")
GARBAGE = b"\x00\xffno such thing\n" * 7
#: What is in the lists, whatever came of the archives.
LIST = b"0b0c5c4e9a534c8e8a3e4f6f1f0a7d11\n1b0c5c4e9a534c8e8a3e4f6f1f0a7d12\n"
DELAY = 200


def run(context):
    library = compile_faults(context.scratch)
    settings = {
        "evidence": {"enabled": True}, "archive": {"min_free": "1MiB", "on_archive": ["/bin/true"]},
        "[event]": {"name": "noise", "kind": "sound"}}
    with World(context, settings=settings, has_device=False) as world:
        count = asyncio.run(Device(context, world, library).run())
    return f"{count} faults of the daemon's files, {Hubs(context, library).run()} of the hub's"


def compile_faults(folder):
    library = folder / "faulty-files.so"
    source = __file__.replace("tests/damaged_state.py", "faulty_files.c")
    subprocess.run([compiler(), "-O1", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def damage(path, fault):
    """Does it to a file; what has been there is returned."""
    before = path.read_bytes()
    if fault == "missing":
        path.unlink()
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "truncated":
        path.write_bytes(before[:len(before) * 2 // 3])
    elif fault == "garbage":
        path.write_bytes(GARBAGE)
    return path.read_bytes() if path.exists() else None


class Device:
    """The daemon, started with one fault after the other, and called each time."""

    def __init__(self, context, world, library):
        self._world, self._library = world, library
        self._state = world.state_folder
        self._offer = (context.repository / "Tests/Vectors/sdp/aiortc-offer.sdp").read_text().replace("\n", "\r\n").replace("\r\r", "\r")
        self._template = context.scratch / "whole-state"
        self._callers = []
        self._calls = 0

    async def run(self):
        for person in (OPERATOR, SECOND_OPERATOR):
            self._callers.append(await Caller(self._world.url).log_in(*person))
        await self._check("first start", {})
        self._make_template()
        cases = [(name, fault) for name in FILES for fault in FAULTS]
        for name, fault in cases:
            await self._damage_file(name, fault)
        for name in FOLDERS:
            await self._replace_folder(name)
        for fault in ("full", "read-only", "slow", "missing", "file"):
            for is_fresh in (False, True):
                await self._damage_disk(fault, is_fresh)
        return len(cases) + len(FOLDERS) + 10

    def _make_template(self):
        shutil.copytree(self._state, self._template)
        for name in ("evidence-outstanding", "on-archive-outstanding"):
            (self._template / name).write_bytes(LIST)
        (self._template / "home").write_bytes(b"yes\n")
        (self._template / "evidence-certificate.json").touch()

    def _restore(self, source):
        shutil.rmtree(self._state, ignore_errors=True)
        if self._state.exists() or self._state.is_symlink():
            self._state.unlink()
        if source:
            shutil.copytree(source, self._state)

    async def _damage_file(self, name, fault):
        self._restore(self._template)
        path = self._state / name
        left = damage(path, fault)
        variables = self._faults(path, FAULTY_ERROR=errno.EACCES) if fault == "unreadable" else {}
        # The certificate of the evidence's key is asked for again without a word, and a list may be empty.
        is_quiet = fault == "missing" or name == "evidence-certificate.json" or (fault == "empty" and "outstanding" in name)
        if fault in ("truncated", "garbage") and not is_quiet:
            self._require_finding(name)
        await self._check(f"{name} {fault}", variables, None if is_quiet else str(path))
        if left and not any(left == other.read_bytes() for other in self._state.glob(f"{name}*")) and not is_quiet:
            raise AssertionError(f"{name} {fault}: what was there is gone")

    def _require_finding(self, name):
        folder = self._world.folder
        said = self._world.try_command(
            "doctor", "--json", "--config", folder / "device.toml", "--policy", folder / "policy.toml", "--user", "root")
        findings = [item for item in json.loads(said.stdout)["findings"] if item["part"] == "state"]
        if not any(name in item["text"] and item.get("remedy") for item in findings):
            raise AssertionError(f"of {name} doctor says {findings}")

    async def _replace_folder(self, name):
        """A file where a folder has to be."""
        self._restore(self._template)
        path = self._state / name
        shutil.rmtree(path, ignore_errors=True)
        path.write_bytes(GARBAGE)
        await self._check(f"{name} is a file", {})
        if path.read_bytes() != GARBAGE:
            raise AssertionError(f"the file in place of {name} is gone")

    async def _damage_disk(self, fault, is_fresh):
        self._restore(None if is_fresh and fault in ("missing", "file") else self._template)
        what = f"{fault} disk, {'first' if is_fresh else 'later'} start"
        if fault in ("full", "read-only"):
            with Disk(self._state, fault, None if is_fresh else self._template):
                # Where all files are there, the disk is first noticed by what records.
                later = "space" if fault == "full" else "ead-only"
                await self._check(what, {}, str(self._state) if is_fresh else later)
        elif fault == "slow":
            if is_fresh:
                self._restore(None)
                self._state.mkdir()
            await self._check(what, self._faults(self._state, FAULTY_DELAY=DELAY), limit=8)
        elif fault == "missing":
            self._restore(None)
            await self._check(what, {})
        else:
            self._restore(None)
            self._state.write_bytes(GARBAGE)
            await self._check(what, {}, str(self._state))

    def _faults(self, path, **settings):
        return {"LD_PRELOAD": str(self._library), "FAULTY_FOLDER": str(path), **{key: str(value) for key, value in settings.items()}}

    async def _check(self, what, variables, words=None, limit=4):
        """Starts the daemon, has it answer a call, and ends it."""
        world = self._world
        log = world.folder / "device.log"
        log.unlink(missing_ok=True)
        self._calls += 1
        caller, begin = self._callers[self._calls % 2], time.monotonic()
        try:
            world.start_device(variables=variables, watcher=caller.client)
            # The hub may still show the presence of the daemon before.
            wait_until(lambda: "connected to the hub" in world.device_log(), "the daemon is connected")
            await caller.call(self._offer, limit)
            if words:
                self._require_words(what, words)
        except Exception as error:
            raise AssertionError(f"{what}: {error!r} after {time.monotonic() - begin:.1f} s\n{log.read_text(errors='replace')}") from error
        finally:
            world.kill_device()

    def _require_words(self, what, words):
        log = self._world.device_log()
        lines = [line for line in log.splitlines() if words in line and ("warning" in line or "error" in line)]
        if not lines:
            raise AssertionError("the journal does not name it")
        if not any(";" in line or "delete archives" in line for line in lines):
            raise AssertionError(f"nothing is said about what to do: {lines}")


class Caller:
    """Somebody who calls the device and hangs up as soon as it has answered; no media flow."""

    def __init__(self, url):
        self.client = HubClient(url)

    async def log_in(self, title, password):
        await asyncio.to_thread(self.client.login, title, password)
        self._events = EventQueue(self.client)
        _, hello = await self._events.next("hello")
        await asyncio.to_thread(self.client.request, "PUT", "/v1/presence", {
            "kind": "person", "status": "available", "isAudio": True, "isVideo": True, "eventStreamID": hello["eventStreamID"]})
        return self

    async def call(self, offer, limit):
        session = str(uuid.uuid4())
        receiver = self.client.find(DEVICE)
        await asyncio.to_thread(self.client.request, "PUT", f"/v1/sessions/{session}", {
            "receiverID": receiver, "isAudio": True, "isVideo": True, "offer": offer})
        name, payload = await self._events.next(
            "call.answered", "call.rejected", "call.ended", session=session, limit=limit)
        if name != "call.answered" or "a=fingerprint:" not in payload["sdp"]:
            raise ConnectionError(f"{name}: {payload}")
        await asyncio.to_thread(self.client.request, "DELETE", f"/v1/sessions/{session}", {"reason": "hangup"})


class Disk:
    """A file system in memory in place of a folder, full or read-only; the mount namespace is the tests' own."""

    def __init__(self, folder, fault, content):
        self._folder, self._fault, self._content = folder, fault, content

    def __enter__(self):
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m,mode=700", "disk", self._folder], check=True)
        if self._content:
            shutil.copytree(self._content, self._folder, dirs_exist_ok=True)
        if self._fault == "full":
            subprocess.run(["dd", "if=/dev/zero", f"of={self._folder}/ballast"], stderr=subprocess.DEVNULL, check=False)
        else:
            subprocess.run(["mount", "-o", "remount,ro", self._folder], check=True)
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", "--lazy", self._folder], check=True)


class Hubs:
    """A hub, started with one fault after the other: it serves its accounts, or ends and says what to do."""

    def __init__(self, context, library):
        self._context, self._library = context, library
        self._folder = context.scratch / "hub-state"
        self._template = context.scratch / "whole-hub"
        self._log = context.scratch / "damaged-hub.log"
        self._settings = context.scratch / "damaged-hub.toml"
        port = free_port()
        self._url = f"http://127.0.0.1:{port}"
        self._settings.write_text(
            f'listen = "127.0.0.1:{port}"\ndatabase = "{self._folder}/hub.sqlite"\nweb_root = "{context.web}"\n')

    def run(self):
        self._folder.mkdir()
        self._add_user()
        child = self._start({})
        wait_until(self._is_known, "somebody can log in", alive=[child])
        child.kill()
        shutil.copytree(self._folder, self._template)
        for name in HUB_FILES:
            for fault in FAULTS:
                self._damage_file(name, fault)
        for fault in ("full", "read-only"):
            with Disk(self._folder, fault, self._template):
                self._require(f"{fault} disk", {})
        self._restore()
        self._require("slow disk", self._faults(self._folder, FAULTY_DELAY=DELAY), serves=True)
        self._begin_with_none()
        return len(HUB_FILES) * len(FAULTS) + 3

    def _restore(self):
        shutil.rmtree(self._folder)
        shutil.copytree(self._template, self._folder)

    def _faults(self, path, **settings):
        return {"LD_PRELOAD": str(self._library), "FAULTY_FOLDER": str(path), **{key: str(value) for key, value in settings.items()}}

    def _damage_file(self, name, fault):
        self._restore()
        path = self._folder / name
        damage(path, fault)
        before = (self._folder / "hub.sqlite").read_bytes() if name == "hub.sqlite" and path.exists() else None
        # What lies beside the database is made again, and its mark is not read.
        serves = name in ("hub.sqlite-shm", "hub.sqlite.exists") and fault != "unreadable"
        variables = self._faults(path, FAULTY_ERROR=errno.EACCES) if fault == "unreadable" else {}
        is_serving = self._require(f"{name} {fault}", variables, serves)
        if before is not None and not is_serving and (self._folder / "hub.sqlite").read_bytes() != before:
            raise AssertionError(f"{name} {fault}: what was there has changed")

    def _require(self, what, variables, serves=False):
        """Returns whether it serves; one that does, and does not know its people, is what must not be."""
        child = self._start(variables)
        try:
            wait_until(lambda: not child.is_running or self._answers(), f"the hub with {what} serves or ends", limit=20)
            if child.is_running:
                if not self._is_known():
                    raise AssertionError(f"{what}: the hub serves, and does not know its people")
                return True
        finally:
            child.kill()
        said = self._log.read_text()
        if serves or "hub.sqlite" not in said or ";" not in said:
            raise AssertionError(f"{what}: the hub ended with {said!r}")
        return False

    def _begin_with_none(self):
        """An empty database where the operator asks for one."""
        self._restore()
        for path in self._folder.glob("hub.sqlite*"):
            if path.suffix != ".exists":
                path.unlink()
        refused = self._add_user(code=78)
        if "--new-database" not in refused:
            raise AssertionError(f"add-user without a database says {refused!r}")
        self._add_user("--new-database")

    def _start(self, variables):
        self._log.unlink(missing_ok=True)
        return Child([self._context.binaries / "livesessions-hub", "serve", "--config", self._settings], self._log, variables)

    def _add_user(self, *options, code=0):
        finished = subprocess.run(
            [self._context.binaries / "livesessions-hub", "add-user", "--config", self._settings, "--title", OPERATOR[0],
             "--password-file", "-", *options], input=OPERATOR[1] + "\n", capture_output=True, text=True, timeout=30, check=False)
        if finished.returncode != code:
            raise AssertionError(f"add-user ended with {finished.returncode}: {finished.stderr}")
        return finished.stderr

    def _answers(self):
        try:
            HubClient(self._url).request("GET", "/healthz")
        except (Refused, urllib.error.URLError, ConnectionError, ValueError):
            return False
        return True

    def _is_known(self):
        try:
            HubClient(self._url).login(*OPERATOR)
        except (Refused, urllib.error.URLError, ConnectionError):
            return False
        return True

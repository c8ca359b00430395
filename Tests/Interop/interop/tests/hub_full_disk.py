"""A hub whose disk is full starts, lets people log in, says what it cannot do, and can do it when there is room again."""
import signal
import subprocess
import urllib.error

from interop.hub_client import HubClient, Refused
from interop.processes import Child, free_port, wait_until

TITLE, PASSWORD = "Olga Operator", "correct horse battery staple"
#: The hub tries again to open its file every ten seconds.
PATIENCE = 15


def run(context):
    with SmallDisk(context.scratch / "disk", kilobytes=768) as disk:
        hub = Hub(context, disk)
        hub.add_user(TITLE)
        hub.start()
        hub.stop()
        disk.fill()
        hub.start()
        try:
            words = _use(hub, disk)
        finally:
            hub.kill()
    return words


def _use(hub, disk):
    hub.log_in()
    refusal = hub.add_user("Second", code=1)
    if "full" not in refusal:
        raise AssertionError(f"add-user on a full disk says: {refusal}")
    wait_until(lambda: _said(hub), "the hub says that its disk is full", limit=PATIENCE)
    said = _said(hub)
    # Of what is written once each: accounts, the history of calls and the audit log.
    if len(said) > 3 or len(said) != len(set(said)) or not all("full" in line for line in said):
        raise AssertionError(f"the hub says of its full disk: {said}")
    disk.empty()
    hub.add_user("Second")
    wait_until(hub.knows_second, "the hub sees an account made after the disk had room", limit=PATIENCE)
    hub.log_in()
    return refusal


def _said(hub):
    return [line for line in hub.log.read_text().splitlines() if "disk" in line]


class SmallDisk:
    """A file system in memory, in a mount namespace of its own, which ends with the process that holds it."""

    def __init__(self, folder, kilobytes):
        self.folder = folder
        folder.mkdir()
        mount = f"mount -t tmpfs -o size={kilobytes}k,mode=700 disk '{folder}' && echo ready && exec sleep 300"
        self._holder = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c", mount], stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        if self._holder.stdout.readline() != "ready\n":
            raise RuntimeError("no file system could be mounted")
        return self

    def __exit__(self, *_):
        self._holder.send_signal(signal.SIGKILL)
        self._holder.wait(timeout=10)
        self._holder.stdout.close()

    def enter(self, *command):
        """The command line that runs `command` where the file system is seen."""
        return ["nsenter", "--mount", f"--target={self._holder.pid}", *command]

    def fill(self):
        self._run(f"cat /dev/zero >'{self.folder}/ballast' 2>/dev/null; test -s '{self.folder}/ballast'")

    def empty(self):
        self._run(f"rm '{self.folder}/ballast'")

    def _run(self, script):
        subprocess.run(self.enter("sh", "-c", script), check=True, timeout=10)


class Hub:
    """A hub with its database on a :class:`SmallDisk`."""

    def __init__(self, context, disk):
        self.log = context.scratch / "hub.log"
        self._program = context.binaries / "livesessions-hub"
        self._disk = disk
        port = free_port()
        self._url = f"http://127.0.0.1:{port}"
        self._settings = context.scratch / "hub.toml"
        self._settings.write_text(
            f'listen = "127.0.0.1:{port}"\ndatabase = "{disk.folder}/hub.sqlite"\nweb_root = "{context.web}"\n')
        self._child = None

    def start(self):
        self._child = Child(
            self._disk.enter(self._program, "serve", "--config", self._settings), self.log)
        wait_until(self.log_in, "somebody can log in", alive=[self._child])

    def stop(self):
        self._child.stop()

    def kill(self):
        self._child.kill()

    def add_user(self, title, code=0):
        """Returns what the command says."""
        command = self._disk.enter(
            self._program, "add-user", "--config", self._settings, "--title", title, "--password-file", "-")
        finished = subprocess.run(
            [str(word) for word in command], input=PASSWORD + "\n", capture_output=True, text=True, timeout=30, check=False)
        if finished.returncode != code:
            raise AssertionError(f"add-user ended with {finished.returncode}: {finished.stderr}")
        return finished.stderr.strip()

    def log_in(self, title=TITLE):
        try:
            HubClient(self._url).login(title, PASSWORD)
        except (Refused, urllib.error.URLError, ConnectionError):
            return False
        return True

    def knows_second(self):
        return self.log_in("Second")

"""How long the daemon takes from exec until it tells systemd that it is ready."""
import os
import pathlib
import select
import socket
import time

from interop.processes import Child
from interop.world import toml

POLICY = 'default = "reject"\n'
LIMIT = 10.0


def measure(daemon: pathlib.Path, folder: pathlib.Path, count):
    """Seconds of each of `count` starts, with a hub that does not answer: READY=1 does not wait for it."""
    (folder / "state").mkdir(mode=0o700)
    (folder / "device.toml").write_text(toml(configuration(folder)))
    (folder / "policy.toml").write_text(POLICY)
    return [_start_once(daemon, folder) for _ in range(count)]


def configuration(folder):
    """A device with test sources, as :func:`interop.world.toml` takes it."""
    return {
        "device": {"title": "Bench", "state_directory": str(folder / "state")},
        "hub": {"url": "http://127.0.0.1:9"},
        "video": {"camera": "test:bars"},
        "audio": {"microphone": "test:tone", "speaker": "none"},
        "archive": {"min_free": "1MiB"},
        "network": {"addresses": ["127.0.0.1"]},
        "control": {"socket": str(folder / "control")},
    }


def _start_once(daemon, folder):
    path = folder / "notify"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notified:
        notified.bind(str(path))
        os.environ["NOTIFY_SOCKET"] = str(path)
        begin = time.monotonic()
        child = Child([daemon, "--config", folder / "device.toml", "--policy", folder / "policy.toml"],
                      folder / "daemon.log")
        try:
            _wait_for_ready(notified, begin + LIMIT, child)
            return time.monotonic() - begin
        finally:
            child.stop()
            path.unlink()
            del os.environ["NOTIFY_SOCKET"]


def _wait_for_ready(notified, deadline, child):
    while time.monotonic() < deadline and child.is_running:
        if select.select([notified], [], [], 0.1)[0] and b"READY=1" in notified.recv(4096).split(b"\n"):
            return
    raise TimeoutError(f"the daemon did not tell READY=1\n{child.last_words()}")

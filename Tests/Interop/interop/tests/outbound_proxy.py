"""A device that nothing but a proxy (tinyproxy) gets to the hub: it is online and called through it; a wrong password, a proxy
that forbids the way and one that is away are each reported once, with what helps."""
import contextlib
import os
import subprocess

from interop import sequence
from interop.calling import Caller
from interop.processes import Child, Running, wait_until
from interop.world import World

NAME = "hub.test"
HERE, THERE, PORT = "198.51.100.1", "198.51.100.2", 3128
USER, PASSWORD = "door", "pass4theProxy"
WRONG = "0therPassw0rd"
SECONDS = 8


def run(context):
    with contextlib.ExitStack() as stack:
        stack.enter_context(_known(context))
        place = stack.enter_context(Place(context.scratch / "place.log"))
        credentials = context.scratch / "proxy-credentials"
        _write(credentials, PASSWORD)
        world = stack.enter_context(World(context, has_device=False, hub_names=[NAME], settings={
            "hub": {"proxy": f"http://{HERE}:{PORT}", "proxy_credentials_file": str(credentials), "allow_plain_http": True},
            "network": {"addresses": ["0.0.0.0"]},
        }))
        world.change_settings({"hub": {"url": f"http://{NAME}:{world.port}"}})
        world.network = place
        with Tinyproxy(context.scratch / "proxy") as proxy:
            world.start_device(30)
            told = _call(context, world)
            if f"CONNECT {NAME}:{world.port}" not in proxy.log():
                raise AssertionError(f"the proxy has seen no CONNECT:\n{proxy.log()}")
            _require_refusal(world, lambda: _write(credentials, WRONG), "refuses user and password")
        _write(credentials, PASSWORD)
        with Tinyproxy(context.scratch / "closed", "ConnectPort 443"):
            _require_refusal(world, lambda: None, f"forbids the way to {NAME}:{world.port}")
        _require_refusal(world, lambda: None, "is not to be reached: connection refused", ends=False)
        with Tinyproxy(context.scratch / "back"):
            wait_until(lambda: world.status()["isOnline"], "the device is back", limit=60)
    return told


def _write(path, password):
    path.write_text(f"{USER}:{password}\n")
    path.chmod(0o600)


def _call(context, world):
    with Caller(context, world, seconds=SECONDS) as caller:
        caller.wait_for("connected")
        caller.wait_for("ended", limit=SECONDS + 20)
    seen = sequence.examine([event["number"] for event in caller.events("received")])
    seen.require("the call", at_least=20 * (SECONDS - 2))
    return str(seen)


def _require_refusal(world, change, text, ends=True):
    """A device that is started then reports this, once, and no password."""
    world.stop_device()
    change()
    before = len(world.device_log())
    world.launch_device()
    wait_until(lambda: text in world.device_log()[before:], f"the device says: {text}", limit=30)
    wait_until(lambda: any(text in one["text"] for one in world.status()["problems"]), "the status says so", limit=20)
    told = world.device_log()[before:]
    if told.count(text) != 1:
        raise AssertionError(f"not reported once:\n{told}")
    if any(f"{USER}:{secret}" in told or secret in told for secret in (PASSWORD, WRONG)):
        raise AssertionError(f"the password is in the log:\n{told}")


@contextlib.contextmanager
def _known(context):
    """Who looks the hub's name up on this side finds it."""
    hosts = context.scratch / "hosts"
    hosts.write_text(f"127.0.0.1 localhost {NAME}\n")
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "/etc/hosts"], check=True)


class Place(Running):
    """A network of its own, with one cable to this one, while entered."""

    def __init__(self, log):
        super().__init__(["unshare", "--net", "sleep", "infinity"], log)

    def __enter__(self):
        super().__enter__()
        wait_until(lambda: os.readlink(self.namespace) != os.readlink("/proc/self/ns/net"), "there is another network")
        inside = ["nsenter", f"--net={self.namespace}"]
        for command in (
                ["ip", "link", "add", "proxy0", "type", "veth", "peer", "name", "proxy1", "netns", str(self._child.pid)],
                ["ip", "address", "add", f"{HERE}/24", "dev", "proxy0"], ["ip", "link", "set", "proxy0", "up"],
                [*inside, "ip", "link", "set", "lo", "up"], [*inside, "ip", "address", "add", f"{THERE}/24", "dev", "proxy1"],
                [*inside, "ip", "link", "set", "proxy1", "up"]):
            subprocess.run(command, check=True)
        return self

    @property
    def namespace(self):
        return f"/proc/{self._child.pid}/ns/net"


class Tinyproxy:
    """The proxy while entered."""

    def __init__(self, folder, *lines):
        folder.mkdir()
        self._log = folder / "proxy.log"
        self._configuration = folder / "tinyproxy.conf"
        self._configuration.write_text("\n".join([
            f"Port {PORT}", f"Listen {HERE}", "Timeout 600", f'LogFile "{self._log}"', "LogLevel Connect", "MaxClients 50",
            f"BasicAuth {USER} {PASSWORD}", *lines, ""]))
        self._folder, self._child = folder, None

    def __enter__(self):
        self._child = Child(["tinyproxy", "-d", "-c", self._configuration], self._folder / "output")
        wait_until(lambda: "Accepting connections" in self.log() or "Initializing" in self.log(), "the proxy is there",
                   alive=[self._child])
        return self

    def __exit__(self, *_):
        self._child.kill()

    def log(self):
        return self._log.read_text(errors="replace") if self._log.exists() else ""

"""A hub and a device of their own for one test."""
import contextlib
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.error
import urllib.request

from interop.fleet import Fleet
from interop.hub_client import HubClient
from interop.processes import Child, Running, free_port, wait_until

SERVICE = pathlib.Path(__file__).resolve().parents[3] / "systemd/livesessionsd.service"

DEVICE = "Front door"
#: What `test:tone` plays.
DEVICE_TONE = 1000
#: Somebody whose calls the policy answers, and somebody whose calls it rejects: title and password.
OPERATOR = ("Olga Operator", "correct horse battery staple")
SECOND_OPERATOR = ("Otto Operator", "one more long pass phrase")
STRANGER = ("Sam Stranger", "another long pass phrase")

HUB_CONFIGURATION = """
listen = "127.0.0.1:{hub_port}"
database = "{folder}/hub.sqlite"
web_root = "{web}"
allowed_hosts = {hosts}
"""

#: Whoever else calls is for the rules that follow.
OPERATORS_ARE_RECORDED = """
default = "reject"

[[rule]]
name = "operators"
caller = ["role:operator"]
action = "answer"
record = true
"""

POLICY = OPERATORS_ARE_RECORDED + """
[[rule]]
name = "everybody else"
action = "reject"
reason = "not-allowed"
"""


@dataclasses.dataclass(frozen=True)
class Use:
    """What a process has of the machine."""

    descriptors: int
    threads: int
    #: Memory that no file backs, resident.
    kilobytes: int

    def __str__(self):
        return f"{self.descriptors} descriptors, {self.threads} threads, {self.kilobytes / 1024:.1f} MB"


class World:
    """Starts the hub and the device when entered, and ends them when left.

    The hub is several nodes behind HAProxy when the context says so; "the hub" is all of them then.
    """

    #: What the device captures.
    camera, microphone = "test:bars", "test:tone"
    #: The line (see :mod:`bad_network`) at whose far end the device is, if it is at one.
    network = None

    def __init__(self, context, *, has_device=True, settings=None, hub_settings=None, variables=None,
                 hub_names=(), actions=(), rules="", policy=None):
        """`settings` are added to the device's configuration, `{section: {key: value}}`, `hub_settings` to the hub's;
        `variables` to the device's environment. The hub also answers to `hub_names`. `actions` are the device's actions, a
        dictionary each, and `rules` what the policy says about them; a `policy` is there in place of :data:`POLICY`."""
        self._has_device = has_device
        self._settings = dict(settings or {})
        self._hub_settings = hub_settings or {}
        self._variables = variables or {}
        self._hub_names = hub_names
        self._actions, self._policy = actions, (policy or POLICY) + rules
        self._binaries = context.binaries
        self._folder = context.scratch
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Contexts of other packages know of no nodes.
        nodes = getattr(context, "nodes", 1)
        self._fleet = Fleet(self._binaries, self._folder, self.port, nodes) if nodes > 1 else None
        self.state_folder = self._folder / "state"
        self.archive_folder = self.state_folder / "archives"
        self._write_configuration(context)
        self._hub = self._device = None

    def __enter__(self):
        try:
            if self._fleet:
                self._fleet.start_redis()
            self._make_accounts()
            self._hub = self._start_hub()
            if self._has_device:
                self.start_device()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, kind, *_):
        if kind:
            for child in filter(None, (self._hub, self._device)):
                print(child.last_words())
        self._end()

    @property
    def folder(self):
        """Where the configuration is."""
        return self._folder

    def start_device(self, limit=None, *, variables=None, watcher=None):
        """Starts the daemon, with more variables in its environment, and waits until it can be called, for `limit` seconds if given.

        A `watcher` that is logged in saves a login.
        """
        self.launch_device(variables)
        # The hub limits how often lists are asked for.
        limits = {"limit": limit, "interval": 0.5} if limit else {"interval": 0.2} if watcher else {}
        if not watcher:
            watcher = HubClient(self.url)
            watcher.login(*OPERATOR)
        wait_until(lambda: watcher.find(DEVICE), f"{DEVICE} is online", alive=[self._device], **limits)

    def launch_device(self, variables=None):
        """Starts the daemon, whatever becomes of it."""
        enter = ["nsenter", f"--net={self.network.namespace}"] if self.network else []
        self._device = Child(
            [*enter, self._binaries / "livesessionsd", "--config", self._folder / "device.toml", "--policy",
             self._folder / "policy.toml"], self._folder / "device.log",
            {**_service_variables(), **self._variables, **(variables or {})})

    def change_settings(self, settings):
        """Adds settings to the device's configuration, for its next start."""
        for section, values in settings.items():
            self._settings[section] = {**self._settings.get(section, {}), **values}
        self._write_device_configuration()

    def stop_device(self):
        self._device.stop()

    def kill_device(self):
        self._device.kill()

    def device_use(self):
        """What the daemon has of the machine now, see :class:`Use`."""
        return _use(self._device)

    @property
    def device_process(self):
        """The daemon's process id."""
        return self._device.pid

    def hub_use(self):
        """What the hub has of the machine now; of several nodes the most that one of them has of each."""
        uses = [_use(node) for node in self._hub_nodes]
        return Use(**{field.name: max(getattr(use, field.name) for use in uses) for field in dataclasses.fields(Use)})

    def device_log(self):
        """What the daemon has logged so far."""
        return self._device.log.read_text(errors="replace")

    def status(self):
        """What `livesessions status` tells."""
        return json.loads(self.try_command("status", "--json").stdout)

    def restart_hub(self, pause=1.0):
        """Ends the hub, waits, and starts it anew at the same address."""
        self._hub.stop()
        time.sleep(pause)
        self._hub = self._start_hub()

    @contextlib.contextmanager
    def frozen_hub(self):
        """A hub that does nothing and closes nothing for a while, as one on an overloaded or sleeping machine."""
        # HAProxy would answer by itself.
        frozen = [*([self._fleet.proxy] if self._fleet else []), *self._hub_nodes]
        for child in frozen:
            os.kill(child.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            for child in frozen:
                os.kill(child.pid, signal.SIGCONT)

    def stall_device(self, seconds):
        """None of the daemon's threads runs for so long, as on an overloaded machine."""
        os.kill(self._device.pid, signal.SIGSTOP)
        try:
            time.sleep(seconds)
        finally:
            os.kill(self._device.pid, signal.SIGCONT)

    def command(self, *arguments):
        """Runs the `livesessions` command and returns what it prints."""
        finished = self.try_command(*arguments)
        if finished.returncode:
            raise AssertionError(f"livesessions {' '.join(arguments)}: {finished.stderr or finished.stdout}")
        return finished.stdout

    def try_command(self, *arguments, limit=30, variables=None):
        """Runs the `livesessions` command, with more variables in its environment, whatever it ends with."""
        return subprocess.run(
            self._command_line(*arguments), capture_output=True, text=True, timeout=limit, check=False,
            env={**os.environ, **(variables or {})})

    def command_output(self, *arguments):
        """Runs the `livesessions` command and returns the bytes that it writes into a pipe."""
        return subprocess.run(self._command_line(*arguments), capture_output=True, timeout=30, check=True).stdout

    def change_accounts(self, command, *arguments, words=None):
        """Runs a command of `livesessions-hub` that changes accounts."""
        self.hub_command(command, *arguments, words=words)

    def hub_command(self, command, *arguments, words=None):
        """Runs a command of `livesessions-hub` and returns what it prints."""
        path = self._folder / "hub.toml"
        if self._fleet:
            path = self._fleet.write_command_configuration(path.read_text())
        finished = subprocess.run(
            [self._binaries / "livesessions-hub", command, "--config", path, *arguments],
            input=words, capture_output=True, text=True, timeout=30, check=False)
        if finished.returncode:
            raise AssertionError(f"livesessions-hub {command}: {finished.stderr}")
        return finished.stdout

    def wait_for_user(self, title):
        """Waits until the device can call somebody: a page's event stream opens before its presence is told."""
        wait_until(lambda: title in self.try_command("users").stdout, f"the device sees {title}")

    def monitor(self):
        """The stream of the device's events, as `livesessions monitor` prints them."""
        return Monitor(self._command_line("monitor"), self._folder / "monitor.log")

    # How it is done.

    def _write_configuration(self, context):
        # As systemd's StateDirectory= does.
        (self._folder / "state").mkdir(mode=0o700)
        hosts = toml_value(["127.0.0.1", "localhost", *self._hub_names])
        (self._folder / "hub.toml").write_text(
            HUB_CONFIGURATION.format(folder=self._folder, hub_port=self.port, web=context.web, hosts=hosts)
            + toml(self._hub_settings))
        self._write_device_configuration()
        (self._folder / "policy.toml").write_text(self._policy)

    def _write_device_configuration(self):
        (self._folder / "device.toml").write_text(
            toml(self._device_configuration()) + "".join(toml({"[action]": action}) for action in self._actions))

    def _device_configuration(self):
        sections = {
            "device": {"title": DEVICE, "state_directory": str(self._folder / "state")},
            "hub": {"url": self.url, "enrolment_key_file": str(self._folder / "enrolment-key")},
            "video": {"camera": self.camera},
            "audio": {"microphone": self.microphone, "speaker": "none"},
            "archive": {"min_free": "1MiB"},
            "network": {"addresses": ["127.0.0.1"]},
            "location": {"static": {"latitude": 52.5163, "longitude": 13.3777}},
            "control": {"socket": str(self._folder / "control")},
        }
        return {name: {**sections.get(name, {}), **self._settings.get(name, {})} for name in sections | self._settings}

    def _make_accounts(self):
        people = ((OPERATOR, "operator"), (SECOND_OPERATOR, "operator"), (STRANGER, "user"))
        for (title, password), role in people:
            self.change_accounts(
                "add-user", "--title", title, "--role", role, "--password-file", "-", words=password + "\n")
        self.change_accounts("enrol-device", "--title", DEVICE, "--key-file", self._folder / "enrolment-key")

    @property
    def _hub_nodes(self):
        return self._hub.children if self._fleet else [self._hub]

    def _start_hub(self):
        if self._fleet:
            hub = self._fleet.start_nodes((self._folder / "hub.toml").read_text())
        else:
            hub = Child([self._binaries / "livesessions-hub", "serve", "--config", self._folder / "hub.toml"],
                        self._folder / "hub.log")
        wait_until(self._is_hub_healthy, "the hub is healthy", alive=[hub])
        return hub

    def _is_hub_healthy(self):
        try:
            with urllib.request.urlopen(f"{self.url}/healthz", timeout=2) as answer:
                return answer.status == 200
        except (urllib.error.URLError, ConnectionError):
            return False

    def _command_line(self, *arguments):
        return [self._binaries / "livesessions", *arguments, "--socket", self._folder / "control"]

    def _end(self):
        for child in filter(None, (self._device, self._hub, self._fleet)):
            child.kill()


def _service_variables():
    """What systemd adds to the daemon's environment."""
    lines = SERVICE.read_text().splitlines()
    return dict(line.removeprefix("Environment=").split("=", 1) for line in lines if line.startswith("Environment="))


def _use(child):
    process = pathlib.Path("/proc") / str(child.pid)
    status = dict(line.split(":", 1) for line in (process / "status").read_text().splitlines())
    return Use(descriptors=len(list((process / "fd").iterdir())), threads=int(status["Threads"]),
               kilobytes=int(status["RssAnon"].split()[0]))


def toml(sections):
    lines = []
    for name, values in sections.items():
        lines += [f"[{name}]", *(f"{key} = {toml_value(value)}" for key, value in values.items()), ""]
    return "\n".join(lines)


def toml_value(value):
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {toml_value(one)}" for key, one in value.items()) + " }"
    # Strings, numbers, truth values and arrays of them are written as in JSON.
    return json.dumps(value)


class Monitor(Running):
    """What `livesessions monitor` prints while it runs."""

    def wait_for(self, text, limit=10.0):
        self.wait_for_line(text, limit)

    def wait_for_line(self, text, limit=10.0):
        """The first line with this text."""
        def found():
            return [line for line in self._output.read_text().splitlines() if text in line]
        return wait_until(found, f"the monitor prints {text!r}", limit, alive=[self._child])[0]

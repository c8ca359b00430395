"""A hub and a device of their own for one test."""
import subprocess
import time
import urllib.error
import urllib.request

from interop.hub_client import HubClient
from interop.processes import Child, free_port, wait_until

DEVICE = "Front door"
#: What `test:tone` plays.
DEVICE_TONE = 1000
#: Somebody whose calls the policy answers, and somebody whose calls it rejects: title and password.
OPERATOR = ("Olga Operator", "correct horse battery staple")
STRANGER = ("Sam Stranger", "another long pass phrase")

HUB_CONFIGURATION = """
listen = "127.0.0.1:{hub_port}"
database = "{folder}/hub.sqlite"
web_root = "{web}"
"""

DEVICE_CONFIGURATION = """
[device]
title = "{device}"
state_directory = "{folder}/state"

[hub]
url = "{url}"
enrolment_key_file = "{folder}/enrolment-key"

[video]
camera = "{camera}"

[audio]
microphone = "{microphone}"
speaker = "none"

[archive]
min_free = "1MiB"

[network]
addresses = ["127.0.0.1"]

[location]
static = {{ latitude = 52.5163, longitude = 13.3777 }}

[control]
socket = "{folder}/control"
"""

POLICY = """
default = "reject"

[[rule]]
name = "operators"
caller = ["role:operator"]
action = "answer"
record = true

[[rule]]
name = "everybody else"
action = "reject"
reason = "not-allowed"
"""


class World:
    """Starts the hub and the device when entered, and ends them when left."""

    #: What the device captures.
    camera, microphone = "test:bars", "test:tone"

    def __init__(self, context, *, has_device=True):
        self._has_device = has_device
        self._binaries = context.binaries
        self._folder = context.scratch
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self.archive_folder = self._folder / "state" / "archives"
        self._write_configuration(context)
        self._hub = self._device = None

    def __enter__(self):
        try:
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

    def start_device(self):
        """Starts the daemon and waits until it can be called."""
        self._device = Child(
            [self._binaries / "livesessionsd", "--config", self._folder / "device.toml", "--policy",
             self._folder / "policy.toml"], self._folder / "device.log")
        watcher = HubClient(self.url)
        watcher.login(*OPERATOR)
        wait_until(lambda: watcher.find(DEVICE), f"{DEVICE} is online", alive=[self._device])

    def kill_device(self):
        self._device.kill()

    def restart_hub(self, pause=1.0):
        """Ends the hub, waits, and starts it anew at the same address."""
        self._hub.stop()
        time.sleep(pause)
        self._hub = self._start_hub()

    def command(self, *arguments):
        """Runs the `livesessions` command and returns what it prints."""
        finished = self.try_command(*arguments)
        if finished.returncode:
            raise AssertionError(f"livesessions {' '.join(arguments)}: {finished.stderr or finished.stdout}")
        return finished.stdout

    def try_command(self, *arguments, limit=30):
        """Runs the `livesessions` command, whatever it ends with."""
        return subprocess.run(
            self._command_line(*arguments), capture_output=True, text=True, timeout=limit, check=False)

    def monitor(self):
        """The stream of the device's events, as `livesessions monitor` prints them."""
        return Monitor(self._command_line("monitor"), self._folder / "monitor.log")

    # How it is done.

    def _write_configuration(self, context):
        values = {"folder": self._folder, "hub_port": self._port, "url": self.url, "web": context.web, "device": DEVICE,
                  "camera": self.camera, "microphone": self.microphone}
        # As systemd's StateDirectory= does.
        (self._folder / "state").mkdir(mode=0o700)
        (self._folder / "hub.toml").write_text(HUB_CONFIGURATION.format(**values))
        (self._folder / "device.toml").write_text(DEVICE_CONFIGURATION.format(**values))
        (self._folder / "policy.toml").write_text(POLICY)

    def _make_accounts(self):
        for (title, password), role in ((OPERATOR, "operator"), (STRANGER, "user")):
            self._account("add-user", "--title", title, "--role", role, "--password-file", "-", words=password + "\n")
        self._account("enrol-device", "--title", DEVICE, "--key-file", self._folder / "enrolment-key")

    def _account(self, command, *arguments, words=None):
        finished = subprocess.run(
            [self._binaries / "livesessions-hub", command, "--config", self._folder / "hub.toml", *arguments],
            input=words, capture_output=True, text=True, timeout=30, check=False)
        if finished.returncode:
            raise AssertionError(f"livesessions-hub {command}: {finished.stderr}")

    def _start_hub(self):
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
        for child in filter(None, (self._device, self._hub)):
            child.kill()


class Monitor:
    """What `livesessions monitor` prints while it runs."""

    def __init__(self, arguments, output):
        self._arguments = arguments
        self._output = output
        self._child = None

    def __enter__(self):
        self._child = Child(self._arguments, self._output)
        return self

    def __exit__(self, *_):
        self._child.kill()

    def wait_for(self, text, limit=10.0):
        wait_until(lambda: text in self._output.read_text(), f"the monitor prints {text!r}", limit, alive=[self._child])

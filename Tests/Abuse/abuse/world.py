"""A hub and a device to be attacked."""
import os
import pathlib
import subprocess
import time

from interop import world

from abuse.addresses import PROXY
from abuse.fake_hub import FakeHub
from abuse.memory import Memory

EX_CONFIG = 78
#: Somebody who wants nothing but to log in now and then, and the person behind attacks that need an account.
BYSTANDER = ("Bea Bystander", "an unhurried pass phrase")
ATTACKER = ("Mallory", "a pass phrase of her own")


class AttackedWorld(world.World):
    """As :class:`World`, with accounts for both sides, and with the processes to be looked at."""

    def __init__(self, context, attack):
        """What an attack module says in HUB_SETTINGS, HAS_HUB, DEVICE_SETTINGS, POLICY, `variables`, `actions` and
        HAS_DEVICE is put in force."""
        self._hub_lines = getattr(attack, "HUB_SETTINGS", {})
        self._has_hub = getattr(attack, "HAS_HUB", True)
        variables = attack.variables(context) if hasattr(attack, "variables") else None
        actions = attack.actions(context) if hasattr(attack, "actions") else None
        super().__init__(context, actions=actions.settings if actions else (), rules=actions.rules if actions else "",
                         has_device=getattr(attack, "HAS_DEVICE", True),
                         settings=getattr(attack, "DEVICE_SETTINGS", None), variables=variables,
                         policy=getattr(attack, "POLICY", None))

    @property
    def hub(self):
        """The hub; a :class:`FakeHub` for an attack with HAS_HUB = False."""
        return self._hub

    @property
    def folder(self):
        return self._folder

    @property
    def enrolment_key(self):
        return (self._folder / "enrolment-key").read_text().strip()

    def processes(self):
        """The memory of each program that runs."""
        found = [Memory("hub", lambda: self._hub.pid)] if self._has_hub else []
        return found + ([Memory("device", lambda: self._device.pid)] if self._device else [])

    def dead(self):
        """The names of the programs that have ended."""
        return [child.name for child in (self._hub, self._device) if child and not child.is_running]

    @property
    def device_pid(self):
        return self._device.pid

    def device_usage(self):
        """`(moment of CLOCK_MONOTONIC, seconds of CPU that the device has used)`."""
        return self.usage_of(self._device)

    @staticmethod
    def usage_of(child):
        """The same of any process."""
        fields = (pathlib.Path("/proc") / str(child.pid) / "stat").read_text().rsplit(")", 1)[1].split()
        return time.monotonic(), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def hub_log(self):
        return self._hub.log.read_text(errors="replace") if self._has_hub else ""

    def account(self, command, *arguments, words=None):
        """Runs an account command of the hub's and returns what came of it."""
        return subprocess.run(
            [self._binaries / "livesessions-hub", command, "--config", self._folder / "hub.toml", *arguments],
            input=words, capture_output=True, text=True, timeout=30, check=False)

    def configure_hub(self, **lines):
        """Writes other settings, for the next start."""
        path = self._folder / "hub.toml"
        kept = [line for line in path.read_text().splitlines() if line.split(" =")[0] not in lines]
        path.write_text(_lines(lines) + "\n".join(kept) + "\n")

    def configure_device(self, change):
        """Lets `change` edit the text of the device's configuration."""
        path = self._folder / "device.toml"
        path.write_text(change(path.read_text()))

    def _write_configuration(self, context):
        super()._write_configuration(context)
        self.configure_hub(**self._hub_lines)
        self._distrust_loopback()

    def _distrust_loopback(self):
        """Has addresses of the loopback range count as strangers', but for the one of the test's own proxy."""
        path = self._folder / "hub.toml"
        kept = path.read_text()
        self.configure_hub(trusted_proxies=[PROXY])
        if self.account("list-users").returncode == EX_CONFIG:
            # A hub that knows no proxies trusts none.
            path.write_text(kept)

    def _start_hub(self):
        return super()._start_hub() if self._has_hub else FakeHub(self.port)

    def _make_accounts(self):
        super()._make_accounts()
        for title, password in (BYSTANDER, ATTACKER):
            self.change_accounts("add-user", "--title", title, "--password-file", "-", words=password + "\n")


def _lines(settings):
    return "".join(f"{key} = {world.toml_value(value)}\n" for key, value in settings.items())

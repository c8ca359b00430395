"""A device whose actions callers dial: programs that leave a file, so that a test sees them done."""
import subprocess

from interop.processes import wait_until

PIN = "081547"
WRONG_PIN = "443199"
RULES = """
[[action_rule]]
action = ["open-door"]
caller = ["role:operator"]
in_call = true

[[action_rule]]
action = ["alarm-off"]
caller = ["role:operator"]
pin = "{pin}"
"""


class Actions:
    """What is done, and what the device needs for it."""

    #: What opens the door, a wrong PIN for the alarm, and the right one.
    DIGITS = f"9*1{WRONG_PIN}#*1{PIN}#"

    def __init__(self, folder):
        self._marks = {name: folder / name for name in ("open-door", "alarm-off")}
        pin = folder / "pin"
        pin.write_text(PIN + "\n")
        pin.chmod(0o600)
        self.rules = RULES.format(pin=pin)
        self.settings = [
            {"name": "open-door", "run": self._leaving("open-door"), "dtmf": "9"},
            {"name": "alarm-off", "run": self._leaving("alarm-off"), "dtmf": "*1"},
        ]

    def _leaving(self, name):
        return ["/usr/bin/touch", str(self._marks[name])]

    def _require_pictures(self, world):
        """A picture of the moment, whoever asks, done or refused; dialling takes longer than a second for each."""
        folder = world.state_folder / "actions"
        wait_until(lambda: len(list(folder.glob("*-open-door.*.jpg"))) >= 1 and len(list(folder.glob("*-alarm-off.*.jpg"))) >= 1,
                   "pictures of the moments are kept", 10)
        for picture in folder.iterdir():
            words = subprocess.run(
                ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0", picture],
                capture_output=True, text=True, timeout=20, check=True).stdout.strip()
            if words != "mjpeg,640,480":
                raise AssertionError(f"{picture.name} is {words}")

    def wait_for_both(self, world, caller):
        """Waits until both are done, which is what :attr:`DIGITS` ask for, and forgets it."""
        for name, mark in self._marks.items():
            wait_until(mark.exists, f"{caller} has had {name} done", 20)
            mark.unlink()
        self._require_pictures(world)
        log = world.device_log()
        if PIN in log or WRONG_PIN in log:
            raise AssertionError("what was dialled stands in the log")
        if "action alarm-off: refused" not in log or "the PIN is wrong" not in log:
            raise AssertionError(f"the wrong PIN is not in the log:\n{log}")

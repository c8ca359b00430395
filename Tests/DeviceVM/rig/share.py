"""The folder that the guest sees as /host: the installed programs, what to play, and where results go."""
import pathlib
import re
import secrets
import shutil
import subprocess

from . import check_watch, mender, owner, room, sound, track, usb_camera

TOP = pathlib.Path(__file__).resolve().parents[3]
GUEST = TOP / "Tests/DeviceVM/guest"

DEVICE = """\
[device]
title = "Front gate"

[hub]
url = "http://127.0.0.1:8080"

[video]
camera = "auto"
width = 320
height = 180
frame_rate = 30

[audio]
microphone = "plughw:Loopback,1,0"
speaker = "none"

[network]
addresses = ["127.0.0.1"]
"""


class Share:
    """Made once; each boot gets its own `run.sh` and its own results."""

    def __init__(self, path, binaries):
        self.path = path
        self.out = path / "out"
        root = path / "root"
        self._install(binaries, root)
        (root / "etc/livesessions/device.toml").write_text(DEVICE)
        sound.write_tone(path / "tone.wav", seconds=120)
        for script in GUEST.glob("*.sh"):
            shutil.copy(script, path)
        for script in ("bell.py", "contact.py", "hardware.py", "let_read.py", "store.py"):
            shutil.copy(GUEST / script, path)
        shutil.copytree(GUEST / "camera", path / "camera")
        shutil.copy(TOP / "packaging/livesessions/postinst", path)
        script = (TOP / "etc/examples/mender/ArtifactCommit_Enter_00_livesessions").read_bytes()
        for name in ("good", "bad"):
            mender.write(path / f"{name}.mender", name, script)

    @staticmethod
    def _install(binaries, root):
        """Installs as the README says, and adds the Swift libraries that a debug build needs."""
        command = ["make", "--silent", "-C", str(TOP), "install", f"BIN={binaries}", f"DESTDIR={root}"]
        subprocess.run(command, check=True)
        for program in (root / "usr/bin").iterdir():
            libraries = subprocess.run(["ldd", str(program)], capture_output=True, text=True).stdout
            for library in re.findall(r"=> (/\S+)", libraries):
                target = root / library[1:]
                if library.startswith(("/lib", "/usr/lib")) or target.exists():
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                subprocess.run(["strip", "--strip-unneeded", "-o", str(target), library], check=True)

    def prepare(self, scenarios, values):
        """Empties the results and says what the next boot runs, with which shell variables."""
        shutil.rmtree(self.out, ignore_errors=True)
        self.out.mkdir()
        if "usb_camera" in scenarios and not (self.path / "pictures").exists():
            usb_camera.write(self.path / "pictures")
        if "echo" in scenarios and not (self.path / "room").exists():
            room.write(self.path)
        if "upload" in scenarios and not (self.path / "upload").exists():
            owner.write(self.path / "upload")
        if "watch" in scenarios:
            sound.write_bursts(self.path / "bursts.wav", seconds=60, bursts=check_watch.BURSTS)
        (self.path / "entropy").write_text(secrets.token_hex(64))
        track.write_drive(self.path / "drive.txt", seconds=300)
        lines = ["set -u", *(f"{name}={value}" for name, value in values.items()), ". /host/device.sh", "install_device"]
        lines += [f". /host/{name}.sh" for name in scenarios] + ["keep_logs"]
        (self.path / "run.sh").write_text("\n".join(lines) + "\n")

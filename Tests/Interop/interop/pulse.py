"""A PulseAudio of a test's own: a sound card that runs in real time, whose loudspeaker and microphone are null sinks."""
import os
import pathlib
import re
import subprocess

from interop import pulse_stream
from interop.processes import Child, wait_until

#: What the device plays, what it captures, what a browser plays, and what it captures.
SPEAKER, MICROPHONE, PAGE_OUT, PAGE_MICROPHONE = "speaker", "microphone", "page-out", "page-mic"
#: The names of the device's cards in ALSA.
ALSA_SPEAKER, ALSA_MICROPHONE = "room_speaker", "room_microphone"
#: Chromium lists no monitors as microphones.
PAGE_SOURCE = "page-source"
CONFIGURATION = """
exit-idle-time = -1
default-sample-rate = 48000
default-sample-channels = 1
enable-shm = no
realtime-scheduling = yes
rlimit-rttime = -1
log-level = notice
"""
ALSA = """
pcm.{name} {{ type pulse server "{server}" device "{device}" }}
"""


def monitor(sink):
    """The source that hears what a sink plays."""
    return f"{sink}.monitor"


class SoundServer:
    """The daemon while entered. It ends with the test, and nobody's PulseAudio knows of it."""

    def __init__(self, folder: pathlib.Path):
        self._folder = folder / "pulse"
        self._folder.mkdir(mode=0o700)
        self.address = f"unix:{self._folder}/native"
        self.alsa_configuration = self._folder / "asound.conf"
        self._daemon = None
        self._write_files()

    def _write_files(self):
        (self._folder / "daemon.conf").write_text(CONFIGURATION)
        cards = ((ALSA_SPEAKER, SPEAKER), (ALSA_MICROPHONE, monitor(MICROPHONE)))
        self.alsa_configuration.write_text("".join(
            ALSA.format(name=name, server=self.address, device=device) for name, device in cards))

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self._daemon.last_words())
        self._daemon.kill()

    @property
    def client_variables(self):
        """The environment by which a program finds the daemon, and nothing of the user's own."""
        return {"PULSE_SERVER": self.address, "PULSE_COOKIE": str(self._folder / "cookie"),
                "HOME": str(self._folder), "XDG_RUNTIME_DIR": str(self._folder), "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"}

    @property
    def device_variables(self):
        """What the device's environment needs so that ALSA has its cards."""
        return {**self.client_variables, "ALSA_CONFIG_PATH": str(self.alsa_configuration)}

    @property
    def device_settings(self):
        """The device's `[audio]`."""
        return {"microphone": ALSA_MICROPHONE, "speaker": ALSA_SPEAKER}

    def start(self):
        """Starts the daemon with the sinks and waits until it answers."""
        variables = {**self.client_variables, "PULSE_CONFIG": str(self._folder / "daemon.conf"),
                     "PULSE_RUNTIME_PATH": str(self._folder / "runtime"), "PULSE_STATE_PATH": str(self._folder / "state")}
        modules = [f"module-native-protocol-unix socket={self._folder}/native auth-anonymous=1", *map(_sink, SINKS),
                   f"module-remap-source source_name={PAGE_SOURCE} master={monitor(PAGE_MICROPHONE)}"]
        load = [argument for module in modules for argument in ("-L", module)]
        self._daemon = Child(["pulseaudio", "-n", "--system=false", "--daemonize=no", *load],
                             self._folder / "daemon.log", variables, is_hurried=True)
        wait_until(lambda: self._try("info").returncode == 0, "PulseAudio answers", alive=[self._daemon])
        self.control("set-default-sink", PAGE_OUT)
        self.control("set-default-source", PAGE_SOURCE)

    def kill(self):
        """Ends the daemon as a crash does; :meth:`start` starts it again."""
        self._daemon.kill()

    def unload(self, sink):
        """Takes a sink away from whoever uses it, as when a card is unplugged."""
        modules = self.control("list", "short", "modules")
        number = re.search(rf"^(\d+)\tmodule-null-sink\tsink_name={sink} ", modules, re.MULTILINE)
        self.control("unload-module", number[1])

    def load(self, sink):
        """Brings a sink back."""
        self.control("load-module", *_sink(sink).split())

    def is_used_by_device(self, streams):
        """Whether one of the `sink-inputs` or `source-outputs` is the device's."""
        return "ALSA plug-in [livesessionsd]" in self.control("list", streams)

    def control(self, *arguments):
        """What `pactl` prints."""
        finished = self._try(*arguments)
        if finished.returncode:
            raise AssertionError(f"pactl {' '.join(arguments)}: {finished.stderr}")
        return finished.stdout

    def _try(self, *arguments):
        return subprocess.run(["pactl", *arguments], capture_output=True, text=True, timeout=10, check=False,
                              env={**os.environ, **self.client_variables})

    def play(self, sink, milliseconds=20):
        return pulse_stream.Playing(self.address, sink, milliseconds)

    def listen(self, sink, milliseconds=10):
        return pulse_stream.Listening(self.address, monitor(sink), milliseconds)


SINKS = (SPEAKER, MICROPHONE, PAGE_OUT, PAGE_MICROPHONE)


def _sink(name):
    return f"module-null-sink sink_name={name} rate=48000 channels=1 format=s16le"

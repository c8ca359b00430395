"""The same call of speech by Debian's baresip, with another baresip at the other end."""
import pathlib
import tempfile
import wave

from call.device import SETTLING, watch
from call.room import CARD
from interop.processes import Child, wait_until

RATE = 48_000
MODULES = pathlib.Path("/usr/lib/baresip/modules")
#: The one that is measured has the card; the other plays a file and writes what it hears to another.
CONFIGURATION = """
poll_method epoll
sip_listen 192.0.2.1:{port}
audio_path /usr/share/baresip
audio_player {player}
audio_source {source}
audio_alert aufile,{folder}/alert.wav
ausrc_srate 48000
auplay_srate 48000
ausrc_channels 1
auplay_channels 1
audio_level no
rtp_ports {rtp}-{rtp_end}
module_path {modules}
module {audio}
module opus.so
module uuid.so
module stdio.so
module_tmp account.so
module_app menu.so
module_app dtls_srtp.so
opus_bitrate 32000
opus_stereo no
opus_sprop_stereo no
"""
ACCOUNT = "<sip:{name}@192.0.2.1:{port}>;regint=0;audio_codecs=opus/48000/2;mediaenc=dtls_srtp;answermode=auto\n"


def call(media, variables, seconds):
    """Has one call the other; returns what the caller, which has the card, uses in the call."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="baresip."))
    far = folder / "far.wav"
    _write_wav(far, media.far, SETTLING + seconds + 30)
    with _Phone(folder, "far", 5070, f"aufile,{far}", f"aufile,{folder}/heard.wav", "aufile.so"), \
            _Phone(folder, "near", 5080, f"alsa,{CARD}", f"alsa,{CARD}", "alsa.so", variables,
                   ("-e", "/dial sip:far@192.0.2.1:5070")) as near:
        wait_until(lambda: "Call established" in near.said(), "the call is up", alive=[near.child])
        if watch(near.child.pid, SETTLING).total < 0.01:
            raise AssertionError(f"baresip does nothing in its call:\n{near.said()[-2000:]}")
        return watch(near.child.pid, seconds)


class _Phone:
    """A baresip while entered."""

    def __init__(self, folder, name, port, source, player, audio, variables=None, options=()):
        self._folder = folder / name
        self._folder.mkdir()
        (self._folder / "config").write_text(CONFIGURATION.format(
            port=port, player=player, source=source, folder=folder, rtp=port + 1000, rtp_end=port + 1009,
            modules=MODULES, audio=audio))
        (self._folder / "accounts").write_text(ACCOUNT.format(name=name, port=port))
        self._command = ["baresip", "-4", "-f", self._folder, *options]
        self._variables = {"HOME": str(self._folder), **(variables or {})}
        self.child = None

    def __enter__(self):
        self.child = Child(self._command, self._folder / "output.log", self._variables)
        wait_until(lambda: "baresip is ready" in self.said(), "baresip is ready", alive=[self.child])
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.said()[-3000:])
        self.child.kill()

    def said(self):
        return self.child.log.read_text(errors="replace") if self.child.log.exists() else ""


def _write_wav(path, samples, seconds):
    """The speech again and again."""
    speech = samples.read_bytes()
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for _ in range(seconds * RATE * 2 // len(speech) + 1):
            file.writeframes(speech)

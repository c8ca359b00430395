"""What the guest left of one boot, and what must hold for every recording."""
import json

from .facts import Facts
from .recording import Recording, steps
from .sound import ToneAnalysis, decode

FRAME_RATE = 30
# Seconds.
PACKET = 0.020
# Timecodes are whole milliseconds, and the sound's timeline follows the card's clock by small corrections.
PACKET_TOLERANCE = 0.003


class Results:
    """The results of one boot."""

    def __init__(self, out, report, disk):
        self.out = out
        self.report = report
        # The second disk's file.
        self.disk = disk
        self.facts = Facts(out / "facts.txt")

    def check(self, holds, text, detail=""):
        return self.report.check(holds, text, detail)

    def check_done(self, name, text):
        """A command whose exit status the guest wrote down succeeded."""
        status = self.facts.text(name)
        self.check(status == "0", text, "" if status == "0" else f"status {status or 'unknown'}")

    def recording(self, folder):
        """The manifest and the device's file of an archive that was copied out; None if there is none."""
        files = sorted((self.out / folder).glob("*.webm"))
        manifest = self.out / folder / "archive.json"
        if not self.check(len(files) == 1 and manifest.exists(), f"{folder}: one file and a manifest", len(files)):
            return None, None
        return json.loads(manifest.read_text()), Recording(files[0])

    def kept_recording(self, name):
        """As :meth:`recording`, of one that can be played, whatever ended it."""
        self.check_done(f"{name}.verify", f"{name}: archive verify finds nothing")
        manifest, recording = self.recording(name)
        if manifest is not None:
            playable(self, name, recording)
        return manifest, recording

    def whole_recording(self, name):
        """As :meth:`kept_recording`, of one that somebody stopped while the daemon ran on."""
        facts = self.facts
        ended = facts.text(f"{name}.id") != "" and facts.text(f"{name}.id") == facts.text(f"{name}.stopped")
        self.check(ended, f"{name}: the recording goes on until it is stopped", facts.text(f"{name}.stopped"))
        self.check(facts.text(f"{name}.same_daemon") == "yes", f"{name}: the daemon stays up")
        return self.kept_recording(name)


def playable(results, name, recording):
    results.check(recording.warnings == "", f"{name}: ffprobe is silent", recording.warnings[:200])
    problems = recording.identification_problems()
    results.check(not problems, f"{name}: mkvmerge identifies it", problems[:3] or "")
    errors = recording.decoding_errors()
    results.check(errors == "", f"{name}: ffmpeg decodes it without a word", errors[:200])


def continuous_sound(results, name, recording):
    """No gap between the packets; returns the analysis of what they hold."""
    distances = steps(recording.times("audio"))
    odd = [step for step in distances if abs(step - PACKET) > PACKET_TOLERANCE]
    results.check(
        len(distances) > 50 and not odd, f"{name}: sound packets follow each other by 20 ms",
        f"{len(distances) + 1} packets, {len(odd)} odd {[round(step, 3) for step in odd[:5]]}")
    return ToneAnalysis(decode(recording.path))


def tone(results, name, analysis, first=5):
    """The decoder begins with a fade: what comes before window `first` is not judged."""
    silent = analysis.silent_windows(first=first, last=-2)
    results.check(abs(analysis.frequency - 1_000) <= 1, f"{name}: the tone is 1,000 ± 1 Hz", f"{analysis.frequency:.3f} Hz")
    results.check(analysis.purity > 0.98, f"{name}: the sound is the tone", f"{analysis.purity:.1%} of its energy")
    results.check(not silent, f"{name}: no 20 ms under half of the energy", f"windows {silent[:8]}" if silent else "")

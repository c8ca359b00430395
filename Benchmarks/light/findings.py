"""What a clip's recordings show."""
import dataclasses
import statistics

import numpy

from light import ladder, quality
from light.recording import DAEMON, ENCODERS, PIPES
from light.scenes import FRAME_RATE

#: Frames before and after a key frame in which its pulse is sought.
PULSE = 15
#: The least share of a clip's frames in a recording whose CPU time counts.
WHOLE = 0.9


@dataclasses.dataclass(frozen=True)
class Finding:
    """A clip, its rounds, the recordings by name, and vpxenc's at other rates."""

    clip: object
    rounds: list
    judged: dict
    entrances: list
    steps: list

    @property
    def ours(self):
        return self.judged[DAEMON]

    @property
    def reference(self):
        return self.judged["vpxenc"]

    @property
    def whole_rounds(self):
        """Those in which the daemon recorded nearly all frames; all rounds when there are none. A busy machine keeps it from
        its work, and what it did not record cost it nothing.
        """
        return [one for one in self.rounds if one.frames >= WHOLE * self.clip.frames] or self.rounds

    def cpu_ratios(self, name):
        """livesessionsd's CPU time ÷ that of `name`, of each round that counts."""
        return [one.cpu[DAEMON] / one.cpu[name] for one in self.whole_rounds]

    def cpu_ratios_without_pipes(self):
        """The same beside the encoders, less what `cat` takes for the pipes."""
        return [one.cpu[DAEMON] / (one.cpu[ENCODERS] - one.cpu[PIPES]) for one in self.whole_rounds]

    @property
    def share(self):
        """Percent of a core that livesessionsd takes, in the median round."""
        return 100 * statistics.median(one.cpu[DAEMON] for one in self.whole_rounds) / self.clip.seconds

    @property
    def memory(self):
        return max(one.memory for one in self.rounds)

    @property
    def equal(self):
        """vpxenc's bytes at our PSNR."""
        return ladder.bytes_for(self.ours.clean.decibels, self.steps)

    @property
    def equal_ratio(self):
        """Our bytes ÷ those."""
        return self.ours.packets.bytes / self.equal.bytes

    @property
    def equal_text(self):
        if not self.steps:
            return "–"
        return f"{self.equal.bound}{self.equal_ratio:.2f}"

    def worst_after_keys(self):
        """The least of our PSNR less vpxenc's, in decibels, of the seconds that begin with our key frames; the first
        frame counts as well.
        """
        return self._worst(self.ours.packets.keys)

    def worst_after_entrances(self):
        return self._worst(self.entrances)

    def _worst(self, frames):
        whole = [frame for frame in frames if frame + FRAME_RATE <= self.clip.frames]
        differences = [
            self.ours.clean.in_second_from(frame) - self.reference.clean.in_second_from(frame) for frame in whole
        ]
        return float(min(differences)) if differences else None


def pulses(judged):
    """By how many decibels each key frame but the first falls below the half second before it, in its worst frame of
    the half second from it on.
    """
    errors = judged.clean.errors
    keys = [key for key in judged.packets.keys if PULSE <= key <= len(errors) - PULSE]
    return [
        float(quality.decibels(errors[key - PULSE:key].mean()) - quality.decibels(errors[key:key + PULSE].max()))
        for key in keys
    ]


def worst_frames(finding):
    """The frame that is worst in our recording, and the one where it is worst beside vpxenc's."""
    ours, theirs = (quality.decibels(one.clean.errors) for one in (finding.ours, finding.reference))
    return [int(numpy.argmin(ours)), int(numpy.argmin(ours - theirs))]


def summary(finding):
    """The figures for programs."""
    found = {
        "cpu": [one.cpu for one in finding.rounds],
        "recordedFrames": [one.frames for one in finding.rounds],
        "memory": finding.memory,
        "bytesAtEqualPSNR": finding.equal_text,
        "worstAfterKeyFrame": finding.worst_after_keys(),
        "worstAfterEntrance": finding.worst_after_entrances(),
        "ladder": [dataclasses.asdict(step) for step in finding.steps],
        "recordings": {}
    }
    for name, judged in finding.judged.items():
        found["recordings"][name] = {
            "bytes": judged.packets.bytes,
            "dropped": judged.packets.dropped,
            "pulses": pulses(judged),
            **{
                which: _likeness(getattr(judged, which))
                for which in ("clean", "source")
            }
        }
    return found


def _likeness(likeness):
    decibels, similarity = likeness.by_second()
    return {
        "psnr": float(likeness.decibels),
        "ssim": float(likeness.similarity.mean()),
        "psnrBySecond": [round(float(value), 2) for value in decibels],
        "ssimBySecond": [round(float(value), 4) for value in similarity]
    }

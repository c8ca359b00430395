"""Faults that a recording lived through, and how soon its pictures and sound came back."""
import typing

from .recording import missing_share, steps
from .results import FRAME_RATE, PACKET, continuous_sound, tone

#: Seconds within which a device that is there again delivers again.
RETURN = 3
#: Seconds between two pictures while a camera is away: the card that says so comes every second.
CARD = 1.5


class Fault(typing.NamedTuple):
    """When something was away, in seconds since the recording began."""

    name: str
    begin: float
    end: float


def faults_of(results, name, manifest):
    facts, start = results.facts, manifest["createdAt"]
    moment = lambda fault, edge: (facts.number(f"{name}.{fault}.{edge}") - start) / 1000
    names = facts.text(f"{name}.faults").split()
    return [Fault(fault, moment(fault, "begin"), moment(fault, "end")) for fault in names]


def camera_returns(results, name):
    """The camera fails; the sound knows nothing of it."""
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    tone(results, name, continuous_sound(results, name, recording))
    pictures_return(results, name, recording, faults_of(results, name, manifest))


def card_returns(results, name):
    """The sound card fails; the pictures know nothing of it."""
    manifest, recording = results.whole_recording(name)
    if manifest is None:
        return
    analysis = continuous_sound(results, name, recording)
    sound_returns(results, name, analysis, faults_of(results, name, manifest))
    pictures_go_on(results, name, recording)


def pictures_return(results, name, recording, faults, rate=FRAME_RATE):
    """After each fault pictures come at full rate again, and until the next one none is missing."""
    times = recording.times("video")
    if not results.check(len(times) > rate, f"{name}: there are pictures", len(times)):
        return
    ends = [fault.begin for fault in faults[1:]] + [times[-1]]
    for fault, until in zip(faults, ends):
        what = f"{name}: {fault.name}: "
        back = _return_of_pictures(times, fault.end, until, rate)
        if not results.check(
                back is not None and back - fault.end <= RETURN, f"{what}pictures are back within {RETURN} s",
                "never" if back is None else f"{back - fault.end:.2f} s"):
            continue
        after = [time for time in times if back <= time < until - 0.2]
        missing = missing_share(after, rate)
        results.check(missing <= 0.02, f"{what}then none is missing", f"{len(after)}, {missing:.2%} missing")
    longest = max(steps(times))
    results.check(longest <= CARD, f"{name}: a card is shown meanwhile", f"{longest:.2f} s without any picture at most")


def _return_of_pictures(times, since, until, rate):
    """When pictures come at full rate again: the first of half a second's worth that follow each other closely."""
    needed = rate // 2
    for index, time in enumerate(times):
        run = times[index : index + needed]
        if since <= time < until and len(run) == needed and run[-1] - run[0] < needed * 1.2 / rate:
            return time
    return None


def sound_returns(results, name, analysis, faults):
    """The recording is silent while a sound card is away, and at no other time."""
    silent = [index * PACKET for index in analysis.silent_windows(first=5, last=-2)]
    explained = set()
    for fault in faults:
        own = [time for time in silent if fault.begin - 0.3 < time < fault.end + RETURN]
        explained.update(own)
        results.check(
            own, f"{name}: {fault.name}: the sound is back within {RETURN} s",
            f"{max(own) + PACKET - fault.end:.2f} s" if own else "it was never away")
    others = sorted(set(silent) - explained)
    results.check(not others, f"{name}: no silence beside", [round(time, 2) for time in others[:8]] or "")


def pictures_go_on(results, name, recording, rate=FRAME_RATE):
    missing = missing_share(recording.times("video"), rate)
    results.check(missing <= 0.02, f"{name}: no picture is missing", f"{missing:.2%} missing")

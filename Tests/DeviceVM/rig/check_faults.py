"""The boot `faults`: devices that go away and come back during recordings."""
from .recording import missing_share
from .results import FRAME_RATE, PACKET, continuous_sound, playable, tone


def faults(results):
    camera_fault(results, "unplugged", absence=3)
    camera_fault(results, "faulty", absence=0)
    microphone(results)


def camera_fault(results, name, absence):
    """A camera that was away for `absence` seconds during a recording."""
    facts = results.facts
    results.check(facts.text(f"{name}.same_daemon") == "yes", f"{name}: the daemon stays up")
    results.check_done(f"{name}.verify", f"{name}: archive verify finds nothing")
    manifest, recording = results.recording(name)
    if manifest is None:
        return
    playable(results, name, recording)
    tone(results, name, continuous_sound(results, name, recording))
    begin = (facts.number(f"{name}.at") - manifest["createdAt"]) / 1000
    times = recording.times("video")
    before = [time for time in times if 1 < time < begin - 0.5]
    results.check(missing_share(before, FRAME_RATE) <= 0.02, f"{name}: pictures come before", f"{len(before)} of them")
    back = return_of_pictures(times, begin + absence)
    results.check(
        back is not None and back - begin - absence <= 5, f"{name}: the camera is back within 5 s",
        "never" if back is None else f"{back - begin - absence:.2f} s")
    if back is not None:
        after = [time for time in times if time >= back]
        results.check(missing_share(after, FRAME_RATE) <= 0.02, f"{name}: pictures come afterwards", f"{len(after)} of them")


def return_of_pictures(times, since):
    """When pictures come at full rate again: the first of half a second's worth that follow each other closely."""
    needed = FRAME_RATE // 2
    for index, time in enumerate(times):
        run = times[index : index + needed]
        if time >= since and len(run) == needed and run[-1] - run[0] < needed * 1.2 / FRAME_RATE:
            return time
    return None


def microphone(results):
    """The sound card was away for two seconds; the recording is silent meanwhile, but goes on."""
    facts = results.facts
    results.check(facts.text("deaf.same_daemon") == "yes", "deaf: the daemon stays up")
    results.check_done("deaf.verify", "deaf: archive verify finds nothing")
    manifest, recording = results.recording("deaf")
    if manifest is None:
        return
    playable(results, "deaf", recording)
    analysis = continuous_sound(results, "deaf", recording)
    gone = (facts.number("deaf.at") - manifest["createdAt"]) / 1000
    back = (facts.number("deaf.again") - manifest["createdAt"]) / 1000
    silent = [index * PACKET for index in analysis.silent_windows(first=5, last=-2)]
    results.check(
        silent and gone - 0.3 < min(silent) and max(silent) - back < 5, "deaf: the tone is back within 5 s",
        f"away from {gone:.2f} to {back:.2f} s, silent from {min(silent, default=0):.2f} to {max(silent, default=0):.2f} s")
    results.check(missing_share(recording.times("video"), FRAME_RATE) <= 0.02, "deaf: pictures go on")

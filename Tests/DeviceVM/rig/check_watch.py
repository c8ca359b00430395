"""The boot `watch`: what happens before the camera and the microphone is noticed, and recorded by plans."""
import json

from .recording import Recording
from .results import playable

#: Seconds from the sound's beginning at which it is loud.
BURSTS = [10, 35]
#: Seconds within which a camera that is covered or unplugged is told, and that this is over.
TOLD_WITHIN = 5.0
PRE_ROLL = 5.0
POST_ROLL = 3.0
#: Seconds for which something that has stopped moving may still be looked at.
STANDING = 8.0
#: Seconds after which the drive has left the area, 600 m at 10 m/s, and within which that is told: the position's error has to
#: be exceeded, for the time that a fence waits.
LEFT_AFTER = 60.0
LEFT_WITHIN = 20.0
#: Seconds that a sound card of a busy machine may hold sound back.
SOUND_LATE = 1.0


def watch(results):
    events = read_events(results)
    motion(results, [event for event in events if event["kind"] == "motion"])
    tampering(results, [event for event in events if event["kind"] == "tamper"])
    sounds(results, [event for event in events if event["kind"] == "sound"])
    leaving(results, [event for event in events if event["kind"] == "geofence"])
    results.check_done("watch.verify", "archive verify finds nothing")
    recordings = read_recordings(results)
    for event in events:
        if event["kind"] in ("motion", "sound"):
            recorded(results, event, "moves" if event["kind"] == "motion" else "noises", recordings)


def read_events(results):
    """Each event once; times in seconds since 1970."""
    events = []
    for line in (results.out / "events.jsonl").read_text().splitlines():
        event = json.loads(line)
        for key in ("start", "end"):
            event[key] = event[key] / 1000 if key in event else None
        events.append(event)
    results.report.note("; ".join(f"{event['kind']} {event.get('detail', '')} {event['start']:.1f}" for event in events))
    return events


def happened(results, name):
    facts = results.facts
    return facts.number(f"watch.{name}.begin") / 1000, facts.number(f"watch.{name}.end") / 1000


def overlapping(events, begin, end):
    return [event for event in events if event["start"] < end and (event["end"] or end) > begin]


def motion(results, events):
    """What a camera that is covered or unplugged shows is judged by :func:`tampering`."""
    for name in ("first-bar", "second-bar"):
        begin, end = happened(results, name)
        found = overlapping(events, begin, end)
        results.check(len(found) == 1, f"{name}: one event of motion", len(found))
        for event in found:
            picture = results.out.glob(f"events/*/{event.get('picture', 'none')}")
            results.check(
                begin - 0.2 <= event["start"] <= begin + 2 and end - 1 <= event["end"] <= end + STANDING,
                f"{name}: it begins and ends with the movement",
                f"{event['start'] - begin:+.2f} s, {event['end'] - end:+.2f} s")
            results.check(any(path.read_bytes()[:3] == b"\xff\xd8\xff" for path in picture), f"{name}: there is a JPEG picture")
    until = happened(results, "covered")[0]
    still = [event for event in events if event["start"] < until]
    results.check(len(still) == 2, "still pictures are no motion", f"{len(still)} events until the camera was covered")


def tampering(results, events):
    for name, detail in (("covered", "covered"), ("unplugged", "disconnected")):
        begin, end = happened(results, name)
        found = [event for event in events if event.get("detail") == detail]
        if not results.check(len(found) == 1, f"{name}: told once", len(found)):
            continue
        late = found[0]["start"] - begin
        over = (found[0]["end"] or float("nan")) - end
        results.check(-0.2 <= late <= TOLD_WITHIN, f"{name}: told within {TOLD_WITHIN:.0f} s", f"{late:.2f} s")
        results.check(over <= TOLD_WITHIN, f"{name}: and when it is over", f"{over:.2f} s")


def sounds(results, events):
    results.check(len(events) == len(BURSTS), "each burst of sound is an event, and nothing else", f"{len(events)} of {len(BURSTS)}")
    begin = results.facts.number("watch.sound.begin") / 1000
    for burst in BURSTS:
        late = [event["start"] - begin - burst for event in events]
        results.check(
            any(-0.2 <= seconds <= SOUND_LATE for seconds in late), f"the burst after {burst} s is told at its beginning",
            " ".join(f"{seconds:+.2f}" for seconds in late))


def read_recordings(results):
    """What plans recorded: the manifest with times in seconds since 1970, and the file."""
    found = []
    for path in sorted((results.out / "archives").glob("**/archive.json")):
        manifest = json.loads(path.read_text())
        name = f"archive {len(found) + 1} ({' '.join(manifest.get('plans', []))})"
        recording = Recording(next(path.parent.glob("*.webm")))
        playable(results, name, recording)
        begin = manifest["createdAt"] / 1000
        found.append((manifest, begin, begin + recording.duration))
    return found


def recorded(results, event, plan, recordings):
    """Archives of the plan hold the event, with what came before and after; where another plan begins, they overlap."""
    begin, end = event["start"], event["end"]
    for _, first, last in sorted((entry for entry in recordings if plan in entry[0].get("plans", [])), key=lambda entry: entry[1]):
        if first <= end and last >= event["start"]:
            begin, end = min(begin, first), max(end, last)
    before, after = event["start"] - begin, end - event["end"]
    results.check(
        before >= PRE_ROLL - 0.5 and after >= POST_ROLL - 0.5,
        f"{event['kind']} at {event['start']:.1f}: recorded from {PRE_ROLL:.0f} s before to {POST_ROLL:.0f} s after it",
        f"{before:.1f}/{after:.1f} s")


def leaving(results, events):
    late = [event["start"] - results.facts.number("watch.drive.begin") / 1000 - LEFT_AFTER for event in events]
    results.check(
        len(events) == 1 and events[0].get("detail") == "left" and -3 <= late[0] <= LEFT_WITHIN,
        "the drive leaves the area: told once", ", ".join(f"{seconds:+.1f} s" for seconds in late))

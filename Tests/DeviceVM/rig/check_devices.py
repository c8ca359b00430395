"""The boot `devices`: installation, a recording, presence."""
import json

from . import track
from .recording import missing_share, steps
from .results import FRAME_RATE, continuous_sound, tone


def install(results):
    facts = results.facts
    results.check_done("install.sysusers", "systemd-sysusers takes the users")
    results.check_done("install.tmpfiles", "systemd-tmpfiles takes the folders")
    results.check("install.accounts" not in facts, "accounts can be made before the hub's first start")
    results.check_done("install.start", "hub and device start under systemd")
    results.check_done("install.online", "the device is online")
    results.report.note(f"installed and online after {facts.number('install.seconds') - facts.number('boot.begin'):.1f} s")
    results.check(facts.text("boot.errors") == "", "the journal has no error of hub and device", facts.text("boot.errors")[:300])


def record(results):
    facts = results.facts
    if not results.check(facts.text("record.id") != "", "an archive starts without a call"):
        return
    results.check(facts.number("record.devices_during") >= 2, "camera and microphone are open while it runs")
    results.check(facts.number("record.devices_after") == 0, "and closed afterwards", facts.text("record.devices_after"))
    manifest, recording = results.whole_recording("record")
    if manifest is None:
        return
    complete_manifest(results, manifest, recording)
    all_pictures(results, recording)
    tone(results, "record", continuous_sound(results, "record", recording))


def complete_manifest(results, manifest, recording):
    said = [manifest["status"], manifest["hasAudio"], manifest["hasVideo"], len(manifest["files"])]
    results.check(said == ["available", True, True, 1], "the manifest is complete", said)
    results.check(manifest["size"] == recording.path.stat().st_size, "the manifest's size is the file's", manifest["size"])
    results.check(abs(recording.duration - 20) < 2, "20 s were recorded", f"{recording.duration:.2f} s")
    video = recording.streams.get("video", {})
    kind = [video.get("codec_name"), video.get("width"), video.get("height"), recording.streams.get("audio", {}).get("codec_name")]
    results.check(kind == ["vp8", 320, 180, "opus"], "VP8 of 320×180 and Opus", kind)


def all_pictures(results, recording):
    times = recording.times("video")
    if not results.check(len(times) > 100, "there are pictures", len(times)):
        return
    missing = missing_share(times, FRAME_RATE)
    results.check(
        missing <= 0.02, "at most 2 % of the pictures are missing",
        f"{len(times)} in {times[-1] - times[0]:.2f} s, {missing:.2%} missing, longest step {max(steps(times)) * 1000:.0f} ms")


def users(path):
    """What the guest saw: seconds up, and the device's entry or None, in order."""
    for line in path.read_text().splitlines() if path.exists() else []:
        moment, _, body = line.partition("\t")
        try:
            items = json.loads(body)["items"]
        except (ValueError, KeyError):
            items = []
        yield float(moment), next((item for item in items if item["userTitle"] == "Front gate"), None)


def published(seen):
    """When each new position was first seen, and the position."""
    positions = []
    for moment, entry in seen:
        location = (entry or {}).get("userLocation")
        place = (location["latitude"], location["longitude"]) if location else None
        if place and (not positions or positions[-1][1] != place):
            positions.append((moment, place))
    return positions


def presence(results):
    facts = results.facts
    seen = list(users(results.out / "users.txt"))
    if not results.check(len(seen) > 5, "the hub tells who is online", f"{len(seen)} answers"):
        return
    stopped = facts.number("presence.gpsd_stopped")
    positions = published([entry for entry in seen if entry[0] < stopped])
    if not results.check(len(positions) >= 3, "the device's position appears and moves", f"{len(positions)} positions"):
        return
    results.report.note(f"first position {positions[0][0] - facts.number('drive.begin'):.1f} s after the drive began")
    moving(results, positions)
    after = [entry for entry in seen if entry[0] > stopped]
    results.check(
        len(after) >= 2 and all(entry and entry.get("userLocation") for _, entry in after),
        "without gpsd presence goes on, with the last position", f"{len(after)} answers")
    if "presence.gpsd_restarted" in facts:
        back = published([entry for entry in seen if entry[0] > facts.number("presence.gpsd_restarted")])
        results.check(len(back) >= 2, "when gpsd is back the position moves again", f"{len(back)} positions")


def moving(results, positions):
    beside = max(track.distance_from_line(place) for _, place in positions)
    results.check(beside < 5, "every position lies on the road", f"{beside:.2f} m beside it at most")
    moves = [track.distance(one[1], two[1]) for one, two in zip(positions, positions[1:])]
    results.check(min(moves) >= 50, "each move is 50 m or more", " ".join(f"{move:.0f}" for move in moves) + " m")
    waits = [two[0] - one[0] for one, two in zip(positions, positions[1:])]
    # The first move may follow sooner than it is seen, since the guest asks every two seconds.
    results.check(
        sum(waits) / len(waits) >= 9 and min(waits) >= 7.5 and max(waits) <= 16,
        "moves come every 10 s at most", " ".join(f"{wait:.1f}" for wait in waits) + " s")

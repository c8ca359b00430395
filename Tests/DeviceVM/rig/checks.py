"""What must hold after each scenario, judged from what the guest left in /host/out."""
import json

from . import track
from .facts import Facts
from .recording import Recording, missing_share, steps
from .sound import ToneAnalysis, decode

FRAME_RATE = 30
PACKET = 0.020
# Timecodes are whole milliseconds, and the sound's timeline follows the card's clock by small corrections.
PACKET_TOLERANCE = 0.003


class Results:
    """The results of one boot."""

    def __init__(self, out, report):
        self.out = out
        self.report = report
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


def install(results):
    facts = results.facts
    results.check_done("install.sysusers", "systemd-sysusers takes the users")
    results.check_done("install.tmpfiles", "systemd-tmpfiles takes the folders")
    results.check_done("install.accounts", "accounts are made before the hub's first start")
    results.check_done("install.start", "hub and device start under systemd")
    results.check_done("install.online", "the device is online")
    results.report.note(f"installed and online after {facts.number('install.seconds') - facts.number('boot.begin'):.1f} s")
    results.check(facts.text("boot.errors") == "", "the journal has no error of hub and device", facts.text("boot.errors")[:300])


# --- Recordings


def playable(results, name, recording):
    results.check(recording.warnings == "", f"{name}: ffprobe is silent", recording.warnings[:200])
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


def tone(results, name, analysis):
    # The decoder begins with a fade.
    silent = analysis.silent_windows(first=5, last=-2)
    results.check(abs(analysis.frequency - 1_000) <= 1, f"{name}: the tone is 1,000 ± 1 Hz", f"{analysis.frequency:.3f} Hz")
    results.check(analysis.purity > 0.98, f"{name}: the sound is the tone", f"{analysis.purity:.1%} of its energy")
    results.check(not silent, f"{name}: no 20 ms under half of the energy", f"windows {silent[:8]}" if silent else "")


def record(results):
    facts = results.facts
    if not results.check(facts.text("record.id") != "", "an archive starts without a call"):
        return
    results.check(facts.number("record.devices_during") >= 2, "camera and microphone are open while it runs")
    results.check(facts.number("record.devices_after") == 0, "and closed afterwards", facts.text("record.devices_after"))
    results.check(facts.text("record.stopped") == facts.text("record.id"), "it is stopped", facts.text("record.stopped"))
    results.check_done("record.verify", "archive verify finds nothing")
    manifest, recording = results.recording("record")
    if manifest is None:
        return
    complete_manifest(results, manifest, recording)
    playable(results, "record", recording)
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


# --- Presence


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


# --- systemd


def systemd(results):
    facts = results.facts
    for unit in ("livesessions-hub.service", "livesessionsd.service", "livesessionsd.socket"):
        results.check(facts.text(f"systemd.active.{unit}") == "active", f"{unit} is active")
    results.check(facts.text("systemd.watchdog") not in ("", "0", "infinity"), "the watchdog is armed", facts.text("systemd.watchdog"))
    results.report.note(f"READY=1 after {facts.number('systemd.ready_us') / 1000:.0f} ms of emulation")
    results.check_done("systemd.status_online", 'the status line says "Online, no call"')
    results.check_done("systemd.status_waiting", 'without the hub it says "Waiting for the hub"')
    results.check(facts.text("systemd.active_without_hub") == "active", "without the hub the daemon stays up")
    results.check_done("systemd.status_again", "with the hub back it is online again")
    results.check_done("systemd.reload_good", "reload takes a good policy")
    refused = facts.number("systemd.reload_bad") > 0 and facts.text("systemd.active_after_reload") == "active"
    results.check(refused, "reload refuses a policy with a mistake, and the daemon stays up")
    killed(results)
    stopped(results)
    broken(results)


def killed(results):
    facts = results.facts
    results.check_done("killed.restarted", "after SIGKILL systemd starts the daemon again")
    results.check(facts.number("killed.restarts") == 1, "once", facts.text("killed.restarts"))
    results.check_done("killed.online", "and the device is online again")
    results.check("recovered" in facts.text("killed.listed"), "the archive is recovered", facts.text("killed.listed"))
    results.check_done("killed.verify", "archive verify finds nothing in it")
    manifest, recording = results.recording("killed")
    if manifest is None:
        return
    playable(results, "killed", recording)
    length = (facts.number("killed.at") - manifest["createdAt"]) / 1000
    lost = length - recording.duration
    results.check(-0.2 < lost < 2, "at most the last moments are lost", f"{lost:.2f} of {length:.2f} s")
    tone(results, "killed", continuous_sound(results, "killed", recording))


def stopped(results):
    facts = results.facts
    results.check(facts.number("stopped.milliseconds") < 10_000, "stopping takes less than 10 s", f"{facts.text('stopped.milliseconds')} ms")
    ended = (facts.text("stopped.result"), facts.text("stopped.status"))
    results.check(ended == ("success", "0"), "and is a success", ended)
    results.check("available" in facts.text("stopped.listed"), "the archive is complete", facts.text("stopped.listed"))
    results.check_done("stopped.verify", "archive verify, without the daemon, finds nothing")
    manifest, recording = results.recording("stopped")
    if manifest is not None:
        playable(results, "stopped", recording)


def broken(results):
    facts = results.facts
    results.check(facts.number("broken.start") > 0, "a misspelt key keeps the daemon from starting")
    results.check(facts.text("broken.status") == "78", "it exits with 78", facts.text("broken.status"))
    once = (facts.text("broken.state"), facts.text("broken.restarts"))
    results.check(once == ("failed", "0"), "and systemd does not try again", once)
    results.check("device.toml:" in facts.text("broken.said"), "the journal says where", facts.text("broken.said"))
    results.check_done("broken.repaired", "repaired, it starts")


# --- Faults


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


# --- The disk


def full_disk(results):
    facts = results.facts
    results.check_done("disk.mounted", "archives are on a disk of their own")
    results.check_done("full.ended", "a recording ends by itself when the disk is nearly full")
    results.check("disk" in facts.text("full.listed"), "the list says why", facts.text("full.listed"))
    results.check_done("full.verify", "archive verify finds nothing in it")
    results.check(facts.text("full.started_anyway") == "", "no recording starts on a full disk", facts.text("full.started_anyway"))
    results.check(
        facts.text("full.next") != "" and facts.text("full.next") == facts.text("full.next_stopped"),
        "with room again the next recording starts and stops")
    results.check(facts.text("full.same_daemon") == "yes", "the daemon stays up")
    manifest, recording = results.recording("full")
    if manifest is not None:
        playable(results, "full", recording)
        tone(results, "full", continuous_sound(results, "full", recording))


def power_cut(results):
    facts = results.facts
    results.check_done("disk.mounted", "the disk can be mounted after the power cut")
    results.check_done("install.online", "the device is online")
    results.check("recovered" in facts.text("recovered.listed"), "the archive is recovered", facts.text("recovered.listed"))
    results.check_done("recovered.verify", "archive verify finds nothing in it")
    results.check(
        facts.text("recovered.next") != "" and facts.text("recovered.next") == facts.text("recovered.next_stopped"),
        "the next recording starts and stops")
    manifest, recording = results.recording("recovered")
    if manifest is None:
        return
    playable(results, "recovered", recording)
    tone(results, "recovered", continuous_sound(results, "recovered", recording))
    moments = (results.out.parent / "moments").read_text().splitlines()
    length = float(moments[-2]) - manifest["createdAt"] / 1000
    lost = length - recording.duration
    results.check(-0.2 < lost < 1.5, "at most a cluster and a write are lost", f"{lost:.2f} of {length:.2f} s")

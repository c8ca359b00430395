"""Disks that are full, break, or outlive the machine: `full-disk`, `bad-disk`, `power-cut` and `plan-power-cut`."""
import json

from .results import continuous_sound, tone

#: Seconds that a recording may lack when the power goes or the disk breaks: one cluster.
LOSS = 1.0


def full_disk(results):
    facts = results.facts
    results.check_done("disk.mounted", "archives are on a disk of their own")
    results.check_done("full.ended", "a recording ends by itself when the disk is nearly full")
    results.check("disk" in facts.text("full.listed"), "the list says why", facts.text("full.listed"))
    said(results, "full", "space|full")
    results.check(facts.text("full.started_anyway") == "", "no recording starts on a full disk", facts.text("full.started_anyway"))
    goes_on(results, "full")
    recorded(results, "full")


def bad_disk(results):
    results.check_done("disk.mounted", "archives are on a disk of their own")
    for name, word in (("read-only", "read-only"), ("no-writes", "read-only|input/output"), ("no-disk", "read-only|input/output")):
        broken(results, name, word)
    facts = results.facts
    refused = facts.text("forbidden.refused")
    results.check(
        "/livesessions/archives" in refused and "ermission" in refused, "forbidden: who asks for a recording is told where and why", refused)
    goes_on(results, "forbidden")


def broken(results, name, word):
    """The disk broke during a recording, and was mended."""
    facts = results.facts
    results.check_done(f"{name}.told", f"{name}: the recording ends by itself")
    said(results, name, word)
    refused = facts.text(f"{name}.refused")
    results.check(_matches(word, refused), f"{name}: the next recording is refused with the reason", refused)
    results.check_done(f"{name}.mended", f"{name}: the disk can be mended while the daemon runs")
    goes_on(results, name)
    manifest, recording = recorded(results, name)
    if manifest is not None:
        length = (facts.number(f"{name}.broken.begin") - manifest["createdAt"]) / 1000
        lacks_little(results, name, length, recording)


def said(results, name, word):
    """The journal names the folder and the cause."""
    text = results.facts.text(f"{name}.said")
    results.check(
        "/livesessions/archives" in text and _matches(word, text), f"{name}: the journal names the path and the cause", text or "nothing")


def _matches(words, text):
    return any(word in text.lower() for word in words.split("|"))


def goes_on(results, name):
    """The same daemon records again."""
    facts = results.facts
    results.check(
        facts.text(f"{name}.next") != "" and facts.text(f"{name}.next") == facts.text(f"{name}.next_stopped"),
        f"{name}: on a good disk the next recording starts and stops")
    results.check(facts.text(f"{name}.same_daemon") == "yes", f"{name}: the daemon stays up")


def recorded(results, name, first=5):
    """What had been recorded until then; its tone is judged from window `first` on."""
    manifest, recording = results.kept_recording(name)
    if manifest is not None:
        tone(results, name, continuous_sound(results, name, recording), first)
    return manifest, recording


def lacks_little(results, name, length, recording, sync=0.0):
    """`sync` is what the disk takes for a flush, in seconds. The file system may have begun another one before."""
    lost = length - recording.duration
    most = LOSS + 2 * sync
    results.report.measure(f"{name}: seconds lost", lost)
    results.check(-0.2 < lost <= most, f"{name}: at most {most:.1f} s are lost", f"{lost:.2f} of {length:.2f} s")


#: Windows of 20 ms until the microphone is open, where a recording does not wait for that.
OPENING = 25


def power_cut(results, sync):
    recovered(results, sync)


def plan_power_cut(results, sync):
    """As :func:`power_cut`, of what a plan recorded with evidence."""
    # It records on, and sees the next power cut.
    if "plan.recording" in results.facts:
        results.check_done("plan.recording", "the plan records, with evidence")
    last = recovered(results, sync, OPENING)
    path = results.out / "evidence.json"
    text = path.read_text() if path.exists() else ""
    if last is None or not results.check(text.startswith("{"), "evidence: there is a verdict", text[:200]):
        return
    verdict = json.loads(text)
    results.check(
        verdict["verdict"] == "cut" and results.facts.text("recovered.evidence") == "2", "evidence: cut, nothing is changed",
        f"{verdict['verdict']} {verdict['problems'][:3]}")
    results.check(verdict.get("deviceTitle") == "Front gate", "evidence: the hub vouches for the device", verdict.get("deviceTitle"))
    # A statement is written before each flush, and the cut tears what is on the way.
    lost = last - verdict.get("validUntil", 0) / 1000
    results.report.measure("evidence: seconds lost", lost)
    results.check(lost <= LOSS + 2 * sync, f"evidence: at most {LOSS + 2 * sync:.1f} s before the cut have none", f"{lost:.2f} s")


def recovered(results, sync, first=5):
    """What was recorded until the cut; returns its last known moment, in seconds since 1970, or None without an archive."""
    facts = results.facts
    results.check_done("disk.mounted", "the disk can be mounted after the power cut")
    results.check_done("boot.random", "each boot draws other random numbers")
    results.check_done("install.online", "the device is online")
    results.check("recovered" in facts.text("recovered.listed"), "the archive is recovered", facts.text("recovered.listed"))
    manifest, recording = recorded(results, "recovered", first)
    if manifest is None:
        return None
    last = float((results.out / "moments").read_text().splitlines()[-2])
    lacks_little(results, "recovered", last - manifest["createdAt"] / 1000, recording, sync)
    return last

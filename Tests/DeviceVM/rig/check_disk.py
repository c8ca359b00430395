"""Disks that are full, break, or outlive the machine: the boots `full-disk`, `bad-disk` and `power-cut`."""
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


def recorded(results, name):
    """What had been recorded until then."""
    manifest, recording = results.kept_recording(name)
    if manifest is not None:
        tone(results, name, continuous_sound(results, name, recording))
    return manifest, recording


def lacks_little(results, name, length, recording, sync=0.0):
    """`sync` is what the disk takes for a flush, in seconds. The file system may have begun another one before."""
    lost = length - recording.duration
    most = LOSS + 2 * sync
    results.report.measure(f"{name}: seconds lost", lost)
    results.check(-0.2 < lost <= most, f"{name}: at most {most:.1f} s are lost", f"{lost:.2f} of {length:.2f} s")


def power_cut(results, sync):
    facts = results.facts
    results.check_done("disk.mounted", "the disk can be mounted after the power cut")
    results.check_done("boot.random", "each boot draws other random numbers")
    results.check_done("install.online", "the device is online")
    results.check("recovered" in facts.text("recovered.listed"), "the archive is recovered", facts.text("recovered.listed"))
    manifest, recording = recorded(results, "recovered")
    if manifest is None:
        return
    moments = (results.out / "moments").read_text().splitlines()
    lacks_little(results, "recovered", float(moments[-2]) - manifest["createdAt"] / 1000, recording, sync)

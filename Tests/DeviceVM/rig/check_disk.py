"""The boots `disk` and `power-cut`: a full disk, and one that outlives the machine."""
from .results import continuous_sound, playable, tone


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

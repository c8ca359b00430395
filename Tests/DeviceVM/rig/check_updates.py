"""The boot `updates`: what keeps or rolls back an update, and restarts that wait."""
import json

from .results import playable


def updates(results):
    facts = results.facts
    passes(results, "whole", "passes: camera, audio, disk, calls, hub")
    results.check(json.loads(facts.text("whole.json") or "{}").get("gate", {}).get("passes") is True, "JSON says so, too")
    passes(results, "alone", "no failure: hub:")
    results.check(facts.text("blind.status") == "1" and facts.text("blind.line").startswith("fails: camera: none is there"),
                  "without the camera the gate fails, and says so", facts.text("blind.line"))
    for name, wanted in (("whole", ("0", "active")), ("seeing", ("0", "active"))):
        got = (facts.text(f"{name}.boot"), facts.text(f"{name}.gate"))
        results.check(got == wanted, f"{name}: boot-complete.target is reached", got)
    got = (facts.text("blind.boot"), facts.text("blind.gate"))
    results.check(got[0] not in ("", "0") and got[1] == "failed", "blind: boot-complete.target is not reached", got)
    results.check_done("alone.again", "with the hub back the device is online")
    rauc(results)
    mender(results)
    restarts(results)


def passes(results, name, words):
    line = results.facts.text(f"{name}.line")
    results.check(results.facts.text(f"{name}.status") == "0" and words in line, f"{name}: the gate passes", line)


def rauc(results):
    facts = results.facts
    results.check_done("rauc.good", "RAUC marks the slot good behind the gate")
    results.check("set-state A good" in facts.text("rauc.marked"), "by its boot loader's means", facts.text("rauc.marked"))
    refused = facts.text("rauc.bad") not in ("", "0") and not facts.text("rauc.unmarked")
    results.check(refused, "without the camera it does not", (facts.text("rauc.bad"), facts.text("rauc.unmarked")))


def mender(results):
    facts = results.facts
    for name in ("good", "bad"):
        results.check_done(f"mender.{name}.installed", f"Mender installs the update {name}")
    steps = facts.text("mender.good.steps").split()
    results.check(facts.text("mender.good.committed") == "0" and "ArtifactCommit" in steps and "ArtifactRollback" not in steps,
                  "and commits it where the gate passes", steps)
    steps = facts.text("mender.bad.steps").split()
    results.check(facts.text("mender.bad.committed") not in ("", "0") and "ArtifactRollback" in steps and "ArtifactCommit" not in steps,
                  "and rolls it back where the gate fails", steps)
    results.check(facts.text("mender.artifact") == "good", "the artifact that passed is the one in force", facts.text("mender.artifact"))


def restarts(results):
    facts = results.facts
    said = facts.text("busy.said")
    waits = f"waits for: manual recording {facts.text('busy.id')}" in said and "not restarted" in said
    results.check(waits and facts.text("busy.daemon") == "yes", "a restart waits for a manual recording, says so, and gives up", said)
    results.check_done("upgrade.set", "upgrade_restart can be set")
    results.check_done("upgrade.script", "the package's script ends at once")
    results.check(facts.text("upgrade.daemon") == "yes", "an upgrade leaves the recording alone")
    results.check("waits for: manual recording" in facts.text("upgrade.said"), "the journal says what it waits for", facts.text("upgrade.said"))
    results.check(facts.text("busy.id") == facts.text("busy.stopped") != "", "the recording goes on", facts.text("busy.stopped"))
    results.check_done("upgrade.restarted", "after it the daemon is restarted, and online")
    results.check_done("busy.verify", "archive verify finds nothing in the recording")
    results.check("available" in facts.text("busy.listed"), "it is whole", facts.text("busy.listed"))
    manifest, recording = results.recording("busy")
    if manifest is not None:
        playable(results, "busy", recording)
    results.check_done("idle.restart", "an idle device is restarted at once")
    results.check_done("idle.online", "and online again")
    results.check(facts.text("never.daemon") == "yes", "with upgrade_restart = never an upgrade restarts nothing")

"""The boot `instances`: several daemons on one machine, of which one crashes."""
import json

from .results import continuous_sound


def instances(results):
    facts = results.facts
    results.check_done("instances.check", "the files of an instance are found by its name")
    results.check_done("instances.verify", "systemd finds no fault with the templates")
    results.check_done("instances.start", "two instances start beside the daemon without a name")
    for name in ("yard", "door", "unnamed"):
        results.check_done(f"instances.{name}_online", f"{name} is online")
    titles = facts.text("instances.titles")
    results.check(all(f"{name}, online" in titles for name in ("Front gate", "yard", "door")), "each answers at its own socket", titles)
    for name in ("yard", "door"):
        results.check(facts.text(f"instances.{name}.state") == "livesessions 750", f"{name}: a state folder of its own", facts.text(f"instances.{name}.state"))
        results.check("dtls.pem" in facts.text(f"instances.{name}.files"), f"{name}: a certificate of its own", facts.text(f"instances.{name}.files"))
        sockets = (facts.text(f"instances.{name}.control"), facts.text(f"instances.{name}.monitor"))
        results.check(sockets == ("livesessions 660", "livesessions-monitor 660"), f"{name}: sockets for their groups", sockets)
    results.check(facts.text("instances.wants").split() == ["enabled"] * 3, "enabling one enables its sockets", facts.text("instances.wants"))
    results.check_done("instances.reload", "one is reloaded by its unit")
    failures = [f for f in json.loads(facts.text("instances.doctor") or '{"findings": []}')["findings"] if f["verdict"] == "failure"]
    results.check(not failures and facts.text("instances.doctor") != "", "doctor of an instance finds no failure", failures)
    crashed(results)
    stopped = facts.text("instances.stopped").split()
    results.check(stopped == ["inactive", "inactive", "active", "active"], "a stop of one stops no other", stopped)


def crashed(results):
    facts = results.facts
    results.check_done("crashed.again", "the one that crashed is started again")
    results.check_done("crashed.online", "and is online again")
    results.check(facts.text("crashed.restarts").split() == ["1", "0", "0"], "the others were not restarted", facts.text("crashed.restarts"))
    results.check(facts.text("crashed.same_daemon") == "yes", "their processes are the same")
    results.check(facts.text("crashed.id") == facts.text("crashed.stopped") != "", "a recording of another goes on", facts.text("crashed.stopped"))
    results.check_done("crashed.verify", "archive verify finds nothing in it")
    manifest, recording = results.recording("crashed")
    if manifest is not None:
        continuous_sound(results, "crashed", recording)

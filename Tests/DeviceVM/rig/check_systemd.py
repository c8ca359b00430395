"""The boot `systemd`: how the daemon lives under systemd."""
from .results import continuous_sound, playable, tone


def systemd(results):
    facts = results.facts
    for unit in ("livesessions-hub.service", "livesessionsd.service", "livesessionsd.socket"):
        results.check(facts.text(f"systemd.active.{unit}") == "active", f"{unit} is active")
    results.check(facts.text("systemd.watchdog") not in ("", "0", "infinity"), "the watchdog is armed", facts.text("systemd.watchdog"))
    results.report.note(f"READY=1 after {facts.number('systemd.ready_us') / 1000:.0f} ms of emulation")
    results.check_done("systemd.status_online", 'the status line says "Online, no call"')
    results.check_done("systemd.status_waiting", 'without the hub it says "Waiting for the hub"')
    results.check(facts.text("systemd.active_without_hub") == "active", "without the hub the daemon stays up")
    results.check_done("systemd.add_user", "an account can be added while the hub is down")
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

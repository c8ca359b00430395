"""The boot `doctor`: what `livesessions doctor` says of the device, and of what is taken from it."""
import json
import re


def doctor(results):
    good(results, "running", {"daemon": "runs", "camera": "idle", "hub": "shows this device", "permissions": "livesessions may use"})
    good(results, "stopped", {
        "camera": r"vivid|/dev/video0.*\d+×\d+", "microphone": "Loopback.*Hz", "speaker": "none is configured",
        "hub": "by its key", "permissions": "groups video, audio, gpio", "archives": "MiB free"})
    changed = results.facts.text("stopped.changed")
    results.check(not changed, "stopped: nothing is changed", changed)
    bad(results, "forbidden-camera", "permissions", "livesessions may not read and write /dev/video0", "adduser livesessions video")
    bad(results, "busy-card", "microphone", "Loopback.*another program uses the card", "")
    bad(results, "absent-camera", "camera", "/dev/video0", "livesessions devices")
    bad(results, "few-devices", "permissions", "does not let the daemon open /dev/video0", "DeviceAllow=char-video4linux rw")
    bad(results, "no-hub", "hub", "cannot reach the hub: connection refused", "")
    warned = [f for f in findings(results, "no-gpsd") if f["part"] == "position"]
    check(results, [f["verdict"] for f in warned] == ["warning"] and "cannot be reached" in warned[0]["text"],
          "no-gpsd: a position is missed, no more", warned)


def check(results, holds, text, findings):
    results.check(holds, text, "" if holds else findings)


def findings(results, name):
    return json.loads(results.facts.text(f"{name}.report"))["findings"]


def good(results, name, wanted):
    """Nothing fails, and of each part it says what is expected."""
    failures = [f for f in findings(results, name) if f["verdict"] == "failure"]
    check(results, results.facts.text(f"{name}.status") == "0" and not failures, f"{name}: nothing fails", failures)
    for part, words in wanted.items():
        texts = [f["text"] for f in findings(results, name) if f["part"] == part and f["verdict"] == "ok"]
        check(results, any(re.search(words, text) for text in texts), f"{name}: {part} is told", texts)


def bad(results, name, part, words, remedy):
    """One part fails, and nothing else does."""
    failures = [f for f in findings(results, name) if f["verdict"] == "failure"]
    results.check(results.facts.text(f"{name}.status") == "1", f"{name}: ends with 1")
    check(results, {f["part"] for f in failures} == {part}, f"{name}: {part} alone fails", failures)
    check(results, any(re.search(words, f["text"]) and remedy in f.get("remedy", "") for f in failures),
          f"{name}: it is told, with what to do", failures)

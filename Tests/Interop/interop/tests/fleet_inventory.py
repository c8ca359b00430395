"""A device whose camera is absent says so to its hub, which names it while it is there and when it has gone; the alert rules and
the dashboard that are shipped hold what promtool checks, and name figures that hub and device have."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import urllib.request

from interop.processes import free_port, wait_until
from interop.world import DEVICE, World

TOKEN = "a secret for metrics of the test's own"
NAME = re.compile(r"\blivesessions_[a-z_]+")


def run(context):
    examples = context.repository / "etc/examples"
    rules = _check_rules(context, examples / "prometheus")
    port = free_port()
    settings = {
        "video": {"camera": "/dev/video77"}, "telemetry": {"prometheus": f"127.0.0.1:{port}"},
        "[event]": {"name": "yard", "kind": "motion"},
    }
    # Some figures are there where a webhook is, and a recording was.
    world = World(context, settings=settings, hub_settings={"[webhook]": {"url": f"http://127.0.0.1:{free_port()}/"}})
    _name_metrics_token(context.scratch)
    with world:
        seen = wait_until(
            lambda: (device := _device(world)).get("problem", "").startswith("camera: ") and device,
            "the hub knows what does not work", limit=60)
        _require(seen["isOnline"], "the device is online", seen)
        report = seen["report"]
        _require(report["version"] == world.status()["version"] and report["cameras"] == 1, "version and cameras", report)
        _require("call" in report["permits"] and report["isClockSynchronized"] in (True, False), "permits and clock", report)
        _require(DEVICE in world.hub_command("devices", "--problems"), "devices --problems names it", "")
        world.command("archive", "stop", world.command("archive", "start").split()[0])
        wait_until(lambda: "livesessions_disk_free_bytes" in _figures(f"http://127.0.0.1:{port}/metrics"), "the disk is measured", limit=90)
        hub, device = _figures(f"{world.url}/metrics", TOKEN), _figures(f"http://127.0.0.1:{port}/metrics")
        _require('livesessions_hub_device_problems{part="camera"} 1' in hub, "Prometheus counts it", hub[:2000])
        unknown = sorted(name for name in _names(examples) if f"\n# TYPE {name} " not in hub + device)
        _require(not unknown, "rules and dashboard name figures that there are", unknown)
        world.stop_device()
        # When it was seen is written some seconds later.
        gone = wait_until(
            lambda: not (device := _device(world))["isOnline"] and "lastSeen" in device and device, "the device is offline",
            limit=60)
        _require(gone["problem"].startswith("camera: ") and gone["report"] == report, "the last report is kept", gone)
    return f"{len(rules)} alerts"


def _check_rules(context, folder):
    """Runs promtool, and returns the rules' text by their names."""
    promtool = shutil.which("promtool") or str(context.repository / "build/tools/promtool")
    if not os.access(promtool, os.X_OK):
        raise AssertionError("there is no promtool: run tools/dependencies test")
    for arguments in (["check", "rules", "livesessions.rules.yml"], ["test", "rules", "livesessions.rules.test.yml"]):
        done = subprocess.run([promtool, *arguments], cwd=folder, capture_output=True, text=True, timeout=60)
        _require(done.returncode == 0, f"promtool {' '.join(arguments)}", done.stdout + done.stderr)
    text = (folder / "livesessions.rules.yml").read_text()
    return re.findall(r"- alert: (\w+)", text)


def _names(examples):
    dashboard = json.loads((examples / "grafana/livesessions.json").read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queries += re.findall(r"expr: (.*)", (examples / "prometheus/livesessions.rules.yml").read_text())
    # Of devices without Redis, certificate or thermometer these are left out.
    optional = {"livesessions_hub_tls_certificate_expiry_timestamp_seconds", "livesessions_temperature_celsius"}
    return {name for query in queries for name in NAME.findall(query)} - optional


def _device(world):
    devices = json.loads(world.hub_command("devices", "--json"))
    return next((device for device in devices if device["title"] == DEVICE), {})


def _figures(url, token=None):
    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"} if token else {})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return "\n" + answer.read().decode()


def _name_metrics_token(folder: pathlib.Path):
    secret, settings = folder / "metrics.token", folder / "hub.toml"
    secret.write_text(TOKEN + "\n")
    secret.chmod(0o600)
    settings.write_text(f'metrics_token_file = "{secret}"\nstatus_socket = "{folder / "status"}"\n' + settings.read_text())


def _require(holds, text, found):
    if not holds:
        raise AssertionError(f"{text}: {found}")

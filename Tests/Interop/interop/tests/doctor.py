"""What `livesessions doctor` says of a device that is in order, with the daemon and without, and of one that is not."""
import json
import shutil
import time

from interop.world import World

#: Nothing hangs on this machine's devices.
AUDIO = {"microphone": "none", "speaker": "none"}


def run(context):
    world = World(context, settings={"video": {"camera": f"file:{context.camera()}"}, "audio": AUDIO})
    with world:
        running = _diagnose(world)
        # The device takes calls on loopback alone, which it warns of.
        _require(running, hub="ok", daemon="ok", camera="ok", archives="ok", network="warning", permissions="ok")
        world.stop_device()
        begin = time.monotonic()
        stopped = _diagnose(world)
        seconds = time.monotonic() - begin
        _require(stopped, daemon="warning", hub="ok", camera="ok", archives="ok", network="warning", permissions="ok")
        if not any("by its key" in text for text in _texts(stopped, "hub")):
            raise AssertionError(f"the hub does not take the key: {_texts(stopped, 'hub')}")
        speed = _measure(world)
        _break(context, world)
    return f"{len(stopped['findings'])} findings in {seconds:.2f} s without the daemon; {speed}"


def _measure(world):
    """What the machine can do, in some seconds, with figures that fit each other."""
    begin = time.monotonic()
    report = _diagnose(world, "--speed")
    seconds = time.monotonic() - begin
    speed, best = report["speed"], report["speed"]["recommendation"]
    sizes = [one["width"] * one["height"] for one in speed["encodings"]]
    if sizes != sorted(set(sizes)) or any(one["frameTime"] <= 0 for one in speed["encodings"]):
        raise AssertionError(f"it measured {speed['encodings']}")
    chosen = next(one for one in speed["encodings"] if one["width"] == best["width"])
    if not 0 < best["frameRate"] <= max(chosen["frameRate"], 1) or not 0 < best["load"] <= 1:
        raise AssertionError(f"it recommends {best} of {speed['encodings']}")
    if not any(f"width = {best['width']}" in finding.get("remedy", "") for finding in report["findings"]):
        raise AssertionError(f"it says {report['findings']}")
    if seconds > 20:
        raise AssertionError(f"it took {seconds:.1f} s")
    return f"{best['width']}×{best['height']} at {best['frameRate']}/s by what it measured in {seconds:.1f} s"


def _break(context, world):
    """A wrong key, then no hub, each found with what to do; nothing else is drawn into it."""
    key = context.scratch / "enrolment-key"
    shutil.copy2(key, context.scratch / "right-key")
    key.write_text("wrong\n")
    wrong = _diagnose(world, status=1)
    _require(wrong, hub="failure", camera="ok", permissions="ok")
    if "enrolment key" not in _texts(wrong, "hub")[-1]:
        raise AssertionError(f"of a wrong key it says {_texts(wrong, 'hub')}")
    shutil.copy2(context.scratch / "right-key", key)
    key.chmod(0o644)
    _require(_diagnose(world, status=1), permissions="failure", hub="failure")
    key.chmod(0o600)
    with world.frozen_hub():
        frozen = _diagnose(world, status=1)
    _require(frozen, hub="failure", camera="ok", archives="ok")


def _diagnose(world, *options, status=0):
    files = [world.folder / name for name in ("device.toml", "policy.toml")]
    finished = world.try_command("doctor", *options, "--json", "--config", files[0], "--policy", files[1], "--user", "root")
    if finished.returncode != status:
        raise AssertionError(f"it ends with {finished.returncode}: {finished.stdout}{finished.stderr}")
    return json.loads(finished.stdout)


def _require(report, **verdicts):
    """The worst verdict of each part."""
    order = ["ok", "warning", "failure"]
    for part, wanted in verdicts.items():
        found = [finding["verdict"] for finding in report["findings"] if finding["part"] == part]
        if not found or max(found, key=order.index) != wanted:
            raise AssertionError(f"{part} is to be {wanted}: {[f for f in report['findings'] if f['part'] == part]}")


def _texts(report, part):
    return [finding["text"] for finding in report["findings"] if finding["part"] == part]

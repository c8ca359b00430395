"""Purging the packages takes away all that daemon and hub have made beside recordings and accounts, images of people and secrets
among it, and nothing that somebody else has put there."""
import os
import pathlib
import shutil
import subprocess
import time

from interop.world import World

#: What the script may run; nothing of it knows of services.
TOOLS = ("sh", "rm", "rmdir")
DEVICE_SECRETS = ("enrolment-key", "upload-credentials", "evidence-key")
HUB_SECRETS = ("turn-secret", "webhook-secret", "tls-key")
#: Made by nobody's program: stays where it is.
FOREIGN = ("var/lib/livesessions/notes.txt", "var/lib/livesessions/events/2026-11-26/notes.txt",
           "var/lib/livesessions/actions/plan.png", "etc/credstore/livesessions.other", "etc/livesessions/extra.toml")


def run(context):
    root = context.scratch / "root"
    state, hub = root / "var/lib/livesessions", root / "var/lib/livesessions-hub"
    make_state(context, state, hub)
    credentials = root / "etc/credstore"
    credentials.mkdir(parents=True)
    for name in DEVICE_SECRETS + HUB_SECRETS:
        (credentials / f"livesessions.{name}").write_text("secret")
    for name in FOREIGN:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("mine")
    recordings = files(state / "archives")
    if not recordings:
        raise AssertionError("the device has recorded nothing")
    for package in ("livesessions", "livesessions-hub"):
        purge(context, root, package)
    wanted = {root / name for name in FOREIGN} | recordings | {hub / name for name in ("hub.sqlite", "hub.sqlite.exists")}
    left = files(root)
    if left != wanted:
        raise AssertionError(f"left although made by the programs: {left - wanted}; gone although not: {wanted - left}")
    return f"{len(wanted)} files stay"


def make_state(context, state, hub):
    """What real programs leave, and what a damaged file and a power cut add."""
    settings = {"evidence": {"enabled": True}, "archive": {"min_free": "1MiB", "on_archive": ["/bin/true"]},
                "[event]": {"name": "noise", "kind": "sound"}}
    with World(context, settings=settings) as world:
        archive = world.command("archive", "start").split()[0]
        world.command("home", "yes")
        time.sleep(1)
        world.command("archive", "stop", archive)
        world.stop_device()
    shutil.copytree(world.state_folder, state)
    hub.mkdir(parents=True)
    for path in world.folder.glob("hub.sqlite*"):
        if path.name in ("hub.sqlite", "hub.sqlite.exists"):
            shutil.copy2(path, hub)
    day = state / "events/2026-11-26"
    day.mkdir(parents=True, exist_ok=True)
    (state / "actions").mkdir(exist_ok=True)
    for path in (state / "dtls.pem.damaged", state / "home.123.new", day / "events.jsonl", day / "20261126T174600Z-x.jpg",
                 day / "20261126T174600Z-x.jpg.123.new", state / "actions/20261126T174600Z-open-door.jpg"):
        path.write_text("made")


def purge(context, root, package):
    tools = context.scratch / "tools"
    tools.mkdir(exist_ok=True)
    for name in TOOLS:
        if not (tools / name).exists():
            (tools / name).symlink_to(shutil.which(name))
    script = context.repository / "packaging" / package / "postrm"
    subprocess.run([tools / "sh", script, "purge"], check=True, env={"PATH": str(tools), "DPKG_ROOT": str(root)})


def files(folder):
    return {pathlib.Path(place) / name for place, _, names in os.walk(folder) for name in names}

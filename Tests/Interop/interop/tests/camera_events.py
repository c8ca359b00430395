"""Something moves before the camera: `livesessions events` lists it with a picture, a rule has it recorded from before it moved,
also after SIGKILL, calls somebody, runs an action and a program, sends a mail, and tells a webhook."""
import json
import subprocess
import time

from interop import archives, yard
from interop.alarms import Alarms, Person
from interop.processes import wait_until
from interop.world import World

PATIENCE = 20
#: Seconds. Pictures begin with a key frame, of which one comes every four.
PRE_ROLL, KEY_FRAMES = 3, 4


def run(context):
    clip = context.scratch / "yard.y4m"
    yard.write(clip)
    settings = {
        "video": {"camera": f"file:{clip}"}, "[event]": {"name": "yard", "kind": "motion"},
        "[plan]": {"name": "walks", "when": "rules", "pre_roll": f"{PRE_ROLL}s"},
    }
    with Alarms(context.scratch) as alarms, World(
            context, has_device=False, settings=settings, hub_settings=alarms.hub_settings, actions=alarms.actions,
            rules=alarms.rules) as world:
        person = Person(world)
        world.change_settings(alarms.settings(person.user_id))
        world.start_device()
        _check_explanation(world)
        begin = time.monotonic()
        event = wait_until(lambda: _first(world), "there is an event with a picture", limit=PATIENCE)
        seconds = time.monotonic() - begin
        alarms.require_all(world, person, event)
        wait_until(lambda: _has_media(world), "the walk is recorded", limit=PATIENCE)
        # The manifest that names the moment with which the pre-roll begins follows the first media by a flush or two.
        time.sleep(2)
        world.kill_device()
        _check_picture(world, event)
        world.start_device()
        _check_archive(world, event)
        again = _first(world)
        if not again or not again.get("isInterrupted") or again["id"] != event["id"]:
            raise AssertionError(f"after SIGKILL it is {again}, before it was {event}")
    return f"told {seconds:.1f} s after the start, score {event['score']}"


def _first(world):
    """The oldest event; None without one that is on the disk with its picture."""
    events = [json.loads(line) for line in world.command("events", "--json").splitlines()]
    return events[0] if events and events[0].get("picture") else None


def _check_explanation(world):
    """Before anything is noticed, the rule would match; not while somebody is at home, which outlasts the daemon."""
    world.command("home", "yes")
    if json.loads(world.command("events", "explain", "yard", "--json")).get("rule"):
        raise AssertionError("a rule for times when nobody is at home matches while somebody is")
    world.command("home", "no")
    now = json.loads(world.command("events", "explain", "yard", "--json"))
    if now.get("rule") != "walkers" or len(now["effects"]) != 6 or world.status()["isHome"]:
        raise AssertionError(f"livesessions events explain says {now}")


def _has_media(world):
    return any(path.stat().st_size > 30_000 for path in world.archive_folder.glob("*/*/*/*/device.webm"))


def _check_archive(world, event):
    archive = archives.read(world.archive_folder)[0]
    archive.require_faultless()
    told = archive.manifest
    if told.get("plans") != ["walks"] or told["reason"] != "recovered":
        raise AssertionError(f"the manifest says {told}")
    before = (event["start"] - told["createdAt"]) / 1000
    if not PRE_ROLL <= before <= PRE_ROLL + KEY_FRAMES + 0.5:
        raise AssertionError(f"the recording begins {before} s before the event")


def _check_picture(world, event):
    day = time.strftime("%Y-%m-%d", time.gmtime(event["start"] / 1000))
    probe = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name,width,height", "-of", "csv=p=0",
         world.state_folder / "events" / day / event["picture"]], capture_output=True, text=True, check=False)
    if probe.stdout.strip() != f"mjpeg,{yard.WIDTH},{yard.HEIGHT}":
        raise AssertionError(f"ffprobe says of the picture: {probe.stdout}{probe.stderr}")

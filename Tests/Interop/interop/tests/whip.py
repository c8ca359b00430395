"""The device publishes by WHIP: into a room of Janus, which records each packet, and to aiortc; the network changes meanwhile,
and a call goes on beside it."""
import copy
import json
import subprocess

from interop import sequence, sound, webm
from interop.aiortc_media_server import AiortcServer
from interop.calling import Caller
from interop.janus import ADDRESS, Janus
from interop.processes import wait_until
from interop.whip_endpoint import TOKEN, Endpoint
from interop.world import DEVICE_TONE, World

SECONDS = 12
#: One more address of the device, from then on.
MOVED = "192.0.2.7/24"


def run(context):
    return f"Janus: {_janus(own(context, 'janus'))}; aiortc: {_aiortc(own(context, 'aiortc'))}"


def own(context, name):
    """The context with a folder of its own."""
    other = copy.copy(context)
    other.scratch = context.scratch / name
    other.scratch.mkdir()
    return other


def _janus(context):
    with Janus(context.scratch / "room") as janus, Endpoint(janus) as endpoint:
        with World(context, settings=settings(context, endpoint)) as world:
            wait_until(lambda: state(world) == "publishing", "the device publishes", limit=20)
            with Caller(context, world, seconds=SECONDS) as caller:
                caller.wait_for("connected")
                subprocess.run(["ip", "address", "add", MOVED, "dev", "cable0"], check=True)
                wait_until(lambda: endpoint.asked("PATCH"), "ICE is restarted", limit=20)
                caller.wait_for("ended", limit=SECONDS + 20)
            told = world.command("status")
            if "publish wall" not in told:
                raise AssertionError(f"the status says nothing of what is published:\n{told}")
            [one] = world.status()["publications"]
            world.stop_device()
            wait_until(lambda: endpoint.asked("DELETE"), "the session is ended at the endpoint")
            if len(endpoint.asked("POST")) != 1 or one["failures"]:
                raise AssertionError(f"one session did not do: {endpoint.requests}, {one}")
            _require_quiet(world)
        seen = sequence.examine([event["number"] for event in caller.events("received")])
        seen.require("the call beside it", at_least=25 * (SECONDS - 2))
        [recorded] = janus.recordings(context.scratch).values()
        frames = webm.examine_frames(recorded["video"])
        frames.require("what Janus has recorded", at_least=25 * SECONDS)
        sound.require_tone(webm.samples(recorded["audio"])[webm.RATE:], webm.RATE, DEVICE_TONE, "what Janus has recorded")
    return f"{frames}; the call {seen}; {one['sendBitrate'] / 1e3:.0f} kbit/s"


def _aiortc(context):
    """A server without restarts: what ends there begins anew."""
    with AiortcServer() as server, Endpoint(server) as endpoint:
        with World(context, settings=settings(context, endpoint, when="calls")) as world:
            if state(world) != "idle" or endpoint.requests:
                raise AssertionError(f"without a call {state(world)}: {endpoint.requests}")
            with Caller(context, world, seconds=SECONDS) as caller:
                caller.wait_for("connected")
                wait_until(lambda: len(server.numbers) > 60, "aiortc sees pictures", limit=20)
                seen = sequence.examine(list(server.numbers))
                # The server forgets its session.
                server.end(next(iter(endpoint.offers)))
                wait_until(lambda: len(endpoint.asked("POST")) == 2, "a new session begins", limit=20)
                wait_until(lambda: state(world) == "publishing", "the device publishes again", limit=20)
                caller.wait_for("ended", limit=SECONDS + 20)
            wait_until(lambda: state(world) == "idle", "after the call nothing is published")
            wait_until(lambda: endpoint.asked("DELETE"), "the session is ended at the endpoint")
        seen.require("aiortc", at_least=50)
    return str(seen)


def settings(context, endpoint, **more):
    token = context.scratch / "whip-token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    return {
        "network": {"addresses": ["0.0.0.0"]},
        "[publish]": {"name": "wall", "url": endpoint.url, "token_file": str(token), **more},
    }


def state(world):
    return (world.status().get("publications") or [{}])[0].get("state")


def _require_quiet(world):
    log = world.device_log()
    if TOKEN in log:
        raise AssertionError("the token is in the log")
    lines = [line for line in log.splitlines() if "publish wall" in line]
    if len(lines) != 2:
        raise AssertionError("publishing is reported by " + json.dumps(lines))

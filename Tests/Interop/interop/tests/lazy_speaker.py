"""The device's loudspeaker is a null sink to which nobody listens: PulseAudio fetches sound every two seconds then, which is no failure."""
import time

from interop.calling import Caller
from interop.processes import wait_until
from interop.pulse import ALSA, SoundServer
from interop.world import OPERATOR, World

#: Seconds of talking.
SECONDS = 15
#: A null sink as PulseAudio makes it: of another rate than the device's.
SINK = "lazy"


def run(context):
    server = SoundServer(context.scratch)
    with server.alsa_configuration.open("a") as configuration:
        configuration.write(ALSA.format(name=SINK, server=server.address, device=SINK))
    settings = {"audio": {"speaker": SINK, "microphone": "test:tone", "echo_cancellation": "off"}}
    world = World(context, settings=settings, variables=server.device_variables)
    options = ["--tone", "440", "--offer", "audio-only"]
    caller = Caller(context, world, SECONDS + 5, person=OPERATOR, name="caller", options=options)
    with server, world:
        server.control("load-module", "module-null-sink", f"sink_name={SINK}")
        failures, speaker = _talk(world, caller)
    if failures or speaker.get("failures"):
        raise AssertionError(f"the speaker failed {speaker.get('failures')} times: {failures}")
    return f"{SECONDS} s without a failure"


def _talk(world, caller):
    with caller:
        caller.wait_for("connected")
        wait_until(lambda: "speaker: " in world.device_log(), "the speaker is opened")
        time.sleep(SECONDS)
        failures = [line for line in world.device_log().splitlines() if "timed out" in line]
        return failures, next(device for device in world.status()["devices"] if device["target"] == "speaker")

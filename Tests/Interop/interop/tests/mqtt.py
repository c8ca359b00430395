"""The device at Mosquitto, with TLS, a password and an access list: what Home Assistant needs to find it, its states and events, a door
with a PIN, commands that are refused, a broker that goes away, and what is said of mistakes."""
import json
import subprocess
import time

from interop import yard
from interop.calling import Caller
from interop.mqtt_broker import ACCESS, BASE, NODE, Mosquitto
from interop.processes import free_port, wait_until
from interop.world import World

PIN = "471193"
RULES = """
[[action_rule]]
name = "who is at home"
action = ["arrive", "leave", "light"]
caller = ["mqtt"]

[[action_rule]]
name = "the door"
action = ["open-door"]
caller = ["mqtt"]
pin = "{pin}"
"""
#: Seconds that the broker is away: the device's pauses have grown by then, and mosquitto_sub is back first.
AWAY = 8
STATUS = "homeassistant/status"
DISCOVERY = f"homeassistant/device/{NODE}/config"


def run(context):
    clip, pin = context.scratch / "yard.y4m", context.scratch / "pin"
    yard.write(clip)
    pin.write_text(PIN + "\n")
    pin.chmod(0o600)
    opened, lit = context.scratch / "opened", context.scratch / "lit"
    actions = [
        {"name": "open-door", "run": ["/usr/bin/touch", str(opened)]}, {"name": "light", "run": ["/usr/bin/touch", str(lit)]},
        {"name": "secret", "run": ["/usr/bin/touch", str(lit)]}, {"name": "arrive", "home": True}, {"name": "leave", "home": False}]
    with Mosquitto(context.scratch) as broker:
        settings = {
            "video": {"camera": f"file:{clip}"}, "[event]": {"name": "yard", "kind": "motion"},
            **broker.settings(images="events")}
        with broker.watch() as watcher, World(
                context, settings=settings, actions=actions, rules=RULES.format(pin=pin)) as world:
            _require_discovery(broker, watcher)
            _require_states(watcher, world)
            _require_commands(broker, watcher, world, opened, lit)
            _require_call(context, watcher, world)
            _require_return(context, broker, watcher, world)
            _require_remedies(context, broker, world)
            world.stop_device()
            if PIN in world.device_log():
                raise AssertionError("a PIN is in the log")
    return f"{len(watcher.texts(DISCOVERY))} times discovered"


def _require_discovery(broker, watcher):
    watcher.wait_for(f"{BASE}/availability", "online", limit=20)
    document = watcher.wait_for_document(DISCOVERY)
    platforms = {key: part["platform"] for key, part in document["components"].items()}
    expected = {
        "call": "event", "call_state": "sensor", "problem": "binary_sensor", "disk": "sensor", "event_yard": "binary_sensor",
        "last_event": "image", "camera": "camera", "home": "switch", "action_open-door": "lock", "action_light": "button",
        "position": "device_tracker"}
    if not expected.items() <= platforms.items() or "action_secret" in platforms:
        raise AssertionError(f"the entities are {platforms}")
    count = len(watcher.texts(DISCOVERY))
    broker.publish(STATUS, "online")
    wait_until(lambda: len(watcher.texts(DISCOVERY)) > count, "discovery is repeated when Home Assistant starts")


def _require_states(watcher, world):
    watcher.wait_for(f"{BASE}/event_yard/state", "ON", limit=30)
    image = wait_until(lambda: watcher.messages(f"{BASE}/last_event/image"), "the event's image is published", limit=30)[0][0]
    if image[:2] != b"\xff\xd8":
        raise AssertionError(f"the image begins with {image[:4]}")
    watcher.wait_for(f"{BASE}/event_yard/state", "OFF", limit=60, count=2)
    position = watcher.wait_for_document(f"{BASE}/position/attributes")
    if (position["latitude"], position["longitude"]) != (52.5163, 13.3777):
        raise AssertionError(f"the position is {position}")
    mqtt = world.status()["mqtt"]
    if not mqtt["isConnected"] or "mqtt" not in world.command("status"):
        raise AssertionError(f"the status says {mqtt}")


def _require_commands(broker, watcher, world, opened, lit):
    broker.publish(f"{BASE}/action_light/set", "PRESS", retain=True)
    broker.publish(f"{BASE}/action_light/set", "", retain=True)
    broker.publish(f"{BASE}/action_secret/set", "PRESS")
    broker.publish(f"{BASE}/action_open-door/set", "UNLOCK")
    broker.publish(f"{BASE}/action_open-door/set", '{"command": "UNLOCK", "code": "83157"}')
    broker.publish(f"{BASE}/home/set", "ON")
    watcher.wait_for(f"{BASE}/home/state", "ON")
    broker.publish(f"{BASE}/home/set", "OFF")
    watcher.wait_for(f"{BASE}/home/state", "OFF", count=2)
    log = wait_until(lambda: "wrong" in (text := world.device_log()) and text, "the wrong PIN is in the journal")
    if opened.exists() or PIN in log or "83157" in log:
        raise AssertionError("the door was opened without its PIN, or a PIN is in the log")
    broker.publish(f"{BASE}/action_open-door/set", f'{{"command": "UNLOCK", "code": "{PIN}"}}')
    wait_until(opened.exists, "the door is opened with its PIN")
    watcher.wait_for(f"{BASE}/action_open-door/state", "UNLOCKED")
    watcher.wait_for(f"{BASE}/action_open-door/state", "LOCKED", count=2)
    broker.publish(f"{BASE}/action_light/set", "PRESS")
    wait_until(lit.exists, "the light is on")
    if "action open-door: done for mqtt" not in world.device_log():
        raise AssertionError("the journal does not say who opened the door")
    told = world.command("policy", "explain", "--action", "open-door", "--caller", "mqtt")
    if "decision: allow" not in told:
        raise AssertionError(f"the policy is explained as {told}")
    _require_retained_refused(broker, world, lit)


def _require_retained_refused(broker, world, lit):
    """The broker holds a command that somebody retained, and hands it over when the device connects again."""
    lit.unlink()
    broker.end()
    broker.start()
    broker.publish(f"{BASE}/action_light/set", "PRESS", retain=True)
    wait_until(lambda: "it is retained" in world.device_log(), "a retained command is refused", limit=60)
    broker.publish(f"{BASE}/action_light/set", "", retain=True)
    if lit.exists():
        raise AssertionError("a retained command was carried out")


def _require_call(context, watcher, world):
    with Caller(context, world, seconds=3) as caller:
        caller.wait_for("connected")
        watcher.wait_for(f"{BASE}/call_state/state", "connected")
        caller.wait_for("ended", limit=30)
    watcher.wait_for(f"{BASE}/call_state/state", "idle", count=2)
    kinds = _call_kinds(watcher)
    if kinds != ["incoming", "connected", "ended"] or any(kept for _, kept in watcher.messages(f"{BASE}/call/state")):
        raise AssertionError(f"the call's events are {watcher.messages(f'{BASE}/call/state')}")


def _call_kinds(watcher):
    return [json.loads(text)["event_type"] for text in watcher.texts(f"{BASE}/call/state")]


def _require_return(context, broker, watcher, world):
    """What happens while the broker is away is told when it is back, and what is then, is right."""
    log = world.device_log().count("mqtt: the broker")
    broker.end()
    with Caller(context, world, seconds=3, name="unheard") as caller:
        caller.wait_for("ended", limit=30)
    time.sleep(AWAY)
    if world.status()["mqtt"]["isConnected"]:
        raise AssertionError("a broker that is away is connected")
    broker.start()
    wait_until(lambda: _call_kinds(watcher)[3:] == ["incoming", "connected", "ended"], "the call is told afterwards", 90)
    watcher.wait_for(f"{BASE}/availability", "online", count=3)
    if (lines := world.device_log().count("mqtt: the broker")) > log + 2:
        raise AssertionError(f"the outage is said {lines - log} times")


def _require_remedies(context, broker, world):
    """Each mistake is said once, with what helps, in journal, status and doctor."""
    good = world._settings["mqtt"]
    wrong, other = context.scratch / "wrong", context.scratch / "other.pem"
    wrong.write_text("wrong\n")
    wrong.chmod(0o600)
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=other", "-keyout",
                    "/dev/null", "-out", other], check=True, capture_output=True)
    mistakes = (({"password_file": str(wrong)}, "it does not let this client in"),
                ({"ca_file": str(other)}, "TLS failed (certificate verify failed)"),
                ({"broker": f"mqtts://127.0.0.1:{free_port()}"}, "it cannot be reached"))
    for mistake, text in mistakes:
        said = _said(world, {**good, **mistake}, text)
        if said != 1:
            raise AssertionError(f"{text!r} is said {said} times")
        told = world.try_command("doctor", "--config", str(world.folder / "device.toml"), "--policy",
                                 str(world.folder / "policy.toml")).stdout
        if text not in told or text not in world.command("status"):
            raise AssertionError(f"{text!r} is not what doctor and status say:\n{told}")
    broker.end()
    broker.write_access(ACCESS.replace(f"topic readwrite {BASE}/#", ""))
    broker.start()
    if (said := _said(world, good, "the broker drops what the client publishes", limit=40)) != 1:
        raise AssertionError(f"that the access list forbids all is said {said} times")


def _said(world, settings, text, limit=20):
    world.stop_device()
    before = world.device_log().count(text)
    world.change_settings({"mqtt": settings})
    world.start_device()
    wait_until(lambda: world.device_log().count(text) > before, f"the journal says {text!r}", limit)
    time.sleep(4)
    return world.device_log().count(text) - before

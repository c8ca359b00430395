"""The operator corrects and withdraws the device's place while a call is up: the call stays, the place goes."""
import time

from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR

from abuse.client import Client

PLACES = (
    "static = { latitude = 48.85, longitude = 2.35 }", "enabled = false",
    "static = { latitude = 1.5, longitude = 1.5 }")
LIMIT = 5.0


def attack(stage):
    looker = Client(stage.port, "127.0.5.1")
    looker.login(*OPERATOR)
    stage.check(_place(looker) is not None, "the device's place is not shown")
    kept = (stage.world.folder / "device.toml").read_text()
    begin = kept.index("[location]")
    section = kept[begin:kept.index("[", begin + 1)]
    for place in PLACES:
        stage.world.configure_device(lambda _, place=place: kept.replace(section, f"[location]\n{place}\n\n"))
        stage.world.command("reload")
        wanted = None if "false" in place else float(place.split("latitude = ")[1].split(",")[0])
        _require(stage, looker, place, wanted)


def _require(stage, looker, place, wanted):
    def is_shown():
        found = _place(looker)
        return (found and found["latitude"]) == wanted
    try:
        wait_until(is_shown, place, limit=LIMIT)
    except TimeoutError:
        stage.check(False, f"{LIMIT:.0f} s after a reload with {place} others see {_place(looker)}")
    time.sleep(1)
    sessions = stage.world.status()["sessions"]
    stage.check(sessions, f"a reload with {place} ended the call")


def _place(looker):
    """Where the device is, as others see it; None when they do not."""
    items = looker.request("GET", "/v1/users").json["items"]
    found = [item for item in items if item["userTitle"] == DEVICE]
    return found[0].get("userLocation") if found else None

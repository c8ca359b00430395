"""What was let in once is tried again after its credential was replaced, its login ended, its account removed, its kind of login
forbidden."""
import time

from interop.world import DEVICE

from abuse.client import Client
from abuse.events import ends_within
from abuse.world import ATTACKER

HUB_SETTINGS = {"anonymous_login": True, "access_token_lifetime": "60s"}
#: The device of this world has no call here: its own key is replaced.
HAS_CALL = False
#: How soon a revocation holds everywhere.
LIMIT = 20.0


def attack(stage):
    device = Client(stage.port, "127.0.8.1")
    device.login(DEVICE, key=stage.world.enrolment_key)
    person = Client(stage.port, "127.0.8.2")
    person.login(*ATTACKER)
    anonymous = Client(stage.port, "127.0.8.3")
    anonymous.login("Passer-by")
    _ends(stage, device, "a replaced enrolment key", lambda: stage.world.account(
        "enrol-device", "--title", DEVICE, "--replace", "--key-file", stage.world.folder / "new-key"))
    _ends(stage, person, "logins that were ended", lambda: stage.world.account("end-logins", "--title", ATTACKER[0]))
    person.login(*ATTACKER)
    _ends(stage, person, "a removed account", lambda: stage.world.account("remove-user", "--title", ATTACKER[0]))
    if not stage.is_quick:
        _expires(stage)
    stage.world.configure_hub(anonymous_login=False)
    with stage.logins.resting():
        stage.world.restart_hub(pause=0.2)
    anonymous.close()
    status = anonymous.request("GET", "/v1/users").status
    stage.check(status == 401, f"an anonymous token is answered {status} though anonymous logins are off")


def _ends(stage, client, what, revoke):
    """Revokes a credential; its token and its stream have to end."""
    end, before = client.stream(), client.request("GET", "/v1/users").status
    finished = revoke()
    stage.check(before == 200 and finished.returncode == 0, f"{what}: {before}, {finished.stderr}")
    begin, status = time.monotonic(), 200
    while status == 200 and time.monotonic() < begin + LIMIT:
        status = client.request("GET", "/v1/users").status
        time.sleep(0.5)
    took = time.monotonic() - begin
    stage.note(f"{what}: its token is answered {status} after {took:.1f} s")
    stage.check(status == 401, f"{what}: its token is answered {status} {took:.0f} s later")
    stage.check(ends_within(end, begin + LIMIT - time.monotonic() + 1), f"{what}: its event stream goes on")


def _expires(stage):
    client = Client(stage.port, "127.0.8.4")
    client.login("Somebody in a hurry")
    stage.check(ends_within(client.stream(), 80), "an event stream outlives its token of 60 s")

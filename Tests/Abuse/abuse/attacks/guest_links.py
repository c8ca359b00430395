"""Codes of invitations are guessed, used in a second browser, early, late, and after they were revoked; a guest asks for all that is
not for guests."""
import base64
import os
import time

from interop.world import DEVICE

from abuse.client import Client
from abuse.events import ends_within

#: How soon a revocation by a command holds.
LIMIT = 20.0
FORBIDDEN = ("/v1/users", "/v1/users/{device}/archives", "/v1/users/{device}/snapshot", "/v1/users/{device}/cameras",
             "/v1/users/{device}/events?from=0&before=1", "/v1/users/{device}/recordings?from=0&before=1", "/v1/logins",
             "/v1/accounts", "/v1/devices", "/v1/active-calls", "/v1/calls", "/v1/audit", "/v1/invitations", "/v1/push")


def attack(stage):
    _guess(stage)
    guest, code = Client(stage.port, "127.0.9.2"), _invite(stage)
    login = _redeem(guest, code)
    stage.check(login.status == 200 and login.json["role"] == "guest", f"a good link is answered {login.status}")
    guest.token = login.json["accessToken"]
    device = guest.request("GET", "/v1/invitation").json["devices"][0]["userID"]
    for path in FORBIDDEN:
        status = guest.request("GET", path.format(device=device)).status
        stage.check(status == 403, f"a guest's {path} is answered {status}")
    _refuse(stage, "a second browser", 409, _redeem(Client(stage.port, "127.0.9.3"), code))
    _refuse(stage, "a guest's renewal", 401, guest.request("POST", "/v1/token"))
    early = _invite(stage, "--from", time.strftime("%Y-%m-%d %H:%M", time.localtime(time.time() + 86_400)))
    _refuse(stage, "an early link", 403, _redeem(Client(stage.port, "127.0.9.4"), early))
    late = _invite(stage, "--for", "1s")
    time.sleep(1.5)
    _refuse(stage, "a late link", 410, _redeem(Client(stage.port, "127.0.9.5"), late))
    _revoke(stage, guest, code)


def _guess(stage):
    client = Client(stage.port, "127.0.9.1")
    statuses = [client.request("POST", "/v1/invitations/check", {"code": _random(16)}).status for _ in range(60)]
    stage.check(set(statuses) == {404, 429}, f"guessed codes are answered {sorted(set(statuses))}")
    stage.note(f"{statuses.count(404)} of {len(statuses)} guesses were looked up")


def _revoke(stage, guest, code):
    end = guest.stream()
    listed = stage.world.account("list-invitations").stdout.splitlines()
    used = next(line.split("\t")[0] for line in listed if line.split("\t")[1] == "used")
    stage.world.account("revoke-invitation", "--id", used)
    begin, status = time.monotonic(), 200
    while status == 200 and time.monotonic() < begin + LIMIT:
        status = guest.request("GET", "/v1/invitation").status
        time.sleep(0.5)
    stage.check(status == 401, f"a revoked guest's token is answered {status}")
    stage.check(ends_within(end, LIMIT), "a revoked guest's event stream goes on")
    _refuse(stage, "a revoked link", 410, _redeem(Client(stage.port, "127.0.9.6"), code))


def _invite(stage, *options):
    made = stage.world.account("invite", "--device", DEVICE, "--name", "Guest", *options)
    stage.check(made.returncode == 0, f"invite: {made.stderr}")
    return made.stdout.strip().split("/")[-1]


def _redeem(client, code):
    return client.request("POST", "/v1/invitations/redeem", {"code": code, "key": _random(32)})


def _random(count):
    return base64.urlsafe_b64encode(os.urandom(count)).decode().rstrip("=")


def _refuse(stage, what, status, answer):
    stage.check(answer.status == status, f"{what} is answered {answer.status}, not {status}")

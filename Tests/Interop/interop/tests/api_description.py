"""The hub does what its OpenAPI description says: schemathesis makes requests out of it, right ones and wrong ones, without a token
and with those of a person, an operator and a device, and each answer is described. What a device really answers, the event
stream and what a webhook is posted are compared with the description, too."""
import http.server
import json
import threading
import time

from interop import archives
from interop.description import EVENTS, PATIENCE, Description, Requests
from interop.hub_client import HubClient, parse_events
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, SECOND_OPERATOR, STRANGER, World

#: The policy lets operators have the device record.
RULES = """
[recording]
allowed = ["role:operator"]
"""
SETTINGS = {"hub": {"timeline": True, "snapshots": True}}
METRICS_TOKEN = "a secret for metrics of the test's own"
#: Requests a second: schemathesis has one connection, and nobody is to wait.
RATES = {"request_rate": 100_000, "anonymous_request_rate": 100_000}
#: Never ends, and is compared by :func:`_compare_events`.
ENDLESS = "readEvents"
#: Have bodies of types that schemathesis does not write; :mod:`whep` sends them.
UNWRITTEN = ("beginView", "changeView")
#: After which the token of a run would be none: compared by :func:`_compare_logins`.
ENDING = ("logOut", "renewToken")
#: Latitude needs longitude, a span is a week at most, a session id stands in path and body, a signature is of that key, an
#: archive's change is one of two, an invitation ends in the future, names of what a device permits are lower-case, titles are
#: not empty; and schemathesis makes Range fields from the maxLength alone.
EXCUSED = ["listUsers", "listDeviceEvents", "listRecordings", "sessionArchive", "certifyKey",
           "listArchives", "readArchive", "readArchiveFile", "changeArchive", "invite", "makeViewLink", "announcePresence", "findAccountIDs"]
EVENT = {"id": "20261124T195512Z-9f3c01ab", "kind": "motion", "source": "yard", "start": 1_795_550_112_000, "score": 40,
         "clockSynchronized": True, "rule": "walkers"}
#: Changes of it, of which some are no report that the hub passes on.
CHANGES = ({}, {"rule": None}, {"rule": ""}, {"source": "a<b"}, {"source": " yard"}, {"detail": "two\nlines"}, {"start": -1},
           {"end": 253_402_300_800_000}, {"end": 253_402_300_799_999}, {"score": 101}, {"kind": "Motion"}, {"camera": "-"})


def run(context):
    with Receiver() as receiver:
        world = World(context, settings=SETTINGS, rules=RULES, hub_settings={
            "connections": RATES, "[webhook]": {"url": receiver.url}})
        _name_metrics_token(context.scratch)
        with world:
            return _compare(context, world, receiver)


def _compare(context, world, receiver):
    archive = _record(world)
    description = Description(world.url)
    tokens = {name: HubClient(world.url).login(*account)["accessToken"] for name, account in (
        ("person", STRANGER), ("operator", OPERATOR), ("second", SECOND_OPERATOR))}
    tokens["device"] = _device_token(context, world)
    values = {"userID": world.status()["userID"], "archiveID": archive.manifest["id"], "file": archive.files[0].name}
    _compare_content(description, tokens["second"], values)
    _compare_events(description, tokens["second"])
    _compare_reports(description, tokens["device"], receiver)
    _compare_logins(description, tokens["second"])
    requests = Requests(description, context.scratch, {"metricsToken": {"bearer": METRICS_TOKEN}}, values, EXCUSED)
    statuses = _send(requests, description.operations, tokens)
    _require_answers(statuses)
    return ", ".join(
        f"{sum(count.total() for count in one.values())} requests by {name}" for name, one in statuses.items())


def _name_metrics_token(folder):
    secret, settings = folder / "metrics.token", folder / "hub.toml"
    secret.write_text(METRICS_TOKEN + "\n")
    secret.chmod(0o600)
    # Before the first table.
    settings.write_text(f'metrics_token_file = "{secret}"\n' + settings.read_text())


def _record(world):
    archive_id = world.command("archive", "start").split()[0]
    time.sleep(1)
    world.command("archive", "stop", archive_id)
    return archives.wait_for(world.archive_folder, 1)[0]


def _device_token(context, world):
    key = (context.scratch / "enrolment-key").read_text().strip()
    return HubClient(world.url).request("POST", "/v1/login", {"userTitle": DEVICE, "enrolmentKey": key})["accessToken"]


def _send(requests, operations, tokens):
    """How often each status came, by who asked."""
    open_ones = {name for name, one in operations.items() if "accessToken" not in str(one["security"])}
    members = set(operations) - open_ones - {ENDLESS, *ENDING, *UNWRITTEN}
    of_devices = {name for name in members if "device" in operations[name]["tags"]} | {"sessionArchive"}
    return {
        "nobody": requests.send("nobody", set(operations) - {ENDLESS, *UNWRITTEN}, examples=2, uncovered=members | set(ENDING)),
        "a person": requests.send("person", members, token=tokens["person"], examples=3, uncovered=members),
        "an operator": requests.send("operator", members - of_devices, token=tokens["operator"], examples=5),
        "a device": requests.send("device", of_devices, token=tokens["device"], examples=5),
    }


def _require_answers(statuses):
    """Those who may were answered: refusals alone would say nothing of answers."""
    wanted = {
        "nobody": {"checkHealth", "readKeys", "readDescription", "readMetrics"},
        "an operator": {
            "announcePresence", "listUsers", "listLogins", "listArchives", "readArchive", "readArchiveFile", "listCameras",
            "takeSnapshot", "readRecording", "setRecording"},
        "a device": {"reportEvent"},
    }
    for name, operations in wanted.items():
        unanswered = [one for one in sorted(operations) if not any(status < 300 for status in statuses[name][one])]
        if unanswered:
            raise AssertionError(f"{name} got no answer of {unanswered}: {statuses[name]}")


# What is compared one by one.


def _compare_content(description, token, values):
    """What the device answers."""
    device = "/v1/users/{userID}"
    ask = lambda template, **more: description.ask("GET", template, token, **values, **more)
    listed = ask(f"{device}/archives")["items"]
    files = ask(f"{device}/archives/{{archiveID}}")["files"]
    if [values["archiveID"]] != [item["id"] for item in listed] or values["file"] not in [file["filename"] for file in files]:
        raise AssertionError(f"the device lists {listed}, and {files}")
    file = f"{device}/archives/{{archiveID}}/{{file}}"
    if ask(file)[10:20] != ask(file, status=206, headers={"Range": "bytes=10-19"}):
        raise AssertionError("a part of a file is another one")
    ask(file, status=416, headers={"Range": "bytes=99999999999-"})
    for camera in ask(f"{device}/cameras")["items"]:
        ask(f"{device}/snapshot/{{camera}}", camera=camera)
    ask(f"{device}/snapshot")
    ask(f"{device}/recording")
    now = int(time.time() * 1000)
    span = f"?from={now - 3_600_000}&before={now + 60_000}"
    ask(f"{device}/events", query=span)
    if not ask(f"{device}/recordings", query=span)["items"]:
        raise AssertionError("the device says that it has recorded nothing")
    description.ask("GET", "/metrics", METRICS_TOKEN)


def _compare_events(description, token):
    """The first events of a stream, and those of a request that polls."""
    for path in ("/v1/events", "/v1/events?poll="):
        with description.open("GET", path, token) as stream:
            if (stream.status, stream.headers.get_content_type()) != (200, EVENTS):
                raise AssertionError(f"{path}: {stream.status} {stream.headers}")
            name, payload = next(parse_events(stream))
        if name != "hello":
            raise AssertionError(f"{path} begins with {name}")
        description.require_event(name, payload)


def _compare_reports(description, token, receiver):
    """The hub takes reports of a device that are as the description has them, and no others, and posts them as it says."""
    operation = description.operations["reportEvent"]
    for change in CHANGES:
        report = {name: value for name, value in {**EVENT, **change}.items() if value is not None}
        faults = description.body_faults(operation, report)
        with description.open("POST", "/v1/device-events", token, body=report) as answer:
            if answer.status != (400 if faults else 202):
                raise AssertionError(f"{change}: {answer.status} {answer.read()}, described as {faults or 'right'}")
    posted = description.webhook("device.event")
    headers, notice = receiver.first()
    if faults := description.body_faults(posted, notice):
        raise AssertionError(f"the webhook is posted {notice}: {faults}")
    missing = [field["name"] for field in posted["parameters"] if field["required"] and field["name"] not in headers]
    if missing:
        raise AssertionError(f"the webhook is posted no {missing}")


def _compare_logins(description, token):
    renewed = description.ask("POST", "/v1/token", token)["accessToken"]
    description.ask("DELETE", "/v1/login", renewed, status=204)
    description.ask("GET", "/v1/logins", renewed, status=401)


class Receiver:
    """A webhook's receiver."""

    def __init__(self):
        posted = self._posted = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                posted.append((dict(self.headers), json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                """Nobody reads it."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def first(self):
        """Header and body of what was posted first."""
        wait_until(lambda: self._posted, "the webhook is posted something", limit=PATIENCE)
        return self._posted[0]

"""What an event sets off, each thing seen where it arrives: a person of the hub who is called, a program of an action, a webhook's
HTTP server and a sendmail."""
import base64
import email
import email.policy
import hashlib
import hmac
import http.server
import json
import threading

from interop.hub_client import HubClient, parse_events
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR

SECRET = "a webhook's secret of the test's own"
RECIPIENT = "ann@example.org"
PATIENCE = 10
RULES = """
[[action_rule]]
action = ["light"]
caller = ["event:yard"]
at_most = "5 per 10m"
"""


class Alarms:
    """Whoever is told of events; closed when left."""

    def __init__(self, folder):
        self._folder = folder
        self._light, self._mail, self._program = folder / "light", folder / "mail", folder / "told.json"
        self._posted = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        (folder / "webhook.secret").write_text(SECRET + "\n")
        (folder / "webhook.secret").chmod(0o600)
        # Whole or not at all.
        self._sendmail = self._write_program("sendmail", f'cat > {self._mail}.new && mv {self._mail}.new {self._mail}')
        self._told = self._write_program("told", f'cat > {self._program}.new && mv {self._program}.new {self._program}')
        self.rules = RULES
        self.actions = [{"name": "light", "run": ["/usr/bin/touch", str(self._light)]}]
        self.hub_settings = {"[webhook]": {
            "url": f"http://127.0.0.1:{self._server.server_port}/alarm?key=1", "secret_file": str(folder / "webhook.secret")}}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def settings(self, user_id):
        """Of the device; the rule calls somebody."""
        return {
            "mail": {"sendmail": str(self._sendmail), "from": "gate@example.org"},
            "[event_rule]": {
                "name": "walkers", "event": ["yard"], "min_gap": "1m", "home": False, "record": ["walks"],
                "call": [f"user:{user_id}"], "action": ["light"], "webhook": True, "mail": [RECIPIENT],
                "run": [str(self._told)]},
        }

    @property
    def notices(self):
        """What the webhook was sent."""
        return [json.loads(body) for _, body in self._posted]

    def require_all(self, world, person, event):
        """All has arrived that the event sets off."""
        person.wait_until_it_rings()
        wait_until(self._light.exists, "the action is done", PATIENCE)
        wait_until(self._mail.exists, "there is a mail", PATIENCE)
        wait_until(self._program.exists, "the program is told", PATIENCE)
        wait_until(lambda: self._posted, "the webhook is told", PATIENCE)
        self._check_mail(event)
        self._check_webhook(event)
        told = json.loads(self._program.read_text())
        if told["event"]["id"] != event["id"] or told["rule"] != "walkers":
            raise AssertionError(f"the program was told {told}")
        problems = [problem for problem in world.status()["problems"] if problem["part"] == "event-rules"]
        if problems:
            raise AssertionError(f"status tells {problems}")

    def _check_mail(self, event):
        mail = email.message_from_bytes(self._mail.read_bytes(), policy=email.policy.default)
        picture = next(mail.iter_attachments())
        if mail["To"] != RECIPIENT or mail["Subject"] != f'{DEVICE}: motion at "yard"' or mail.defects:
            raise AssertionError(f"the mail is {mail}")
        if picture.get_content_type() != "image/jpeg" or not picture.get_content().startswith(b"\xff\xd8"):
            raise AssertionError(f"the mail's picture is {picture.get_content_type()}")
        if event["id"] not in mail.get_body().get_content():
            raise AssertionError(f"the mail says {mail.get_body().get_content()}")

    def _check_webhook(self, event):
        headers, body = self._posted[0]
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        code = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
        notice = json.loads(body)
        if headers["webhook-signature"] != f"v1,{code}":
            raise AssertionError("the webhook's signature does not hold")
        if notice["deviceTitle"] != DEVICE or notice["event"]["id"] != event["id"] or len(self._posted) != 1:
            raise AssertionError(f"the webhook was told {self._posted}")

    def _write_program(self, name, line):
        path = self._folder / name
        path.write_text(f"#!/bin/sh\n{line}\n")
        path.chmod(0o755)
        return path

    def _handler(self):
        posted = self._posted

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                posted.append((dict(self.headers), self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_):
                """Nobody reads it."""

        return Handler


class Person:
    """Somebody at the hub who can be called."""

    def __init__(self, world):
        self._hub = HubClient(world.url)
        self._hub.login(*OPERATOR)
        self._rang, self._online = threading.Event(), threading.Event()
        threading.Thread(target=self._listen, daemon=True).start()
        if not self._online.wait(PATIENCE):
            raise AssertionError("the hub opens no event stream")

    @property
    def user_id(self):
        return self._hub.user_id

    def wait_until_it_rings(self):
        if not self._rang.wait(PATIENCE):
            raise AssertionError("the event calls nobody")

    def _listen(self):
        with self._hub.events() as stream:
            for name, payload in parse_events(stream):
                if name == "hello":
                    self._hub.request("PUT", "/v1/presence", {
                        "kind": "person", "status": "available", "isAudio": True, "isVideo": True,
                        "eventStreamID": payload["eventStreamID"]})
                    self._online.set()
                if name == "call.incoming":
                    self._hub.request("POST", f"/v1/sessions/{payload['sessionID']}/reject", {"reason": "declined"})
                    self._rang.set()
                    return

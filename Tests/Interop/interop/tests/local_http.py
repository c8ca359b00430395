"""A program on the device's machine controls it by HTTP with curl: status, image, events, a call that it places and ends, an action
that policy.toml permits it and one that it does not."""
import json
import subprocess

from interop import conversation
from interop.browser import Browser
from interop.page import CallPage
from interop.processes import free_port, wait_until
from interop.world import OPERATOR, World

TOKEN = "0123456789abcdef0123456789abcdef"
RULES = """
[[action_rule]]
name = "the access system opens the door"
action = ["open-door"]
caller = ["http"]
"""


def run(context):
    token = context.scratch / "http-token"
    token.write_text(TOKEN + "\n")
    token.chmod(0o600)
    opened = context.scratch / "opened"
    settings = {
        "http": {"listen": f"127.0.0.1:{(port := free_port())}", "token_file": str(token)},
    }
    door = {"name": "open-door", "run": ["/usr/bin/touch", str(opened)]}
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context, settings=settings, actions=[door], rules=RULES) as world, Browser(**devices) as browser:
        http = Program(f"http://127.0.0.1:{port}", context.scratch)
        wait_until(lambda: http.ask("/status")[0] == 200, "the device answers by HTTP")
        _require_pages(http, world)
        _require_door(http, world, opened)
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        world.wait_for_user(OPERATOR[0])
        events = http.follow("/events")
        status, reply = http.call("Call", user=OPERATOR[0])
        if status != 200:
            raise AssertionError(f"the call is answered with {status}: {reply}")
        person.page.wait_for("!document.querySelector('#incoming').hidden", "the page rings")
        person.page.click("#answer-seen")
        conversation.wait_until_it_runs(person)
        status, _ = http.call("HangUp", sessionID=reply["sessionID"])
        person.wait_for_state("ended")
        seen = wait_until(lambda: "event: call.ended" in (text := events.text()) and text, "the events tell of the call")
        if status != 200 or reply["sessionID"] not in seen:
            raise AssertionError(f"the events were {seen}")
        events.stop()
    return f"{seen.count('event: ')} events"


class Program:
    def __init__(self, url, folder):
        self._url, self._folder = url, folder
        #: As a careful script does it: a token on the command line is in the list of processes.
        self._headers = folder / "headers"
        self._headers.write_text(f"Authorization: Bearer {TOKEN}\n")

    def ask(self, path, *arguments, token=True):
        headers = ["-H", f"@{self._headers}"] if token else []
        body = self._folder / "answer"
        done = subprocess.run(
            ["curl", "-s", "-o", str(body), "-w", "%{http_code} %{content_type}", *headers, *arguments, self._url + path],
            capture_output=True, text=True, timeout=30, check=False)
        status, _, kind = done.stdout.partition(" ")
        return int(status), kind, body.read_bytes() if body.exists() else b""

    def call(self, method, **parameters):
        status, _, body = self.ask(f"/methods/{method}", "-d", json.dumps(parameters))
        return status, json.loads(body)

    def follow(self, path):
        return Followed(["curl", "-sN", "-H", f"@{self._headers}", self._url + path], self._folder / "events")


class Followed:
    def __init__(self, command, path):
        self._path = path
        self._process = subprocess.Popen(command, stdout=path.open("wb"))

    def text(self):
        return self._path.read_text()

    def stop(self):
        self._process.kill()
        self._process.wait()


def _require_pages(http, world):
    if json.loads(http.ask("/status")[2])["isOnline"] != world.status()["isOnline"]:
        raise AssertionError("the status by HTTP is another")
    status, kind, image = http.ask("/snapshot.jpg")
    if (status, kind, image[:2]) != (200, "image/jpeg", b"\xff\xd8"):
        raise AssertionError(f"the image is answered with {status} {kind}")
    for answer, expected in ((http.ask("/status", token=False), 401), (http.ask("/status", "-H", "Origin: http://evil"), 403),
                             (http.ask("/status", "-H", "Host: evil.example"), 403)):
        if answer[0] != expected:
            raise AssertionError(f"a request that is to be refused with {expected} gets {answer}")
    if TOKEN in world.device_log():
        raise AssertionError("the token is in the log")


def _require_door(http, world, opened):
    status, reply = http.call("RunAction", name="open-door")
    wait_until(opened.exists, f"the door was opened ({status} {reply})")
    local = world.try_command("action", "run", "open-door")
    if local.returncode == 0:
        raise AssertionError("who may open the door by HTTP alone did so at the control socket")
    told = world.command("policy", "explain", "--action", "open-door", "--caller", "http")
    if "decision: allow" not in told:
        raise AssertionError(f"the policy is explained as {told}")

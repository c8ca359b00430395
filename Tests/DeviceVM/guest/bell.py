"""Somebody who presses buttons, and somebody in a browser who is called: what each of them sees goes into the facts.

bell.py user: prints the id of the account `demo`.
bell.py hold SECONDS: keeps the input device for a while.
bell.py run FACTS: the scenario.
bell.py line FACTS PULL: a bell on a line of the simulated GPIO chip whose level the file PULL sets.
"""
import fcntl
import http.client
import json
import pathlib
import queue
import struct
import subprocess
import sys
import threading
import time

KEYS = {"bell": 59, "off": 60}
EV_SYN, EV_KEY = 0, 1
UI_SET_EVBIT, UI_SET_KEYBIT, UI_DEV_SETUP, UI_DEV_CREATE, UI_DEV_DESTROY = 0x40045564, 0x40045565, 0x405C5503, 0x5501, 0x5502
LIMIT = 30


class Keys:
    """An input device with two keys, for as long as it is open."""

    def __init__(self):
        self.device = open("/dev/uinput", "wb", buffering=0)
        fcntl.ioctl(self.device, UI_SET_EVBIT, EV_KEY)
        for code in KEYS.values():
            fcntl.ioctl(self.device, UI_SET_KEYBIT, code)
        fcntl.ioctl(self.device, UI_DEV_SETUP, struct.pack("HHHH80sI", 3, 1, 1, 1, b"Door keys", 0))
        fcntl.ioctl(self.device, UI_DEV_CREATE)

    def unplug(self):
        fcntl.ioctl(self.device, UI_DEV_DESTROY)
        self.device.close()

    def _send(self, code, value):
        for event in ((EV_KEY, code, value), (EV_SYN, 0, 0)):
            self.device.write(struct.pack("llHHi", 0, 0, *event))

    def press(self, name, seconds=0.1):
        """Returns when the key went down."""
        began = time.monotonic()
        self._send(KEYS[name], 1)
        time.sleep(seconds)
        self._send(KEYS[name], 0)
        return began


class Person:
    """Somebody who is online at the hub, and the events of whom arrive with their times."""

    def __init__(self):
        self.events = queue.Queue()
        password = pathlib.Path("/root/password").read_text().strip()
        self.token = None
        login = self.ask("POST", "/v1/login", {"userTitle": "demo", "password": password})
        self.token, self.user = login["accessToken"], login["userID"]

    def _headers(self):
        bearer = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return {"Content-Type": "application/json", **bearer}

    def ask(self, method, path, body):
        connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=LIMIT)
        connection.request(method, path, json.dumps(body), self._headers())
        answer = connection.getresponse()
        text = answer.read()
        if answer.status >= 300:
            raise SystemExit(f"{method} {path}: {answer.status} {text}")
        return json.loads(text) if text else None

    def go_online(self):
        stream = http.client.HTTPConnection("127.0.0.1", 8080, timeout=300)
        stream.request("GET", "/v1/events", headers=self._headers())
        answer = stream.getresponse()
        threading.Thread(target=self._read, args=(answer,), daemon=True).start()
        self.wait("hello")
        self.ask("PUT", "/v1/presence", {
            "userTitle": "demo", "status": "available", "kind": "person", "isAudio": True, "isVideo": True})

    def _read(self, answer):
        for line in iter(answer.readline, b""):
            if line.startswith(b"event:"):
                self.events.put((line[6:].strip().decode(), time.monotonic()))

    def wait(self, name, limit=LIMIT):
        """When an event of that name came; None after the limit."""
        end = time.monotonic() + limit
        while (left := end - time.monotonic()) > 0:
            try:
                found, moment = self.events.get(timeout=left)
            except queue.Empty:
                break
            if found == name:
                return moment
        return None


def said(words):
    """How often the daemon has said so."""
    journal = subprocess.run(
        ["journalctl", "--boot", "--no-pager", "--output=cat", "--unit=livesessionsd"], capture_output=True, text=True)
    return journal.stdout.count(words)


def wait_said(words, count):
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if said(words) >= count:
            return True
        time.sleep(0.5)
    return False


def scenario(fact):
    person = Person()
    person.go_online()
    opened = said("buttons at /dev/input")
    keys = Keys()
    fact("opened", wait_said("buttons at /dev/input", opened + 1))
    for number in range(5):
        fact(f"ring.{number}", rings(person, keys))
        fact(f"ends.{number}", ends(person, keys))
    rings(person, keys)
    for _ in range(2):
        keys.press("bell")
    fact("second", person.wait("call.incoming", 5) is None)
    fact("second_ends", ends(person, keys))
    gone = said("is gone")
    keys.unplug()
    fact("unplugged", wait_said("is gone", gone + 1))
    keys = Keys()
    fact("replugged", wait_said("buttons at /dev/input", opened + 2))
    time.sleep(11)
    fact("rings_again", rings(person, keys) is not None)
    fact("ends_again", ends(person, keys))
    time.sleep(1)
    presses = 30
    for _ in range(presses):
        keys.press("off", 0.05)
        time.sleep(0.05)
    fact("hammered", wait_said("is pressed too often", 1))
    keys.unplug()


def rings(person, keys):
    """Milliseconds from the key to the page's event; None if it does not come."""
    began = keys.press("bell")
    came = person.wait("call.incoming")
    # So that the button's guard does not take the trials for hammering.
    time.sleep(2)
    return None if came is None else round((came - began) * 1000)


def ends(person, keys):
    keys.press("off")
    came = person.wait("call.ended")
    time.sleep(2)
    return came is not None


def line(fact, pull):
    person = Person()
    person.go_online()
    began = time.monotonic()
    pull.write_text("pull-up")
    came = person.wait("call.incoming")
    pull.write_text("pull-down")
    fact("line", None if came is None else round((came - began) * 1000))


def main():
    if sys.argv[1] == "user":
        print(Person().user)
    elif sys.argv[1] == "hold":
        keys = Keys()
        time.sleep(float(sys.argv[2]))
        keys.unplug()
    else:
        with open(sys.argv[2], "a", buffering=1) as facts:
            def fact(name, value):
                facts.write(f"buttons.{name}\t{value}\n")

            if sys.argv[1] == "line":
                line(fact, pathlib.Path(sys.argv[3]))
            else:
                scenario(fact)


main()

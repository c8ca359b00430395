"""Mosquitto as a broker with TLS, passwords and an access list, and its clients; and a broker that does what it should not."""
import contextlib
import json
import os
import signal
import socket
import struct
import subprocess
import threading
import time

from interop.processes import Child, free_port, wait_until

#: The broker's users and passwords: the device, and Home Assistant.
DEVICE, HOME = ("door", "device secret"), ("home", "home secret")
NODE = "front-door"
BASE = f"livesessions/{NODE}"
ACCESS = f"""
user {DEVICE[0]}
topic readwrite {BASE}/#
topic write homeassistant/+/{NODE}/#
topic read homeassistant/status
user {HOME[0]}
topic readwrite #
"""


class Mosquitto:
    """The broker while entered."""

    def __init__(self, folder, access=ACCESS):
        self._folder = folder / "broker"
        self._folder.mkdir(mode=0o755)
        self.port = free_port()
        self.authority = self._folder / "ca.pem"
        self._make_certificates()
        self.write_access(access)
        passwords = self._folder / "passwords"
        passwords.touch()
        for user, password in (DEVICE, HOME):
            subprocess.run(["mosquitto_passwd", "-b", passwords, user, password], check=True, capture_output=True)
        (self._folder / "broker.conf").write_text(
            f"listener {self.port} 127.0.0.1\nallow_anonymous false\npassword_file {passwords}\n"
            f"acl_file {self._folder}/access\ncafile {self.authority}\ncertfile {self._folder}/broker.pem\n"
            f"keyfile {self._folder}/broker.key\nuser root\n")
        self._child = None

    def write_access(self, access):
        """The access list of its next start."""
        (self._folder / "access").write_text(access)

    def settings(self, **more):
        """The device's settings for it."""
        password = self._folder / "device-password"
        password.write_text(DEVICE[1] + "\n")
        password.chmod(0o600)
        return {"mqtt": {
            "broker": f"mqtts://127.0.0.1:{self.port}", "user": DEVICE[0], "password_file": str(password),
            "ca_file": str(self.authority), "node": NODE, "keep_alive": "10s", **more}}

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self._child.last_words())
        self._child.kill()

    def start(self):
        self._child = Child(["mosquitto", "-c", self._folder / "broker.conf"], self._folder / "broker.log")
        wait_until(self._listens, "the broker listens", alive=[self._child])

    def end(self):
        self._child.kill()

    @contextlib.contextmanager
    def frozen(self):
        """It does nothing and closes nothing meanwhile."""
        os.kill(self._child.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self._child.pid, signal.SIGCONT)

    def publish(self, topic, text, *, retain=False):
        subprocess.run(
            ["mosquitto_pub", *self._client, "-q", "1", "-t", topic, "-m", text, *(["-r"] if retain else [])],
            check=True, capture_output=True, timeout=20)

    def watch(self, topic="#"):
        """All messages, as :class:`Watcher` reads them."""
        command = ["mosquitto_sub", *self._client, "-t", topic, "-F", '{"topic": "%t", "retained": %r, "hex": "%x"}']
        return Watcher(command, self._folder / f"watcher-{time.monotonic_ns()}.log")

    @property
    def _client(self):
        return ["-h", "127.0.0.1", "-p", str(self.port), "--cafile", str(self.authority), "-u", HOME[0], "-P", HOME[1]]

    def _listens(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def _make_certificates(self):
        name = str(self._folder / "broker")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Interop authority",
             "-keyout", f"{name}-ca.key", "-out", self.authority], check=True, capture_output=True)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=broker",
             "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE",
             "-CA", self.authority, "-CAkey", f"{name}-ca.key", "-keyout", f"{name}.key", "-out", f"{name}.pem"],
            check=True, capture_output=True)


class Watcher:
    """What `mosquitto_sub` prints while entered."""

    def __init__(self, command, output):
        self._command, self._output = command, output
        self._child = None

    def __enter__(self):
        # It ends when the broker does.
        again = ["sh", "-c", 'while :; do "$@" 2>/dev/null; sleep 0.3; done', "watch", *self._command]
        self._child = Child(again, self._output)
        return self

    def __exit__(self, *_):
        self._child.kill()

    def messages(self, topic):
        """The payloads of a topic in the order in which they came, as text or octets, with whether they were retained."""
        lines = [json.loads(line) for line in self._output.read_text().splitlines() if line.endswith("}")]
        return [(bytes.fromhex(line["hex"]), bool(line["retained"])) for line in lines if line["topic"] == topic]

    def texts(self, topic):
        return [payload.decode() for payload, _ in self.messages(topic)]

    def wait_for(self, topic, text, limit=15.0, count=1):
        """Waits until so many messages of a topic are `text`."""
        wait_until(lambda: self.texts(topic).count(text) >= count, f"{topic} becomes {text!r}", limit, alive=[self._child])

    def wait_for_document(self, topic, limit=15.0):
        """The newest JSON of a topic."""
        return json.loads(wait_until(lambda: self.texts(topic), f"{topic} is published", limit, alive=[self._child])[-1])


#: What a hostile broker sends once it has let a client in (MQTT 3.1.1).
ODDITIES = ("huge", "endless", "flood", "garbage", "malformed", "long-length", "silent", "closing")


class HostileBroker:
    """Lets everybody in, and then does what `mode` says; listens while entered."""

    def __init__(self, mode):
        self.mode = mode
        self.served = 0
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port = self._server.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.close()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._do, args=(self._server.accept()[0],), daemon=True).start()

    def _do(self, client):
        with client, contextlib.suppress(OSError):
            client.settimeout(60)
            client.recv(4096)
            self.served += 1
            if self.mode == "silent":
                time.sleep(60)
            client.sendall(b"\x20\x02\x00\x00")
            getattr(self, "_" + self.mode.replace("-", "_"))(client)
            time.sleep(30)

    def _huge(self, client):
        client.sendall(b"\x30\xff\xff\xff\x7f")
        for _ in range(256):
            client.sendall(bytes(1 << 20))

    def _endless(self, client):
        client.sendall(b"\x30\xff\xff\xff\x7f")
        while True:
            client.sendall(bytes(4_000))
            time.sleep(0.25)

    def _flood(self, client):
        topic = f"{BASE}/home/set".encode()
        body = struct.pack(">H", len(topic)) + topic + b"ON"
        while True:
            client.sendall((bytes([0x30, len(body)]) + body) * 500)

    def _garbage(self, client):
        client.sendall(os.urandom(5_000))

    def _malformed(self, client):
        client.sendall(b"\x30\x05\xff\xffabc")

    def _long_length(self, client):
        client.sendall(b"\x30\xff\xff\xff\xff\xff\x01")

    def _closing(self, client):
        client.close()

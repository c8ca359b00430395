"""Janus' streaming plugin, fed with the same stream and watched by the same viewers."""
import contextlib
import itertools
import json
import pathlib
import socket
import struct
import subprocess
import tempfile
import threading
import time
import urllib.error
import urllib.request

from bench import usage
from transport.measures import SETTLING
from transport.programs import Server, Viewers, await_end

#: Janus passes over loopback interfaces, so the namespace has one more address.
ADDRESS = "10.77.0.1"
COUNTS = (5, 10, 20)
_HTTP, _SOUND, _PICTURES = 8088, 5002, 5004
_MODULES = pathlib.Path("/usr/lib")

_CONFIGURATION = {
    "janus.jcfg": """
general: {{ plugins_folder = "{modules}/plugins"; transports_folder = "{modules}/transports"; debug_level = 2;
  debug_colors = false; session_timeout = 0; }}
media: {{ ipv6 = false; }}
nat: {{ ice_enforce_list = "{address}"; ignore_mdns = true; }}
plugins: {{ disable = "{plugins}"; }}
transports: {{ disable = "{transports}"; }}
events: {{ broadcast = false; }}
""",
    "janus.transport.http.jcfg": """
general: {{ base_path = "/janus"; http = true; port = {http}; ip = "{address}"; https = false; }}
""",
    "janus.plugin.streaming.jcfg": """
bench: {{ type = "rtp"; id = 1; description = "bench"; media = (
  {{ type = "audio"; mid = "a"; label = "sound"; port = {sound}; pt = 111; codec = "opus"; }},
  {{ type = "video"; mid = "v"; label = "pictures"; port = {pictures}; pt = 96; codec = "vp8"; }} ); }}
""",
}


class Janus:
    """A Janus of its own, with the streaming plugin and HTTP alone."""

    def __init__(self, folder):
        modules = next(_MODULES.glob("*/janus"))
        values = {
            "modules": modules, "address": ADDRESS, "http": _HTTP, "sound": _SOUND, "pictures": _PICTURES,
            "plugins": _others(modules / "plugins", "libjanus_streaming.so"),
            "transports": _others(modules / "transports", "libjanus_http.so")}
        for name, text in _CONFIGURATION.items():
            (folder / name).write_text(text.format(**values))
        self._log = open(folder / "log", "w")
        self._process = subprocess.Popen(["janus", "--configs-folder", folder, "--disable-colors"], stdout=self._log,
                                         stderr=subprocess.STDOUT)
        self._numbers, self._session = itertools.count(), None

    def __enter__(self):
        end = time.monotonic() + 20
        while self._session is None:
            try:
                self._session = self._post("", {"janus": "create"})["data"]["id"]
            except (OSError, urllib.error.URLError):
                if time.monotonic() > end or self._process.poll() is not None:
                    raise
                time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self._process.terminate()
        await_end(self._process)
        self._log.close()

    def cpu_time(self):
        return usage.cpu_time(self._process.pid)

    def connect(self, viewers, number):
        """Has a viewer watch: Janus makes the offer."""
        handle = self._post(f"/{self._session}", {"janus": "attach", "plugin": "janus.plugin.streaming"})["data"]["id"]
        path = f"/{self._session}/{handle}"
        self._post(path, {"janus": "message", "body": {"request": "watch", "id": 1}})
        offer = self._event(handle)["jsep"]["sdp"]
        answer = {"type": "answer", "sdp": viewers.describe("answer", number, offer)}
        self._post(path, {"janus": "message", "body": {"request": "start"}, "jsep": answer})

    def _event(self, handle):
        """The next event of a handle that has a description."""
        while True:
            with urllib.request.urlopen(f"http://{ADDRESS}:{_HTTP}/janus/{self._session}?maxev=1", timeout=60) as reply:
                event = json.load(reply)
            event = event[0] if isinstance(event, list) else event
            if event.get("sender") == handle and "jsep" in event:
                return event

    def _post(self, path, message):
        message["transaction"] = str(next(self._numbers))
        request = urllib.request.Request(f"http://{ADDRESS}:{_HTTP}/janus{path}", json.dumps(message).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)


def _others(folder, wanted):
    return ",".join(sorted({one.name for one in folder.glob("*.so")} - {wanted}))


class Stream(threading.Thread):
    """RTP as transport-bench's own sessions make it: as many packets of the same lengths."""

    _FIRST = bytes((0x10, 0, 0, 0x9D, 0x01, 0x2A, 0x80, 0x02, 0xE0, 0x01))
    _GROUP, _ROOM = 120, 1_110

    def __init__(self):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._numbers = {"sound": 0, "pictures": 0}
        self._ends = False

    def stop(self):
        self._ends = True
        self.join()
        self._socket.close()

    def run(self):
        begin, pictures, sounds = time.monotonic(), 0, 0
        while not self._ends:
            picture, sound = begin + pictures / 30, begin + sounds / 50
            time.sleep(max(0, min(picture, sound) - time.monotonic()))
            if sound < picture:
                self._send("sound", 111, sounds * 960, b"\xf8" + bytes(79), True)
                sounds += 1
            else:
                self._send_picture(pictures)
                pictures += 1

    def _send_picture(self, number):
        is_key = number % self._GROUP == 0
        frame = (self._FIRST if is_key else b"\x11" + self._FIRST[1:]) + bytes(12_000 if is_key else 3_270)
        share = -(-len(frame) // -(-len(frame) // self._ROOM))
        for start in range(0, len(frame), share):
            # The descriptor: X, S at the start, I, 15 bits of picture id (RFC 7741 §4.2).
            descriptor = struct.pack("!BBH", 0x90 if start == 0 else 0x80, 0x80, 0x8000 | number & 0x7FFF)
            self._send("pictures", 96, number * 3_000, descriptor + frame[start:start + share],
                       start + share >= len(frame))

    def _send(self, kind, payload_type, timestamp, payload, marker):
        number = self._numbers[kind]
        self._numbers[kind] += 1
        header = struct.pack("!BBHII", 0x80, payload_type | marker << 7, number & 0xFFFF, timestamp & 0xFFFFFFFF,
                             payload_type)
        self._socket.sendto(header + payload, (ADDRESS, _SOUND if kind == "sound" else _PICTURES))


@contextlib.contextmanager
def _fed_janus():
    stream = Stream()
    with tempfile.TemporaryDirectory() as folder, Janus(pathlib.Path(folder)) as server:
        stream.start()
        try:
            yield server
        finally:
            stream.stop()


def compare(binary, seconds, rounds):
    """Rounds of a dictionary with points (viewers, % of a core) for each of both."""
    servers = {"our network loop": lambda: Server(binary, ADDRESS), "Janus": _fed_janus}
    found = []
    for _ in range(rounds):
        points = {name: [] for name in servers}
        for count in COUNTS:
            for name, start in servers.items():
                points[name].append((count, _share(binary, start, count, seconds)))
        found.append(points)
    return found


def _share(binary, start, count, seconds):
    with start() as server, Viewers(binary, count, ADDRESS) as viewers:
        for number in range(count):
            server.connect(viewers, number)
        viewers.wait_for_pictures(range(count), seconds=20)
        time.sleep(SETTLING)
        before, begin = server.cpu_time(), time.monotonic()
        time.sleep(seconds)
        return 100 * (server.cpu_time() - before) / (time.monotonic() - begin)

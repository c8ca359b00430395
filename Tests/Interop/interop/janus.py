"""Janus with its VideoRoom plugin: a room that takes what a device publishes, and records it packet by packet."""
import itertools
import json
import pathlib
import subprocess
import urllib.error
import urllib.request

from interop.processes import Child, free_port, wait_until

#: Janus passes over loopback interfaces; this is the namespace's other address.
ADDRESS = "192.0.2.1"
ROOM = 1234
_MODULES = pathlib.Path("/usr/lib")

_CONFIGURATION = {
    "janus.jcfg": """
general: {{ plugins_folder = "{modules}/plugins"; transports_folder = "{modules}/transports"; debug_level = 4;
  debug_colors = false; session_timeout = 0; }}
media: {{ ipv6 = false; }}
nat: {{ ice_enforce_list = "{address}"; ignore_mdns = true; }}
plugins: {{ disable = "{plugins}"; }}
transports: {{ disable = "{transports}"; }}
events: {{ broadcast = false; }}
""",
    "janus.transport.http.jcfg": """
general: {{ base_path = "/janus"; http = true; port = {http}; ip = "127.0.0.1"; https = false; }}
""",
    "janus.plugin.videoroom.jcfg": """
room-{room}: {{ description = "wall"; publishers = 4; videocodec = "vp8"; audiocodec = "opus"; record = false;
  notify_joining = false; }}
""",
}


class Janus:
    """A Janus of its own while entered."""

    def __init__(self, folder):
        folder.mkdir()
        self._folder, self._port = folder, free_port()
        self._numbers, self._session, self._child = itertools.count(), None, None

    def __enter__(self):
        modules = next(_MODULES.glob("*/janus"))
        values = {
            "modules": modules, "address": ADDRESS, "http": self._port, "room": ROOM,
            "plugins": _others(modules / "plugins", "libjanus_videoroom.so"),
            "transports": _others(modules / "transports", "libjanus_http.so")}
        for name, text in _CONFIGURATION.items():
            (self._folder / name).write_text(text.format(**values))
        self._child = Child(["janus", "--configs-folder", self._folder, "--disable-colors"], self._folder / "log")
        wait_until(self._is_ready, "Janus answers", limit=20, alive=[self._child])
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self._child.last_words())
        self._child.kill()

    # What an endpoint asks for.

    def begin(self, offer):
        """Publishes an offer into the room; the session's name and the answer."""
        handle = self._post(f"/{self._session}", {"janus": "attach", "plugin": "janus.plugin.videoroom"})["data"]["id"]
        self._message(handle, {"request": "join", "ptype": "publisher", "room": ROOM})
        self._event(handle, lambda event: _data(event).get("videoroom") == "joined")
        body = {"request": "publish", "record": True, "filename": str(self._folder / f"published-{handle}")}
        self._message(handle, body, offer)
        return str(handle), self._event(handle, lambda event: "jsep" in event)["jsep"]["sdp"]

    def restart(self, name, offer):
        """Restarts ICE by an offer with other credentials; the answer."""
        self._message(int(name), {"request": "configure"}, offer)
        return self._event(int(name), lambda event: "jsep" in event)["jsep"]["sdp"]

    def end(self, name):
        self._post(f"/{self._session}/{name}", {"janus": "detach"})

    def recordings(self, folder):
        """What was published, as WebM and Opus files, by sessions' names: `{name: {"video": path, "audio": path}}`."""
        found = {}
        for source in sorted(self._folder.glob("published-*.mjr")):
            name, kind = source.stem.split("-")[1], "video" if "video" in source.stem else "audio"
            target = folder / f"{source.stem}.{'webm' if kind == 'video' else 'opus'}"
            done = subprocess.run(["janus-pp-rec", source, target], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode or not target.exists():
                raise AssertionError(f"{source.name} is no recording:\n{done.stdout}\n{done.stderr}")
            found.setdefault(name, {})[kind] = target
        return found

    # How it is done.

    def _is_ready(self):
        try:
            self._session = self._post("", {"janus": "create"})["data"]["id"]
            return True
        except (OSError, urllib.error.URLError):
            return False

    def _message(self, handle, body, offer=None):
        message = {"janus": "message", "body": body}
        if offer:
            message["jsep"] = {"type": "offer", "sdp": offer}
        self._post(f"/{self._session}/{handle}", message)

    def _event(self, handle, is_wanted):
        """The next event of a handle that is wanted; what says that something failed is raised."""
        for _ in range(50):
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}/janus/{self._session}?maxev=1", timeout=60) as reply:
                event = json.load(reply)
            event = event[0] if isinstance(event, list) else event
            if event.get("sender") != handle:
                continue
            if "error" in _data(event) or event.get("janus") == "error":
                raise AssertionError(f"Janus: {event}")
            if is_wanted(event):
                return event
        raise AssertionError("Janus does not answer")

    def _post(self, path, message):
        message["transaction"] = str(next(self._numbers))
        request = urllib.request.Request(f"http://127.0.0.1:{self._port}/janus{path}", json.dumps(message).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as reply:
            return json.load(reply)


def _data(event):
    return event.get("plugindata", {}).get("data", {})


def _others(folder, wanted):
    return ",".join(sorted({one.name for one in folder.glob("*.so")} - {wanted}))

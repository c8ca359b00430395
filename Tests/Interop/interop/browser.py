"""Headless Chromium, driven through the DevTools protocol."""
import base64
import json
import pathlib
import shutil
import tempfile
import time
import urllib.request

import websocket

from interop import namespaces
from interop.processes import Child, wait_until

FLAGS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--autoplay-policy=no-user-gesture-required", "--allow-loopback-in-peer-connection",
    "--remote-debugging-port=0", "--remote-allow-origins=*", "--window-size=1280,1000",
]


class PageError(Exception):
    """A script in the page threw."""


class Browser:
    """A Chromium with a fresh profile and one page."""

    def __init__(self, *, camera: pathlib.Path = None, microphone: pathlib.Path = None, is_allowed=True, network=None, sound=None,
                 desktop=None):
        """The devices play `camera` (y4m) and `microphone` (wav); the page is allowed to use them, or denied.

        With a `network` (see :mod:`bad_network`) the browser runs at its far end. With `sound`, a :class:`pulse.SoundServer`, it
        plays aloud there and captures from there, and has no camera. Notifications show on a `desktop` (see :mod:`desktop`).
        """
        self._namespace = network and network.namespace
        self._profile = pathlib.Path(tempfile.mkdtemp(prefix="chromium."))
        executable = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
        if not executable:
            raise FileNotFoundError("chromium is not installed")
        capture = _real_sound_flags() if sound else _capture_flags(camera, microphone, is_allowed)
        flags = [*FLAGS, *capture, f"--user-data-dir={self._profile}"]
        # A home of its own: what a killed Chromium leaves in PulseAudio's folder makes the next wait for ever.
        home = {**(desktop.variables if desktop else {}), "HOME": str(self._profile), "XDG_CONFIG_HOME": str(self._profile),
                "PULSE_RUNTIME_PATH": str(self._profile / "pulse"), **({"PULSE_SERVER": sound.address} if sound else {})}
        enter = ["nsenter", f"--net={self._namespace}"] if network else []
        self.child = Child([*enter, executable, *flags, "about:blank"], self._profile / "output.log", home)
        try:
            self.page = Page(self._connect())
            if not is_allowed:
                for name in ("camera", "microphone"):
                    self.page.command("Browser.setPermission", permission={"name": name}, setting="denied")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def open_tab(self):
        """A further tab, of the same profile."""
        port = self._port()
        request = urllib.request.Request(f"http://127.0.0.1:{port}/json/new?about:blank", method="PUT")
        with namespaces.inside(self._namespace):
            with urllib.request.urlopen(request, timeout=5) as answer:
                target = json.load(answer)
            return Page(_socket(target))

    def find_tab(self, url):
        """The tab that shows an address that begins so, once there is one: the browser may open tabs by itself."""
        def found():
            with namespaces.inside(self._namespace):
                with urllib.request.urlopen(f"http://127.0.0.1:{self._port()}/json", timeout=5) as answer:
                    return [target for target in json.load(answer)
                            if target["type"] == "page" and target["url"].startswith(url)]
        target = wait_until(found, f"a tab shows {url}")[0]
        with namespaces.inside(self._namespace):
            page = Page(_socket(target))
        # A new tab shows nothing at first, whatever its address.
        page.wait_for(f"location.href.startsWith({json.dumps(url)}) && document.readyState === 'complete'", "the page is loaded")
        return page

    def close(self):
        self.child.kill()
        for _ in range(20):
            shutil.rmtree(self._profile, ignore_errors=True)
            if not self._profile.exists():
                return
            time.sleep(0.1)

    def _connect(self):
        port_file = self._profile / "DevToolsActivePort"
        wait_until(lambda: port_file.exists() and port_file.read_text().count("\n") >= 1,
                   "Chromium tells its port", limit=30, alive=[self.child])
        port = self._port()
        def first_page():
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=5) as answer:
                return [target for target in json.load(answer) if target["type"] == "page"]
        with namespaces.inside(self._namespace):
            target = wait_until(first_page, "Chromium has a page", alive=[self.child])[0]
            return _socket(target)

    def _port(self):
        return (self._profile / "DevToolsActivePort").read_text().split()[0]


#: The middle of an element once it keeps its place from one frame to the next and nothing covers it, which a person
#: waits for as well; after some 50 frames, where it is.
MIDDLE = """async (selector) => {
  document.querySelector(selector).scrollIntoView({ block: "center" });
  const frame = () => new Promise((done) => { requestAnimationFrame(done); setTimeout(done, 200); });
  let last = { x: -1, y: -1 };
  for (let count = 0; count < 50; count += 1) {
    await frame();
    const element = document.querySelector(selector);
    if (!element) continue;
    const { x, y, width, height } = element.getBoundingClientRect();
    const place = { x: x + width / 2, y: y + height / 2 };
    const top = document.elementFromPoint(place.x, place.y);
    if (place.x === last.x && place.y === last.y && top && (element.contains(top) || top.contains(element))) return place;
    last = place;
  }
  return last;
}"""


class Page:
    """One tab. What its console complains about is kept in `complaints`; questions whether to leave are answered with yes."""

    def __init__(self, socket):
        self._socket = socket
        self._number = 0
        self.complaints = []
        #: The kinds of the questions that the browser has asked.
        self.questions = []
        #: Of service workers, by scope; for a page that has enabled that domain.
        self.registrations = {}
        for domain in ("Page", "Runtime", "Log"):
            self.command(f"{domain}.enable")

    def command(self, method, **parameters):
        number = self._send(method, **parameters)
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == number:
                if "error" in message:
                    raise PageError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._note(message)

    def _send(self, method, **parameters):
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": parameters}))
        return self._number

    def run_before(self, script):
        """Runs a script in each document that is opened from now on, before the document's own."""
        self.command("Page.addScriptToEvaluateOnNewDocument", source=script)

    def open(self, url):
        answer = self.command("Page.navigate", url=url)
        if answer.get("errorText"):
            raise PageError(f"{url}: {answer['errorText']}")
        self.wait_for("document.readyState === 'complete'", "the page is loaded")

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is awaited."""
        answer = self.command("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True,
                              userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait_for(self, expression, what, limit=15.0):
        """Polls until the expression is true in JavaScript's sense."""
        wait_until(lambda: self.evaluate(f"!!({expression})"), what, limit)

    def click(self, selector):
        """A real click in the middle of an element, which must be visible and enabled."""
        self.wait_for(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                      " return e && !e.disabled && e.getClientRects().length > 0; })()", f"{selector} can be clicked")
        place = self.evaluate(f"({MIDDLE})({json.dumps(selector)})")
        for kind in ("mousePressed", "mouseReleased"):
            self.command("Input.dispatchMouseEvent", type=kind, button="left", clickCount=1, **place)

    def type_into(self, selector, text):
        self.evaluate(f"document.querySelector({json.dumps(selector)}).focus()")
        self.command("Input.insertText", text=text)

    def text(self, selector):
        """The element's words, or None when it is not there or hidden."""
        return self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " return e && e.getClientRects().length ? e.innerText.trim() : null; })()")

    def screenshot(self, path: pathlib.Path):
        picture = self.command("Page.captureScreenshot", format="png", captureBeyondViewport=False)["data"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(picture))

    def _note(self, message):
        parameters = message.get("params", {})
        if message.get("method") == "Page.javascriptDialogOpening":
            self.questions.append(parameters["type"])
            self._send("Page.handleJavaScriptDialog", accept=True)
        elif message.get("method") == "ServiceWorker.workerRegistrationUpdated":
            self.registrations.update((one["scopeURL"], one["registrationId"]) for one in parameters["registrations"])
        elif message.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Log.entryAdded":
            entry = parameters["entry"]
            # A refused request is what some tests want to see; a broken content security policy never is.
            if entry["level"] == "error" and entry["source"] != "network":
                self.complaints.append(f"{entry['source']}: {entry['text']} {entry.get('url', '')}")


def _socket(target):
    return websocket.create_connection(target["webSocketDebuggerUrl"], timeout=60, max_size=None)


def _capture_flags(camera, microphone, is_allowed):
    flags = ["--mute-audio", "--use-fake-device-for-media-stream", f"--use-file-for-fake-video-capture={camera}",
             f"--use-file-for-fake-audio-capture={microphone}"]
    return flags + ["--use-fake-ui-for-media-stream"] if is_allowed else flags


def _real_sound_flags():
    return ["--use-fake-ui-for-media-stream"]

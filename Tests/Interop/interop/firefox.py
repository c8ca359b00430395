"""Headless Firefox, driven by Marionette, with a camera and a microphone of its own making."""
import base64
import json
import pathlib
import shutil
import socket
import tempfile
import time

from interop.browser import PageError
from interop.processes import Child, wait_until

PREFERENCES = {
    "marionette.port": 0,
    "media.navigator.streams.fake": True, "permissions.default.camera": 1, "permissions.default.microphone": 1, "media.autoplay.default": 0,
    # The tests have nothing but loopback, on which Firefox gathers no candidates by itself.
    "media.peerconnection.ice.loopback": True, "media.peerconnection.ice.obfuscate_host_addresses": False,
    "media.volume_scale": "0.0",
    "network.proxy.type": 0, "media.peerconnection.ice.default_address_only": False,
    "app.update.enabled": False, "datareporting.policy.dataSubmissionEnabled": False, "browser.shell.checkDefaultBrowser": False,
    "browser.startup.homepage_override.mstone": "ignore", "browser.aboutwelcome.enabled": False,
    "network.captive-portal-service.enabled": False, "network.connectivity-service.enabled": False,
    "services.settings.server": "", "dom.push.connection.enabled": False, "toolkit.telemetry.enabled": False,
    "dom.disable_beforeunload": True, "privacy.trackingprotection.enabled": False, "extensions.getAddons.cache.enabled": False,
}


class Firefox:
    """A Firefox with a fresh profile and one page."""

    def __init__(self):
        executable = shutil.which("firefox-esr") or shutil.which("firefox")
        if not executable:
            raise FileNotFoundError("firefox-esr is not installed")
        self._profile = pathlib.Path(tempfile.mkdtemp(prefix="firefox."))
        (self._profile / "user.js").write_text(
            "".join(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in PREFERENCES.items()))
        self.child = Child([executable, "--headless", "--marionette", "--no-remote", "--profile", self._profile, "about:blank"],
                           self._profile / "output.log", {"HOME": str(self._profile), "MOZ_CRASHREPORTER_DISABLE": "1"})
        try:
            self.page = FirefoxPage(self._port())
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.child.kill()
        for _ in range(20):
            shutil.rmtree(self._profile, ignore_errors=True)
            if not self._profile.exists():
                return
            time.sleep(0.1)

    def _port(self):
        port_file = self._profile / "MarionetteActivePort"
        wait_until(lambda: port_file.exists() and port_file.read_text().strip(), "Firefox tells its port", limit=60,
                   alive=[self.child])
        return int(port_file.read_text())


class FirefoxPage:
    """The one tab: what :class:`browser.Page` offers and the page's tests of calls need."""

    def __init__(self, port):
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=90)
        self._received = b""
        self._number = 0
        #: Firefox keeps the console to itself.
        self.complaints = []
        self._receive()
        self.command("WebDriver:NewSession", {"capabilities": {"alwaysMatch": {"acceptInsecureCerts": True}}})
        self.command("WebDriver:SetTimeouts", {"script": 30_000, "pageLoad": 60_000})

    def command(self, name, parameters):
        self._number += 1
        message = json.dumps([0, self._number, name, parameters]).encode()
        self._socket.sendall(str(len(message)).encode() + b":" + message)
        while True:
            kind, number, error, result = self._receive()
            if kind == 1 and number == self._number:
                if error:
                    raise PageError(f"{name}: {error['error']}: {error['message']}")
                return result.get("value", result) if isinstance(result, dict) else result

    def open(self, url):
        self.command("WebDriver:Navigate", {"url": url})

    def evaluate(self, expression):
        """The value of a JavaScript expression; a promise is awaited."""
        script = (f"const done = arguments[arguments.length - 1];"
                  f"(async () => ({expression}))().then((value) => done({{ value }}), (error) => done({{ error: String(error) }}));")
        answer = self.command("WebDriver:ExecuteAsyncScript", {"script": script, "args": [], "sandbox": None, "newSandbox": False})
        if "error" in answer:
            raise PageError(answer["error"])
        return answer.get("value")

    def wait_for(self, expression, what, limit=30.0):
        wait_until(lambda: self.evaluate(f"!!({expression})"), what, limit)

    def click(self, selector):
        self.wait_for(f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
                      " return e && !e.disabled && e.getClientRects().length > 0; })()", f"{selector} can be clicked")
        self.command("WebDriver:ElementClick", {"id": self._element(selector)})

    def type_into(self, selector, text):
        self.command("WebDriver:ElementSendKeys", {"id": self._element(selector), "text": text})

    def text(self, selector):
        """The element's words, or None when it is not there or hidden."""
        return self.evaluate(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            " return e && e.getClientRects().length ? e.innerText.trim() : null; })()")

    def screenshot(self, path: pathlib.Path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.command("WebDriver:TakeScreenshot", {"full": False})))

    def _element(self, selector):
        found = self.command("WebDriver:FindElement", {"using": "css selector", "value": selector})
        return next(iter(found.values()))

    def _receive(self):
        while b":" not in self._received:
            self._fill()
        length, _, rest = self._received.partition(b":")
        self._received = rest
        while len(self._received) < int(length):
            self._fill()
        message, self._received = self._received[:int(length)], self._received[int(length):]
        return json.loads(message)

    def _fill(self):
        octets = self._socket.recv(65_536)
        if not octets:
            raise ConnectionError("Firefox has closed Marionette's connection")
        self._received += octets

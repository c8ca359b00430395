"""A desktop's notification server (freedesktop.org's Desktop Notifications, 1.2) on a D-Bus of its own: what a program shows
is seen here, and clicked here."""
import dataclasses
import itertools
import pathlib
import re
import shutil
import threading
import time
import urllib.parse

from jeepney import DBusAddress, HeaderFields, MessageType, new_error, new_method_return, new_signal
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import Proxy, open_dbus_connection

from interop.processes import Child, wait_until

#: How a program adds an image to a notification's text.
IMAGE = re.compile(r'\s*<img src="file://([^"]+)" alt=""/>')
NAME, PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
CONFIGURATION = """
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


@dataclasses.dataclass
class Notification:
    number: int
    title: str
    body: str
    #: The label of each button by the name that the program knows it by.
    buttons: dict
    #: Whether it stays until somebody acts.
    is_urgent: bool
    #: As :func:`time.time` has it.
    shown_at: float
    is_open: bool = True
    #: The file of the image that it shows; None without.
    image: bytes | None = None


class Desktop:
    """Runs while entered; :attr:`variables` let a program find it."""

    def __init__(self, folder: pathlib.Path, *, shows_images=False):
        if not shutil.which("dbus-daemon"):
            raise FileNotFoundError("dbus-daemon is not installed (Debian's package dbus-daemon)")
        self._folder = folder
        self._capabilities = ["actions", "body", "persistence"] + ["body-images"] * shows_images
        self._socket = folder / "bus"
        self.variables = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={self._socket}"}
        self._bus = self._connection = None
        self._shown = []
        self._numbers = itertools.count(1)
        self._changed = threading.Condition()
        self._sending = threading.Lock()

    def __enter__(self):
        configuration = self._folder / "bus.conf"
        configuration.write_text(CONFIGURATION.format(socket=self._socket))
        self._bus = Child(["dbus-daemon", "--nofork", f"--config-file={configuration}"], self._folder / "bus.log")
        try:
            wait_until(self._socket.exists, "D-Bus listens", alive=[self._bus])
            self._connection = open_dbus_connection(self.variables["DBUS_SESSION_BUS_ADDRESS"])
            Proxy(message_bus, self._connection, timeout=10).RequestName(NAME, 0)
        except BaseException:
            self._bus.kill()
            raise
        threading.Thread(target=self._serve, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._bus.kill()

    def shown(self):
        """All notifications so far, the oldest first."""
        with self._changed:
            return list(self._shown)

    def visible(self):
        """The titles of those that are open."""
        return [one.title for one in self.shown() if one.is_open]

    def wait_for(self, title, limit=10.0):
        """The newest open notification, once it has this title."""
        def newest():
            return next((one for one in reversed(self._shown) if one.is_open and one.title == title), None)
        with self._changed:
            if not self._changed.wait_for(newest, limit):
                raise TimeoutError(f"waited {limit:.0f} s for the notification {title!r}; there are {self._shown}")
            return newest()

    def wait_for_image(self, title, *, after=None, limit=15.0):
        """The open notification of this title, once it shows an image; one that is shown later than `after`."""
        def newest():
            shown = (one for one in reversed(self.shown()) if one.is_open and one.title == title and one is not after)
            return next((one for one in shown if one.image), None)
        return wait_until(newest, f"the notification {title!r} has an image", limit)

    def click(self, notification, label=None):
        """On the button with this label, or on the notification itself."""
        keys = [key for key, text in notification.buttons.items() if text == label] if label else ["default"]
        if not keys or not notification.is_open:
            raise AssertionError(f"there is no {label!r} to click on {notification}")
        self._send(new_signal(DBusAddress(PATH, interface=NAME), "ActionInvoked", "us", (notification.number, keys[0])))

    def _serve(self):
        try:
            while True:
                message = self._connection.receive()
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)
        except (ConnectionError, OSError):
            # The bus has ended, and the test with it.
            return

    def _answer(self, message):
        match message.header.fields.get(HeaderFields.member):
            case "GetCapabilities":
                self._send(new_method_return(message, "as", (self._capabilities,)))
            case "GetServerInformation":
                self._send(new_method_return(message, "ssss", ("interop", "LiveSessions", "1", "1.2")))
            case "Notify":
                notification = self._notification(*message.body)
                # Whoever waits for it may click at once: the program must know its number by then.
                self._send(new_method_return(message, "u", (notification.number,)))
                self._show(notification)
            case "CloseNotification":
                self._close(message.body[0])
                self._send(new_method_return(message, "", ()))
            case _:
                self._send(new_error(message, "org.freedesktop.DBus.Error.UnknownMethod"))

    def _send(self, message):
        with self._sending:
            self._connection.send(message)

    def _notification(self, _program, replaced, _icon, title, body, actions, hints, _time):
        image = IMAGE.search(body)
        # The program removes its file with the notification.
        picture = pathlib.Path(urllib.parse.unquote(image[1])).read_bytes() if image else None
        return Notification(
            replaced or next(self._numbers), title, IMAGE.sub("", body), dict(zip(actions[::2], actions[1::2])),
            hints.get("urgency", ("y", 1))[1] == 2, time.time(), image=picture)

    def _show(self, notification):
        with self._changed:
            self._end(notification.number)
            self._shown.append(notification)
            self._changed.notify_all()

    def _close(self, number):
        with self._changed:
            self._end(number)
            self._changed.notify_all()

    def _end(self, number):
        for notification in self._shown:
            if notification.number == number:
                notification.is_open = False

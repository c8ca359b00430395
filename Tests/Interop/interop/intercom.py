"""A device with loudspeaker and microphone, the room around it, and a person with a browser whose sound is real, too."""
import contextlib

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.pulse import SoundServer
from interop.room_process import RoomProcess
from interop.world import DEVICE, OPERATOR, World


class Intercom:
    """Hub, device, sound server and browser while entered; the person is logged in."""

    def __init__(self, context, settings=None):
        """`settings` are added to the device's configuration."""
        self._folder = context.scratch
        self.server = SoundServer(context.scratch)
        settings = settings or {}
        audio = {**self.server.device_settings, **settings.get("audio", {})}
        self.world = World(context, settings={**settings, "audio": audio}, variables=self.server.device_variables)
        self.browser = self.caller = None
        self._stack = contextlib.ExitStack()
        self._rooms = 0

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.server)
            stack.enter_context(self.world)
            self.browser = stack.enter_context(Browser(sound=self.server))
            self.caller = CallPage(self.browser.page, self.world.url, *OPERATOR)
            self.caller.log_in_and_wait()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *details):
        return self._stack.__exit__(*details)

    def room(self, acoustics):
        """A room around the device, whose air is still until it is entered."""
        self._rooms += 1
        return RoomProcess(self._folder / f"room.{self._rooms}", self.server, acoustics)

    @contextlib.contextmanager
    def call(self, kind="video"):
        """A call of the device that is connected."""
        self.caller.choose(DEVICE, kind)
        self.caller.wait_for_state("connected")
        wait_until(lambda: "Chromium" in self.server.control("list", "source-outputs"), "the browser captures")
        yield
        self.caller.page.click("#hang-up")
        self.caller.wait_for_state("ended")

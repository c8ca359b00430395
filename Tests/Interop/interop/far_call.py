"""A person whose browser is at the far end of a bad line calls the device."""
import contextlib
import time

from interop import measure
from interop.bad_network import BadNetwork, near_address
from interop.browser import Browser
from interop.connections import Connections
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

#: Where the sender's rate has settled and the jitter buffers, too.
SETTLING = 5.0


def far_world(context, lines=1, settings=None, **options):
    """A world whose device is reached over so many lines."""
    addresses = [near_address(number) for number in range(lines)]
    return World(context, settings={"network": {"addresses": addresses}, **(settings or {})}, **options)


class FarCaller:
    """Enter it to have the line, then :meth:`open` the browser and the page, and :meth:`call`."""

    def __init__(self, context, world, number=0, person=OPERATOR, **changes):
        self.line = BadNetwork(context, world, number, context.seed + number)
        self._devices = {"camera": context.camera(), "microphone": context.microphone()}
        self._world, self._url, self._person, self._changes = world, world.url, person, changes
        self._stack = contextlib.ExitStack()
        self.browser = self.connections = self.caller = None
        #: The page's clock minus CLOCK_MONOTONIC, in seconds.
        self._offset = 0.0

    def __enter__(self):
        with contextlib.ExitStack() as stack:
            stack.enter_context(self.line)
            self._stack = stack.pop_all()
        return self

    @property
    def _place(self):
        """The network that the browser is in; None is the hub's."""
        return self.line

    def __exit__(self, *_):
        self._stack.close()

    def open(self):
        """Opens the page; the hub has to be there."""
        self.browser = self._stack.enter_context(Browser(**self._devices, network=self._place))
        self.connections = Connections(self.browser.page, **self._changes)
        self.caller = CallPage(self.browser.page, self._url, *self._person)
        self.caller.log_in_and_wait()
        self._offset = self.connections.now() / 1000 - time.monotonic()

    def call(self, action="video"):
        """Calls until there are pictures, and begins to watch them."""
        self.caller.choose(DEVICE, action)
        self.caller.wait_for_state("connected", limit=30)
        self.browser.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
        measure.watch_frames(self.browser.page, "#remote-video")

    def pictures(self):
        """`[(moment of CLOCK_MONOTONIC, number or None)]` since the call began; ends the watching."""
        return [(at - self._offset, number) for at, number in measure.pictures_seen(self.browser.page)]

    def samples(self):
        """The connection's statistics over time, `at` being moments of CLOCK_MONOTONIC."""
        return [{**sample, "at": sample["at"] / 1000 - self._offset} for sample in self.connections.samples()]

    def hang_up(self):
        self.caller.page.click("#hang-up")
        self.caller.wait_for_state("ended")


class NearCaller(FarCaller):
    """Somebody beside the hub, who calls a device at the far end of the line."""

    def __enter__(self):
        super().__enter__()
        self._world.network = self.line
        return self

    @property
    def _place(self):
        return None


def longest_pause(moments, begin, end):
    """Seconds without a picture, the edges of the time included."""
    inside = [begin, *(moment for moment in moments if begin <= moment <= end), end]
    return max(later - earlier for earlier, later in zip(inside, inside[1:]))


def a_second(moments, begin, end):
    """How many of the moments are in each second, for people who want to know what happened."""
    counts = [0] * max(1, int(end - begin))
    for moment in moments:
        if begin <= moment < begin + len(counts):
            counts[int(moment - begin)] += 1
    return " ".join(map(str, counts))


def back_after(moments, event, margin=1.0, pause=0.5):
    """Seconds from `event` to the first picture after which they come without a break for `margin`; None if never."""
    later = [moment for moment in moments if moment >= event]
    for index, moment in enumerate(later):
        within = [one for one in later[index:] if one <= moment + margin]
        if later[-1] >= moment + margin and longest_pause(within, moment, moment + margin) <= pause:
            return moment - event
    return None

"""50,000 datagrams of garbage a second come to the device's port in mid-call: the viewer misses no picture."""
import contextlib
import socket
import sys
import time

from interop import measure, sequence
from interop.browser import Browser
from interop.connections import Connections, difference
from interop.page import CallPage
from interop.processes import Child, free_port, wait_until
from interop.world import DEVICE, OPERATOR, World

RATE, SECONDS, SENDERS = 50_000, 20, 2
#: The machine has to be able to send as many, or the test says nothing.
SENT = 0.9


def run(context):
    port = free_port(socket.SOCK_DGRAM)
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context, settings={"network": {"port": port}}) as world, Browser(**devices, is_allowed=False) as browser:
        connections = Connections(browser.page)
        caller = CallPage(browser.page, world.url, *OPERATOR)
        caller.log_in_and_wait()
        caller.choose(DEVICE, "watch")
        caller.wait_for_state("connected")
        caller.page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the picture is there")
        time.sleep(3)
        begin = connections.now()
        measure.watch_frames(browser.page, "#remote-video")
        sent = _flood(context, port)
        pictures = measure.pictures_seen(browser.page)
        samples, end = connections.samples(), connections.now()
        memory = world.device_use()
        caller.page.click("#hang-up")
    seen = sequence.examine([number for _, number in pictures])
    lost, dropped, decoded = (difference(samples, begin, end, "inbound-rtp/video", name)
                              for name in ("packetsLost", "framesDropped", "framesDecoded"))
    words = (f"{sent / SECONDS:.0f} datagrams a second; {seen}, {lost} packets lost, {decoded} pictures decoded, "
             f"{dropped} dropped by the browser; {memory}")
    if sent < SENT * RATE * SECONDS:
        raise AssertionError(f"this machine is too busy: {words}")
    if lost or seen.reversals or seen.made - seen.seen > dropped:
        raise AssertionError(words)
    return words


def _flood(context, port):
    """How many datagrams were sent."""
    with contextlib.ExitStack() as stack:
        senders = []
        for number in range(SENDERS):
            sender = Child([
                sys.executable, "-m", "interop.flood", "--address", "127.0.0.1", "--port", str(port), "--rate",
                str(RATE / SENDERS), "--seconds", str(SECONDS), "--seed", str(context.seed + number)],
                context.scratch / f"flood{number}.log")
            stack.callback(sender.kill)
            senders.append(sender)
        for sender in senders:
            wait_until(lambda one=sender: not one.is_running, "the flood is over", limit=SECONDS + 20)
        return sum(int(sender.log.read_text()) for sender in senders)

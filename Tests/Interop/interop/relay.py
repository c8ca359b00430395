"""The process between the two ends of a bad line; :mod:`interop.bad_network` starts and steers it.

The near end is a network interface here, the far one another in a network namespace of its own. Whatever one end sends
comes to this process as an Ethernet frame, which it hands to the other end as the line's conditions demand. The programs
at the ends know nothing of it. The hub, which is on no bad line, is reached at the far end's own loopback address.

Commands come over a Unix socket, one JSON object a line, and are answered likewise.
"""
import argparse
import array
import asyncio
import contextlib
import ctypes
import dataclasses
import fcntl
import json
import os
import selectors
import socket
import subprocess
import time

from interop import frames, namespaces
from interop.line import Conditions, Line

ALL_PROTOCOLS = 3
NEAR_MAC, FAR_MAC = "02:00:00:00:00:01", "02:00:00:00:00:02"
#: ETHTOOL_STXCSUM, _SSG, _STSO, _SGSO, _SGRO: packets have to leave as they would on a cable.
OFFLOADS = (0x17, 0x19, 0x1F, 0x24, 0x2C)
SIOCETHTOOL, SO_RCVBUFFORCE, PACKET_IGNORE_OUTGOING, SOL_PACKET = 0x8946, 33, 23, 263


@dataclasses.dataclass(frozen=True)
class Places:
    """Descriptors of the namespaces: the test's own, the far end's, and the one between them."""

    home: int
    far: int
    middle: int


def make_places():
    home = namespaces.current()
    namespaces.leave()
    _ip("link set lo up")
    far = namespaces.current()
    namespaces.leave()
    return Places(home, far, namespaces.current())


def make_ends(places, name, near, near_addresses, far_address):
    """Lays both cables and returns the sockets at their middle: `(near's, far's)`."""
    enter_home = f"/proc/{os.getpid()}/fd/{places.home}"
    enter_far = f"/proc/{os.getpid()}/fd/{places.far}"
    sockets = []
    for side, path, mac in ((f"{name}n", enter_home, NEAR_MAC), (f"{name}f", enter_far, FAR_MAC)):
        _ip(f"link add {side} address {mac} type veth peer name mid-{side}")
        for interface in (side, f"mid-{side}"):
            _ip(f"link set {interface} addrgenmode none")
            _without_offloads(interface)
        _ip(f"link set mid-{side} up")
        _ip(f"link set {side} netns {path}")
        sockets.append(_packet_socket(f"mid-{side}"))
    namespaces.enter(places.far)
    _bring_up(f"{name}f", far_address, {near: NEAR_MAC})
    namespaces.enter(places.home)
    _bring_up(f"{name}n", near, {address: FAR_MAC for address in near_addresses})
    return sockets


def _bring_up(interface, address, neighbours):
    _ip(f"address add {address}/24 dev {interface}")
    _ip(f"link set {interface} up")
    for neighbour, mac in neighbours.items():
        _ip(f"neighbour add {neighbour} lladdr {mac} dev {interface} nud permanent")


def _without_offloads(interface):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for command in OFFLOADS:
            value = array.array("I", [command, 0])
            request = interface.encode().ljust(16, b"\0") + ctypes.c_void_p(value.buffer_info()[0])
            # Not every interface knows every one.
            with contextlib.suppress(OSError):
                fcntl.ioctl(control, SIOCETHTOOL, request.ljust(40, b"\0"))


def _packet_socket(interface):
    end = socket.socket(socket.AF_PACKET, socket.SOCK_RAW | socket.SOCK_NONBLOCK, 0)
    end.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
    with contextlib.suppress(OSError):
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 8 << 20)
    end.bind((interface, ALL_PROTOCOLS))
    return end


def _ip(arguments):
    subprocess.run(["ip", *arguments.split()], check=True)


class Relay:
    """Both directions: `up` from the far end to the near one, `down` the other way."""

    def __init__(self, near, far, far_address, seed):
        self._near, self._far = near, far
        self._host = socket.inet_aton(far_address)
        self._translation = frames.Translation()
        self._lines = {"up": Line(seed), "down": Line(seed + 1)}
        #: Frames for a port that the NAT no longer knows.
        self._strays = 0
        self._timers = {}
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(near, self._read, near, "down")
        self._loop.add_reader(far, self._read, far, "up")

    def command(self, name, **arguments):
        return getattr(self, f"_do_{name}")(**arguments)

    # Commands.

    def _do_change(self, direction, **conditions):
        line = self._lines[direction]
        line.change(dataclasses.replace(line.conditions, **conditions), time.monotonic())
        self._pump(direction)

    def _do_rebind(self, address=None):
        self._translation.rebind(address and socket.inet_aton(address))

    def _do_history(self, direction):
        return [dataclasses.asdict(tenth) for tenth in self._lines[direction].history]

    def _do_strays(self):
        return self._strays

    # Packets.

    def _read(self, end, direction):
        line = self._lines[direction]
        for _ in range(64):
            try:
                frame = end.recv(65_536)
            except BlockingIOError:
                break
            except OSError:
                # The interface is going down with its namespace.
                break
            if frames.is_ipv4(frame):
                line.push(frame, time.monotonic())
        self._pump(direction)

    def _pump(self, direction):
        line = self._lines[direction]
        for frame in line.pop(time.monotonic()):
            self._deliver(frame, direction)
        if timer := self._timers.pop(direction, None):
            timer.cancel()
        if (deadline := line.deadline) is not None:
            self._timers[direction] = self._loop.call_at(deadline, self._pump, direction)

    def _deliver(self, frame, direction):
        if direction == "up":
            end, frame = self._near, self._translation.outward(frame)
        else:
            end, frame = self._far, self._translation.inward(frame, self._host)
        if frame is None:
            self._strays += 1
            return
        with contextlib.suppress(OSError):
            end.send(frame)


async def serve_commands(relay, path):
    async def serve(reader, writer):
        while line := await reader.readline():
            try:
                answer = {"result": relay.command(**json.loads(line))}
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}"}
            writer.write(json.dumps(answer).encode() + b"\n")
            await writer.drain()
        writer.close()

    await asyncio.start_unix_server(serve, path)


async def serve_hub(listener, port):
    """Takes what comes to the far end's loopback on to the hub."""
    async def copy(reader, writer):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65_536):
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader, writer):
        try:
            hub_reader, hub_writer = await asyncio.open_connection("127.0.0.1", port)
        except ConnectionError:
            writer.close()
            return
        await asyncio.gather(copy(reader, hub_writer), copy(hub_reader, writer))

    await asyncio.start_server(serve, sock=listener)


async def run(options, places, ends, listener):
    relay = Relay(*ends, options.far, options.seed)
    await serve_hub(listener, options.hub_port)
    await serve_commands(relay, options.commands)
    print(json.dumps({"far": f"/proc/{os.getpid()}/fd/{places.far}"}), flush=True)
    await asyncio.Event().wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--name", required=True, help="of the cables, a few letters")
    parser.add_argument("--near", required=True, help="the near end's address")
    parser.add_argument("--far", required=True, help="the far end's address")
    parser.add_argument("--aliases", nargs="*", default=[], help="more addresses under which the near end may see the far one")
    parser.add_argument("--hub-port", type=int, required=True)
    parser.add_argument("--commands", required=True, help="the path of the Unix socket")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    # Whoever is late spoils the figures.
    with contextlib.suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, -15)
    places = make_places()
    ends = make_ends(places, options.name, options.near, [options.far, *options.aliases], options.far)
    namespaces.enter(places.far)
    listener = socket.create_server(("127.0.0.1", options.hub_port))
    namespaces.enter(places.home)
    # epoll's timer would be late by up to a millisecond.
    with asyncio.Runner(loop_factory=lambda: asyncio.SelectorEventLoop(selectors.SelectSelector())) as runner:
        runner.run(run(options, places, ends, listener))


if __name__ == "__main__":
    main()

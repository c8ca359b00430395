"""Redis, its sentinels, and the hub's nodes, each of which reaches Redis through a relay of its own."""
import asyncio
import os
import pathlib
import signal
import subprocess

from interop.processes import Child, free_port, wait_until
from interop.wall_clock import WallClock

from faults.relay import Relay

NODES = 3
#: A sorted set in Redis: the nodes that live.
LIVING_NODES = "ls:nodes"

#: The hub wants one, though nobody asks for the page here.
WEB = pathlib.Path(__file__).resolve().parents[3] / "Sources/Hub/HubHTTP/web"

CONFIGURATION = """listen = "127.0.0.1:{port}"
database = "{folder}/hub.sqlite"
allowed_hosts = ["127.0.0.1"]
web_root = "{web}"

[connections]
total = 4000
per_address = 4000
"""

SENTINEL = """port {port}
bind 127.0.0.1
dir {folder}
sentinel monitor livesessions 127.0.0.1 {master} 2
sentinel down-after-milliseconds livesessions 3000
sentinel failover-timeout livesessions 12000
"""


class Redis:
    """A server that writes down what it holds."""

    def __init__(self, folder, port=None, replica_of=None):
        self.port, self._replica_of = port or free_port(), replica_of
        self._folder = folder / f"redis-{self.port}"
        self._folder.mkdir(exist_ok=True)
        self._child = None

    def start(self):
        more = ["--replicaof", "127.0.0.1", str(self._replica_of)] if self._replica_of else []
        self._child = Child(
            ["redis-server", "--port", self.port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes",
             "--appendfsync", "everysec", "--repl-diskless-sync-delay", "0", "--dir", self._folder, *more],
            self._folder / "log")
        wait_until(lambda: self.ask("PING") == "PONG", "Redis answers", alive=[self._child])

    def kill(self):
        self._child.kill()

    def empty(self):
        """Takes away what a killed server has written."""
        subprocess.run(["rm", "-rf", self._folder / "appendonlydir"], check=True)

    def follow(self, master):
        """From its next start on it is a replica."""
        self._replica_of = master

    def ask(self, *words):
        finished = subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True,
                                  timeout=10, check=False)
        return finished.stdout.strip()


class Sentinels:
    """Three, which decide by two."""

    def __init__(self, folder, master):
        self.ports, self._children = [free_port() for _ in range(3)], []
        for port in self.ports:
            path = folder / f"sentinel-{port}.conf"
            path.write_text(SENTINEL.format(port=port, folder=folder, master=master))
            self._children.append(Child(["redis-server", path, "--sentinel"], folder / f"sentinel-{port}.log"))

    def master(self):
        """The port of the present master."""
        finished = subprocess.run(
            ["redis-cli", "-p", str(self.ports[0]), "SENTINEL", "get-master-addr-by-name", "livesessions"],
            capture_output=True, text=True, timeout=10, check=False)
        lines = finished.stdout.split()
        return int(lines[1]) if len(lines) == 2 else None

    def kill(self):
        for child in self._children:
            child.kill()


class Node:
    """A process of the hub."""

    def __init__(self, program, folder, number, redis_lines):
        self.name, self.port = f"hub-{number}", free_port()
        self._program, self._folder = program, folder
        self.configuration = folder / f"{self.name}.toml"
        text = CONFIGURATION.format(port=self.port, folder=folder, web=WEB)
        self.configuration.write_text(f'{text}\n[redis]\nnode = "{self.name}"\n{redis_lines}')
        self._clock = None
        self._child = None

    def use_clock(self):
        """Gives the process a wall clock of its own from its next start on."""
        self._clock = self._clock or WallClock(self._own_folder())
        return self._clock

    def start(self):
        self._child = Child([self._program, "serve", "--config", self.configuration], self._folder / f"{self.name}.log",
                            self._clock.variables if self._clock else None)

    def kill(self):
        if self._child:
            self._child.kill()

    def stop(self):
        return self._child.stop()

    def last_words(self):
        return self._child.last_words(8) if self._child else ""

    def pause(self):
        os.kill(self._child.pid, signal.SIGSTOP)

    def resume(self):
        os.kill(self._child.pid, signal.SIGCONT)

    @property
    def is_running(self):
        return self._child is not None and self._child.is_running

    def _own_folder(self):
        folder = self._folder / self.name
        folder.mkdir(exist_ok=True)
        return folder


class Hub:
    """Three nodes and their Redis; `with_sentinels`: a master, a replica, and sentinels that tell the nodes of them."""

    def __init__(self, programs, folder, with_sentinels):
        """`programs`: one a node."""
        self._programs, self.folder = programs, folder
        self.redis = Redis(folder)
        self.replica = Redis(folder, replica_of=self.redis.port) if with_sentinels else None
        self.sentinels, self.relays, self.nodes = None, [], []

    async def start(self):
        self.redis.start()
        if self.replica:
            self.replica.start()
            self.sentinels = Sentinels(self.folder, self.redis.port)
        for number, program in enumerate(self._programs, 1):
            self.nodes.append(Node(program, self.folder, number, await self._redis_lines()))

    async def start_nodes(self):
        # One after the other: the first makes the signing key, which the others read when they start.
        for count, node in enumerate(self.nodes, 1):
            node.start()
            await until(lambda count=count: len(self._living()) >= count, f"{node.name} has found Redis")

    def enrol(self, title):
        """A new device's key."""
        command = [self._programs[0], "enrol-device", "--config", self.nodes[0].configuration, "--title", title]
        return subprocess.run(command, text=True, capture_output=True, check=True, timeout=30).stdout.strip()

    def kill(self):
        for process in [*self.nodes, self.sentinels, self.replica, self.redis]:
            if process:
                process.kill()

    def _living(self):
        return self.redis.ask("ZRANGE", LIVING_NODES, "0", "-1").split()

    async def _redis_lines(self):
        if self.sentinels:
            addresses = ", ".join(f'"127.0.0.1:{port}"' for port in self.sentinels.ports)
            return f'sentinels = [{addresses}]\nmaster = "livesessions"\n'
        self.relays.append(Relay(self.redis.port))
        return f'address = "127.0.0.1:{await self.relays[-1].start()}"\n'


async def until(condition, what, limit=40.0):
    """Waits while everything else goes on."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit
    while not await asyncio.to_thread(condition):
        if loop.time() > deadline:
            raise TimeoutError(f"waited {limit:.0f} s until {what}")
        await asyncio.sleep(0.05)

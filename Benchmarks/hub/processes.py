"""The hub's nodes and their Redis, as they are measured."""
import contextlib
import pathlib
import subprocess

from interop.processes import Child, free_port, wait_until

from hub import accounts

WEB = pathlib.Path(__file__).resolve().parents[2] / "Sources/Hub/HubHTTP/web"

#: No client of a benchmark is turned away for its address, or told to come later.
CONFIGURATION = """listen = "127.0.0.1:{port}"
database = "{folder}/hub.sqlite"
allowed_hosts = ["127.0.0.1"]
web_root = "{web}"

[connections]
total = 1000000
per_address = 1000000
idle_timeout = "1h"

[clients]
logins_per_second = 100000
streams_per_second = 100000
"""

REDIS = """
[redis]
address = "{folder}/redis.socket"
node = "hub-{number}"
"""


class MeasuredHub:
    """Nodes of one hub on loopback; with more than one node, or `on_redis`, they share a Redis."""

    def __init__(self, program, folder, nodes, on_redis):
        self._program, self._folder = program, pathlib.Path(folder)
        self._ports = [free_port() for _ in range(nodes)]
        self._on_redis = on_redis or nodes > 1
        self._stack = contextlib.ExitStack()
        self.processes = {}

    def start(self, devices, seed):
        """Returns the file of accounts for the load generator."""
        path = self._configure(0)
        lines = accounts.create(self._program, path, self._folder / "hub.sqlite", devices, seed)
        if self._on_redis:
            self._launch("redis", ["redis-server", "--port", "0", "--unixsocket", self._folder / "redis.socket",
                                   "--save", "", "--appendonly", "no", "--dir", self._folder])
            wait_until(lambda: self._ask_redis("PING") == "PONG", "Redis answers")
        for number, port in enumerate(self._ports):
            node = self._launch(f"hub-{number + 1}", [self._program, "serve", "--config", self._configure(number)])
            wait_until(lambda port=port: _is_ready(port), f"node {number + 1} is ready", limit=30, alive=[node])
        accounts_file = self._folder / "accounts"
        accounts_file.write_text(lines)
        return accounts_file

    @property
    def targets(self):
        return [f"127.0.0.1:{port}" for port in self._ports]

    def redis_memory(self):
        """Bytes that Redis has allocated; None without Redis."""
        if not self._on_redis:
            return None
        lines = self._ask_redis("INFO", "memory").splitlines()
        return int(next(line.split(":")[1] for line in lines if line.startswith("used_memory:")))

    def stop(self):
        self._stack.close()

    def _configure(self, number):
        path = self._folder / f"hub-{number + 1}.toml"
        text = CONFIGURATION.format(port=self._ports[number], folder=self._folder, web=WEB)
        path.write_text(text + (REDIS.format(folder=self._folder, number=number + 1) if self._on_redis else ""))
        return path

    def _launch(self, name, arguments):
        child = Child(arguments, self._folder / f"{name}.log")
        self._stack.callback(child.kill)
        self.processes[name] = child.pid
        return child

    def _ask_redis(self, *words):
        finished = subprocess.run(["redis-cli", "-s", str(self._folder / "redis.socket"), *words],
                                  capture_output=True, text=True, timeout=10, check=False)
        return finished.stdout.strip()


def _is_ready(port):
    finished = subprocess.run(["curl", "-sf", f"http://127.0.0.1:{port}/healthz"], capture_output=True, timeout=5,
                              check=False)
    return finished.returncode == 0

"""Several nodes of one hub: a Redis of their own, and HAProxy in front of them, at the port that everybody uses."""
import concurrent.futures
import os
import re
import shutil
import socket
import subprocess

from interop.processes import Child, free_port, wait_until

#: A sorted set in Redis: the nodes that live.
LIVING_NODES = "ls:nodes"

#: What the last lines of a node's configuration are.
NODE_CONFIGURATION = """
[redis]
address = "{redis}"
accounts = true
node = "{name}"
"""

#: An event stream is never silent for longer than 8 s. A client that is gone without a word is given up after 30 s, as
#: the hub does with its own connections.
PROXY_CONFIGURATION = """
global
  maxconn 4000
  stats socket {control} mode 600

defaults
  mode http
  option http-server-close
  option forwardfor
  option redispatch 1
  retries 3
  timeout connect 3s
  timeout http-request 30s
  timeout http-keep-alive 75s
  timeout client 75s
  timeout server 75s
  timeout tunnel 1h
  timeout check 5s

frontend hub
  bind 127.0.0.1:{port} tcp-ut 30s
  default_backend nodes

backend nodes
  balance roundrobin
  option httpchk
  http-check send meth GET uri /healthz ver HTTP/1.1 hdr Host 127.0.0.1:{port}
  default-server check inter 500ms fall 3 rise 1
{servers}
"""


class Fleet:
    """Redis and HAProxy, from the first start of the nodes until :meth:`kill`; nodes come and go."""

    def __init__(self, binaries, folder, port, count):
        """HAProxy listens on `port`."""
        self._program = binaries / "livesessions-hub"
        self._folder = folder
        self._port = port
        self._ports = {f"hub-{number + 1}": free_port() for number in range(count)}
        self._redis_socket = folder / "redis.socket"
        self._control = folder / "haproxy.socket"
        self._redis = self.proxy = None

    def write_command_configuration(self, configuration):
        """Writes what commands that manage accounts need; returns its path. `configuration` is that of a hub of one node."""
        return self._write_configuration("commands", configuration)

    def start_redis(self):
        """Starts Redis, where the accounts will lie."""
        self._redis = self._start_redis()

    def start_nodes(self, configuration):
        """Starts all nodes and waits until they have found Redis, and HAProxy them. `configuration` is that of a hub of one
        node, of which each node's differs by its address and by what it shares."""
        before = self._living()
        nodes = Nodes([])
        for name in self._ports:
            nodes.children.append(self._start_node(name, configuration))
            wait_until(lambda: len(self._living() - before) == len(nodes.children), f"{name} has found Redis", limit=30,
                       alive=[nodes])
        self.proxy = self.proxy or self._start_proxy()
        wait_until(self._are_all_up, "HAProxy has found all nodes", limit=20, alive=[nodes, self.proxy])
        return nodes

    def kill(self):
        for child in filter(None, (self.proxy, self._redis)):
            child.kill()

    def _start_redis(self):
        redis = Child(["redis-server", "--port", "0", "--unixsocket", self._redis_socket, "--unixsocketperm", "600",
                       "--save", "", "--appendonly", "no", "--dir", self._folder], self._folder / "redis.log")
        wait_until(lambda: self._ask_redis("PING") == ["PONG"], "Redis answers", alive=[redis])
        return redis

    def _start_node(self, name, configuration):
        own = re.sub(r'(?m)^listen = .*$', f'listen = "127.0.0.1:{self._ports[name]}"', configuration, count=1)
        path = self._write_configuration(name, own)
        return Child([self._program, "serve", "--config", path], self._folder / f"{name}.log")

    def _write_configuration(self, name, configuration):
        shared = re.sub(r'(?m)^database = .*\n', "", configuration, count=1)
        path = self._folder / f"{name}.toml"
        path.write_text(shared + NODE_CONFIGURATION.format(redis=self._redis_socket, name=name))
        return path

    def _start_proxy(self):
        servers = "\n".join(f"  server {name} 127.0.0.1:{port}" for name, port in self._ports.items())
        path = self._folder / "haproxy.cfg"
        path.write_text(PROXY_CONFIGURATION.format(control=self._control, port=self._port, servers=servers))
        program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
        if not program:
            raise FileNotFoundError("haproxy is not installed")
        return Child([program, "-db", "-f", path], self._folder / "haproxy.log")

    def _living(self):
        return set(self._ask_redis("ZRANGE", LIVING_NODES, "0", "-1"))

    def _ask_redis(self, *words):
        finished = subprocess.run(["redis-cli", "-s", str(self._redis_socket), *words], capture_output=True, text=True,
                                  timeout=10, check=False)
        return finished.stdout.split()

    def _are_all_up(self):
        try:
            with socket.socket(socket.AF_UNIX) as control:
                control.connect(str(self._control))
                control.sendall(b"show stat\n")
                lines = control.makefile().read().splitlines()
        except OSError:
            # HAProxy has only just started.
            return False
        states = [line.split(",")[17] for line in lines if line.startswith("nodes,hub-")]
        return len(states) == len(self._ports) and all(state == "UP" for state in states)


class Nodes:
    """The processes of all nodes, to be treated as one :class:`Child`."""

    name = "livesessions-hub"

    def __init__(self, children):
        self.children = children

    @property
    def is_running(self):
        """Whether none has ended."""
        return all(child.is_running for child in self.children)

    def kill(self):
        for child in self.children:
            child.kill()

    def stop(self, limit=10.0):
        """Asks all to end at the same time; returns the exit codes."""
        with concurrent.futures.ThreadPoolExecutor(len(self.children)) as pool:
            return list(pool.map(lambda child: child.stop(limit), self.children))

    def last_words(self, lines=40):
        return "\n".join(f"  {child.log.stem}:\n{child.last_words(lines)}" for child in self.children)

"""One stranger sends requests without end and reads no answer: on as many connections as an address may have, straight
to the hub and through HAProxy."""
import multiprocessing
import os
import selectors
import shutil
import socket
import time

from interop.background import Background
from interop.processes import Child, free_port, wait_until

from abuse import addresses
from abuse.client import Client
from abuse.memory import resident
from abuse.world import ATTACKER

HAS_DEVICE = HAS_CALL = False
#: Of one address, which is within its share; requests at once on each; for so many seconds.
CONNECTIONS, REQUESTS, SECONDS, QUICK_SECONDS, QUIET = 250, 2_000, 20, 6, 2
#: What a bystander's request may take, on a busy machine so many times what it takes while nobody attacks, and how much more memory the hub may take: its budget for anonymous clients, and as
#: much for what connections themselves take.
BYSTANDER_LIMIT, BUSY, MEMORY = 0.3, 3, 64 << 20
HOST = b"Host: 127.0.0.1:%d\r\n"
#: Many small requests; requests with bodies; heads as large as they may be; a body in chunks behind each request.
KINDS = {
    "requests": b"GET /healthz HTTP/1.1\r\n" + HOST + b"\r\n",
    "wrong logins": b"POST /v1/login HTTP/1.1\r\n" + HOST + b"Content-Length: 2\r\n\r\n{}",
    "large heads": b"GET /healthz HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 7_000 + b"\r\n\r\n",
    "bodies in chunks": b"POST /v1/login HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
}

PROXY_CONFIGURATION = """
global
  maxconn 2000

defaults
  mode http
  option forwardfor
  timeout connect 3s
  timeout http-request 30s
  timeout client 75s
  timeout server 75s

frontend hub
  bind 127.0.0.1:{port}
  default_backend hub

backend hub
  source {source}
  server hub 127.0.0.1:{hub}
"""


def attack(stage):
    for kind in KINDS:
        _flood(stage, kind, stage.port, "to the hub")
    with _Proxy(stage) as port:
        for kind in KINDS:
            _flood(stage, kind, port, "through HAProxy")


def _flood(stage, kind, port, way):
    member = _member(stage, port)
    with _Requests(port, stage.port, None) as new, _Requests(port, stage.port, member.token) as known:
        time.sleep(QUIET)
    limit = max(BYSTANDER_LIMIT, BUSY * max(new.worst, known.worst))
    before = resident(stage.world.hub.pid)
    with _Pipeliners(port, KINDS[kind] % stage.port) as attackers, _Requests(port, stage.port, None) as new, \
            _Requests(port, stage.port, member.token) as known:
        time.sleep(QUICK_SECONDS if stage.is_quick else SECONDS)
        peak = resident(stage.world.hub.pid)
    grown = (peak - before) / (1 << 20)
    words = (f"{kind} {way}: {attackers.opened} connections; a request took {new.worst * 1000:.0f} ms at most, "
             f"with a token {known.worst * 1000:.0f} ms (of {limit * 1000:.0f} ms), refused were {new.refused + known.refused}, the hub grew by {grown:.0f} MB")
    stage.note(words)
    for requests in (new, known):
        stage.check(requests.count and not requests.refused and requests.worst <= limit, words)
    stage.check(grown <= MEMORY / (1 << 20), words)


def _member(stage, port):
    client = Client(port, addresses.BYSTANDER, headers={"Host": f"127.0.0.1:{stage.port}"})
    client.login(*ATTACKER)
    client.close()
    return client


class _Pipeliners:
    """Connections of one address on which as much is sent as the hub takes, and nothing is read; in a process of their own,
    so that they do not slow down who measures."""

    def __init__(self, port, request):
        self._port = port
        self._bytes = memoryview(request * REQUESTS)
        context = multiprocessing.get_context("fork")
        self._opened = context.Value("i", -1)
        self._process = context.Process(target=self._run, daemon=True)

    @property
    def opened(self):
        return self._opened.value

    def __enter__(self):
        self._process.start()
        wait_until(lambda: self.opened >= 0, "the attackers are connected")
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.join()

    def _run(self):
        with selectors.DefaultSelector() as selector:
            ends = [end for end in (self._open() for _ in range(CONNECTIONS)) if end]
            for end in ends:
                selector.register(end, selectors.EVENT_WRITE, self._bytes)
            self._opened.value = len(ends)
            while selector.get_map():
                for key, _ in selector.select():
                    self._send(selector, key)

    def _send(self, selector, key):
        try:
            rest = key.data[key.fileobj.send(key.data[:65_536]):]
        except BlockingIOError:
            return
        except OSError:
            selector.unregister(key.fileobj)
            return
        selector.modify(key.fileobj, selectors.EVENT_WRITE, rest or self._bytes)

    def _open(self):
        end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        end.settimeout(2)
        try:
            end.bind((addresses.ATTACKER, 0))
            end.connect(("127.0.0.1", self._port))
        except OSError:
            end.close()
            return None
        end.setblocking(False)
        return end


class _Requests(Background):
    """A bystander's requests, each on a new connection, from an address of its own."""

    #: A user may ask for the list five times a second.
    PAUSE = 0.3

    def __init__(self, port, hub_port, token):
        super().__init__()
        self._port = port
        self._host = f"127.0.0.1:{hub_port}"
        self._token = token
        self.worst, self.count, self.refused = 0.0, 0, []

    def _run(self):
        while not self._is_over.wait(self.PAUSE):
            client = Client(self._port, addresses.BYSTANDER, headers={"Host": self._host})
            client.token = self._token
            answer = client.request("GET", "/v1/users" if self._token else "/healthz")
            client.close()
            self.count += 1
            self.refused += [answer.status] if answer.status != 200 else []
            self.worst = max(self.worst, answer.seconds)


class _Proxy:
    """HAProxy before the hub, which trusts its address; yields its port."""

    def __init__(self, stage):
        self._stage = stage
        self._child = None

    def __enter__(self):
        port = free_port()
        path = self._stage.world.folder / "haproxy.cfg"
        path.write_text(PROXY_CONFIGURATION.format(port=port, source=addresses.PROXY, hub=self._stage.port))
        program = shutil.which("haproxy", path=f"{os.environ['PATH']}:/usr/sbin")
        self._child = Child([program, "-db", "-f", path], self._stage.world.folder / "haproxy.log")
        host = {"Host": f"127.0.0.1:{self._stage.port}"}
        wait_until(lambda: Client(port, headers=host).request("GET", "/healthz").is_success, "HAProxy answers",
                   alive=[self._child])
        return port

    def __exit__(self, *_):
        self._child.kill()

"""Passwords are guessed from one address and from many, beside people and devices with the right credential."""
import concurrent.futures
import http.client
import http.server
import threading
import time

from interop.background import Background
from interop.processes import free_port
from interop.world import DEVICE

from abuse import addresses
from abuse.client import Client
from abuse.world import ATTACKER, BYSTANDER

GUESSES, DEVICE_LOGINS = 60, 25
MANY = 120
#: How long somebody who guesses waits for an answer.
GIVE_UP = 12.0


def attack(stage):
    # The bystander, whose title is guessed at, goes on logging in meanwhile.
    statuses = _guess(stage, [addresses.ATTACKER] * GUESSES, BYSTANDER[0])
    stage.note(f"{GUESSES} wrong passwords of one address for one title: {_tally(statuses)}")
    # Where the machine is busy, most of these are turned away (503) before they are counted. One after the other none is.
    for _ in range(GUESSES):
        if 429 in statuses:
            break
        statuses += _guess(stage, [addresses.ATTACKER], BYSTANDER[0])
    stage.check(429 in statuses, "one address may guess as often as it likes")
    stage.check(200 not in statuses, "a wrong password was accepted")
    time.sleep(2)
    with _Newcomer(stage, "127.0.7.8", ATTACKER) as newcomer:
        statuses = _guess(stage, addresses.strangers(MANY), BYSTANDER[0])
    stage.note(f"{MANY} addresses, a wrong password each, for one title: {_tally(statuses)}; {newcomer}")
    time.sleep(2)
    with _Newcomer(stage, "127.0.7.9", BYSTANDER) as newcomer:
        statuses = _guess(stage, addresses.strangers(MANY, block=68), None)
    stage.note(f"{MANY} addresses, a title each: {_tally(statuses)}; {newcomer}")
    _devices_behind_a_proxy(stage)


def _guess(stage, sources, title):
    """The statuses of wrong logins, all at once; without a title each is for another."""
    def guess(numbered):
        number, source = numbered
        client = Client(stage.port, source, limit=GIVE_UP)
        answer = client.login(title or f"Guessed {number}", password=f"wrong {number:06}")
        client.close()
        return answer.status
    with concurrent.futures.ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(guess, enumerate(sources)))


class _Newcomer(Background):
    """Logs in once from an address that the hub has not seen, without a client token, half a second after all others, under
    a title that is not guessed at."""

    def __init__(self, stage, source, account):
        super().__init__()
        self._stage = stage
        self._source = source
        self._account = account
        self._answer = None

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        is_right = self._answer.is_success and self._answer.seconds <= self._stage.login_limit
        self._stage.check(is_right, str(self))

    def __str__(self):
        return f"a first login beside them was answered {self._answer.status} after {self._answer.seconds:.2f} s"

    def _run(self):
        time.sleep(0.5)
        client = Client(self._stage.port, self._source, limit=GIVE_UP)
        self._answer = client.login(*self._account)
        client.close()


def _devices_behind_a_proxy(stage):
    with Proxy(stage.port) as proxy:
        guesser = threading.Thread(target=_guess_through, args=(proxy, stage), daemon=True)
        guesser.start()
        time.sleep(0.5)
        answers = [_device_login(proxy, stage, number) for number in range(DEVICE_LOGINS)]
        guesser.join()
    passed = [answer for answer in answers if answer.is_success and answer.seconds <= stage.login_limit]
    worst = max(answer.seconds for answer in answers)
    words = f"{len(passed)} of {len(answers)} device logins through a proxy beside guesses, the slowest {worst:.2f} s"
    stage.note(words)
    stage.check(len(passed) == len(answers), words)


def _device_login(proxy, stage, number):
    client = Client(proxy.port, f"127.0.8.{number + 1}")
    answer = client.login(DEVICE, key=stage.world.enrolment_key)
    client.close()
    time.sleep(0.1)
    return answer


def _guess_through(proxy, stage):
    deadline = time.monotonic() + GIVE_UP
    for number in range(GUESSES):
        if time.monotonic() > deadline:
            return
        client = Client(proxy.port, addresses.ATTACKER, limit=2)
        client.login(DEVICE if number % 2 else BYSTANDER[0], password=f"wrong {number:06}")
        client.close()


class Proxy:
    """A reverse proxy that tells the client's address as nginx does (X-Forwarded-For), in front of the hub."""

    def __init__(self, hub_port):
        self.port = free_port()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), _forwarder(hub_port))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def _forwarder(hub_port):
    class Forwarder(http.server.BaseHTTPRequestHandler):
        """Passes one request on over a connection of the proxy's own address."""

        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            status, content = _pass_on(hub_port, self.path, body, self.client_address[0])
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    return Forwarder


def _pass_on(hub_port, path, body, client):
    connection = http.client.HTTPConnection("127.0.0.1", hub_port, timeout=15, source_address=(addresses.PROXY, 0))
    headers = {"Content-Type": "application/json", "X-Forwarded-For": client, "X-Forwarded-Proto": "http"}
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    content = response.read()
    connection.close()
    return response.status, content


def _tally(statuses):
    return ", ".join(f"{status}: {statuses.count(status)}" for status in sorted(set(statuses)))

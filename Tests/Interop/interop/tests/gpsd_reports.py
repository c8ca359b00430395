"""What receivers in the field report: 0° N 0° E is no position and leaves no place, a date 1,024 weeks behind costs none."""
import datetime
import pathlib
import socketserver
import threading
import time

from interop.processes import free_port, wait_until
from interop.world import World

FIXTURES = pathlib.Path(__file__).resolve().parents[3] / "Fixtures" / "gpsd"
HOME = {"name": "home", "latitude": 47.4979, "longitude": 19.0402, "radius": "200m", "on": "leave", "min_stay": "1s"}


def run(context):
    port = free_port()
    settings = {"location": {"gpsd": f"127.0.0.1:{port}"}, "[geofence]": HOME}
    with _Receiver(port) as receiver, _Moving(context, settings=settings) as world:
        receiver.lines = _lines("zero")
        wait_until(lambda: _position(world).get("refused", 0) > 3, "reports of 0/0 are left out", 20)
        if "age" in _position(world):
            raise AssertionError(f"0/0 is a position: {_position(world)}")
        receiver.lines = _lines("zero-then-real")
        wait_until(lambda: _position(world).get("age", 99) <= 1, "the first true position is taken", 20)
        time.sleep(5)
        if world.command("events", "--json").strip():
            raise AssertionError(f"the device has left its place: {world.command('events')}")
        receiver.lines = _lines("rollover")
        wait_until(lambda: "its count of weeks began again" in world.device_log(), "the wrong date is named", 20)
        time.sleep(3)
        if _position(world)["age"] > 2:
            raise AssertionError(f"positions without a date are left out: {_position(world)}")
        refused = _position(world)["refused"]
    return f"{refused} reports of 0/0 left out, no place was left, positions go on at a wrong date"


class _Moving(World):
    """A device without a place of its own."""

    def _device_configuration(self):
        configuration = super()._device_configuration()
        del configuration["location"]["static"]
        return configuration


def _position(world):
    return world.status().get("position") or {}


def _lines(name):
    text = (FIXTURES / f"{name}.jsonl").read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


class _Receiver:
    """A gpsd that sends each client :attr:`lines`, five a second, over and over."""

    def __init__(self, port):
        self.lines = []
        receiver = self

        class Client(socketserver.BaseRequestHandler):
            def handle(self):
                try:
                    receiver.serve(self.request)
                except OSError:
                    pass

        class Server(socketserver.ThreadingTCPServer):
            allow_reuse_address = daemon_threads = True

        self._server = Server(("127.0.0.1", port), Client)
        self._is_over = False

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._server.shutdown()
        self._server.server_close()

    def serve(self, client):
        self._send(client, '{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}')
        while not self._is_over:
            for line in list(self.lines):
                self._send(client, line)
                time.sleep(0.2)
            time.sleep(0.01)

    @staticmethod
    def _send(client, line):
        now = datetime.datetime.now(datetime.timezone.utc)
        for mark, moment in (("@NOW-1024W@", now - datetime.timedelta(weeks=1024)), ("@NOW@", now)):
            line = line.replace(mark, moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
        client.sendall(f"{line}\r\n".encode())

"""HTTP to the hub from any address of the loopback range: every status is an answer, and its time is taken."""
import dataclasses
import http.client
import json
import socket
import time

from abuse.addresses import BYSTANDER


@dataclasses.dataclass(frozen=True)
class Answer:
    """What came back; the status is 0 where nothing did."""

    status: int
    body: bytes
    headers: dict
    seconds: float

    @property
    def json(self):
        return json.loads(self.body) if self.body else None

    @property
    def problem(self):
        """The type of a problem document (RFC 9457), or nothing."""
        try:
            return self.json.get("type", "")
        except (ValueError, AttributeError):
            return ""

    @property
    def is_success(self):
        return 200 <= self.status < 300


class Client:
    """One person or program; connections are kept open as long as the hub lets them be."""

    def __init__(self, port, source=BYSTANDER, limit=15.0, headers=None):
        self.token = self.user_id = None
        self.source = source
        self._port = port
        self._limit = limit
        self._headers = headers or {}
        self._connection = None

    def login(self, title, password=None, key=None, client_token=None):
        """Logs in and keeps the token; whatever the hub answers is returned. By a client token, which an earlier login
        brought, the hub knows a client that was there before."""
        credential = {"password": password, "enrolmentKey": key, "clientToken": client_token}
        body = {"userTitle": title, **{name: value for name, value in credential.items() if value is not None}}
        answer = self.request("POST", "/v1/login", body)
        if answer.is_success:
            self.token, self.user_id = answer.json["accessToken"], answer.json["userID"]
        return answer

    def request(self, method, path, body=None):
        begin = time.monotonic()
        try:
            status, content, headers = self._exchange(method, path, body)
        except (OSError, http.client.HTTPException):
            self.close()
            status, content, headers = 0, b"", {}
        return Answer(status, content, headers, time.monotonic() - begin)

    def close(self):
        if self._connection:
            self._connection.close()
        self._connection = None

    def stream(self, receive_buffer=None):
        """A socket on which the hub's events come; None when the hub refuses. A small buffer makes a slow listener."""
        end = connect(self._port, self.source, self._limit, receive_buffer)
        end.sendall(self._head("GET", "/v1/events", "Accept: text/event-stream\r\n").encode())
        head = b""
        while b"\r\n\r\n" not in head:
            part = end.recv(1)
            if not part:
                return None
            head += part
        return end if b" 200 " in head.split(b"\r\n")[0] else None

    def _exchange(self, method, path, body):
        if self._connection is None:
            self._connection = http.client.HTTPConnection(
                "127.0.0.1", self._port, timeout=self._limit, source_address=(self.source, 0))
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data else {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        self._connection.request(method, path, data, {**headers, **self._headers})
        response = self._connection.getresponse()
        content = response.read()
        if response.will_close:
            self.close()
        return response.status, content, dict(response.getheaders())

    def _head(self, method, path, more):
        return (f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
                f"Authorization: Bearer {self.token}\r\n{more}\r\n")


def connect(port, source, limit=15.0, receive_buffer=None):
    """A TCP connection to the hub from one address."""
    end = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    if receive_buffer:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
    end.settimeout(limit)
    end.bind((source, 0))
    end.connect(("127.0.0.1", port))
    return end


def exchange(port, source, request, limit=5.0):
    """Sends bytes as they are; returns the first answer's status (0: none) and everything that came."""
    end = connect(port, source, limit)
    received = b""
    with end:
        try:
            end.sendall(request)
            while part := end.recv(65_536):
                received += part
                if is_whole(received):
                    break
        except OSError:
            pass
    first = received.split(b"\r\n", 1)[0].split()
    return (int(first[1]) if len(first) > 1 and first[1].isdigit() else 0), received


def is_whole(received):
    """Whether a head and as many bytes as its Content-Length says are there."""
    head, end, body = received.partition(b"\r\n\r\n")
    if not end:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return False

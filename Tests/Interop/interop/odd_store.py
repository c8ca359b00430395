"""S3-compatible stores that differ from Amazon's, each as it was seen or reported; none checks a signature."""
import http.server
import itertools
import socket
import threading
import time
import urllib.parse

BUCKET = "recordings"
#: The store has two regions, under names that a device takes for those of one provider, and a name of nobody's.
HOME, AWAY, FOREIGN = "s3.us-east-1.store.test", "s3.eu-west-1.store.test", "elsewhere.test"
NAMES = [name for host in (HOME, AWAY) for name in (host, f"{BUCKET}.{host}")] + [FOREIGN]
#: How fast a store that is slow on purpose sends: octets a second.
DRIP = 10


class OddStore:
    """One store; :attr:`kind` says which it is at the moment."""

    def __init__(self):
        self.kind = "plain"
        self.objects = {}
        self.parts = {}
        #: (host, method, path, names of checksum fields, status) of each request.
        self.requests = []
        self.lock = threading.Lock()
        self._server = Server(("127.0.0.1", 0), Handler)
        self._server.store = self
        self.port = self._server.server_address[1]

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def become(self, kind):
        with self.lock:
            self.kind, self.objects, self.parts, self.requests = kind, {}, {}, []

    def refusals(self):
        return [request for request in self.requests if request[-1] >= 300]


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A client that hangs up in the middle of an answer without end is what is hoped for."""


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        store = self.server.store
        answer = getattr(self, f"_{store.kind.replace('-', '_')}", self._take)
        answer(path, query, body)

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    # What stores refuse.

    def _b2(self, path, query, body):
        if odd := self._checksums():
            return self._error(
                400, "InvalidArgument", f"Unsupported header '{odd[0]}' received for this API call.")
        self._take(path, query, body)

    def _r2(self, path, query, body):
        if odd := self._checksums():
            return self._error(
                501, "NotImplemented", f"Header '{odd[0]}' with value '{self.headers[odd[0]]}' not implemented")
        self._take(path, query, body)

    def _locked(self, path, query, body):
        if self.command == "PUT" and "Content-MD5" not in self.headers:
            return self._error(
                400, "InvalidRequest", "Content-MD5 HTTP header is required for Put Object requests with Object Lock parameters")
        self._take(path, query, body)

    def _regional(self, path, query, body):
        if self._host() == HOME:
            port = self.server.store.port
            return self._error(
                307, "TemporaryRedirect", "Please re-send this request to the specified temporary endpoint.",
                [("Location", f"http://{BUCKET}.{AWAY}:{port}{path.removeprefix('/' + BUCKET)}")])
        self._take(path, query, body)

    def _virtual(self, path, query, body):
        if not self._host().startswith(BUCKET + "."):
            port = self.server.store.port
            return self._error(301, "PermanentRedirect", "no", more=f"<Endpoint>{BUCKET}.{HOME}:{port}</Endpoint>")
        self._take(f"/{BUCKET}{path}", query, body)

    def _kidnapper(self, path, query, body):
        self._error(307, "TemporaryRedirect", "over there", [("Location", f"http://{FOREIGN}:{self.server.store.port}{path}")])

    def _late(self, path, query, body):
        """Its clock is two hours ahead."""
        ahead = time.time() + 7_200
        told = time.mktime(time.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ")) - time.timezone
        if abs(told - ahead) > 900:
            date = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(ahead))
            return self._error(403, "RequestTimeTooSkewed", "The difference is too large.", [("Date", date)])
        self._take(path, query, body)

    # Stores that mean harm.

    def _endless_body(self, path, query, body):
        self._stream(b"<Error>", itertools.repeat(b"x" * 65_536))

    def _endless_head(self, path, query, body):
        self._note(0)
        self._send(b"HTTP/1.1 200 OK\r\n")
        for number in itertools.count():
            self._send(f"x-{number}: {'y' * 1_000}\r\n".encode())

    def _dripping(self, path, query, body):
        self._stream(b"<Error>", (b"x" for _ in iter(lambda: time.sleep(1 / DRIP), 1)))

    def _garbage(self, path, query, body):
        self._note(0)
        self._send(b"\x00\xff\x16\x03garbage\r\n\r\n" * 10)
        self.close_connection = True

    def _bomb(self, path, query, body):
        entities = "".join(f'<!ENTITY e{n} "{"&e%d;" % (n - 1) * 10}">' for n in range(1, 10))
        self._reply(400, f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e0 "ha">{entities}]><Error><Code>&e9;</Code></Error>'.encode())

    def _nested(self, path, query, body):
        self._reply(400, b"<a>" * 80_000)

    def _terminal(self, path, query, body):
        self._error(400, "Bad\x1b]0;owned\x07", "\x1b[2J\r\nline &#x202E;of a log" + "x" * 3_000)

    # What they take.

    def _take(self, path, query, body):
        store = self.server.store
        with store.lock:
            if self.command == "POST" and "uploads" in query:
                upload = f"u{len(store.parts)}"
                store.parts[upload] = {}
                return self._reply(200, f"<R><UploadId>{upload}</UploadId></R>".encode())
            if self.command == "POST":
                parts = store.parts.pop(query["uploadId"], {})
                store.objects[path] = b"".join(parts[number] for number in sorted(parts))
                return self._reply(200, b"<R><ETag>x</ETag></R>")
            if self.command == "PUT" and "partNumber" in query:
                store.parts[query["uploadId"]][int(query["partNumber"])] = body
                return self._reply(200, headers=[("ETag", '"p"')])
            if self.command == "PUT":
                store.objects[path] = body
                return self._reply(200, headers=[("ETag", '"o"')])
            if self.command == "DELETE":
                return self._reply(204)
            if path in store.objects:
                return self._reply(200, store.objects[path])
        self._error(404, "NoSuchKey", "no such key")

    def _checksums(self):
        return [name.lower() for name in self.headers if name.lower().startswith("x-amz-checksum-")]

    def _host(self):
        return self.headers["Host"].partition(":")[0]

    def _error(self, status, code, message, headers=(), more=""):
        text = f"<Error><Code>{code}</Code><Message>{message}</Message>{more}</Error>"
        self._reply(status, text.encode(), headers)

    def _reply(self, status, body=b"", headers=()):
        self._note(status)
        fields = [*headers, ("Content-Length", len(body))]
        head = "".join(f"{name}: {value}\r\n" for name, value in fields)
        self._send(f"HTTP/1.1 {status} Word\r\n{head}\r\n".encode() + (b"" if self.command == "HEAD" else body))

    def _stream(self, first, pieces):
        self._note(0)
        self._send(b"HTTP/1.1 400 Word\r\nTransfer-Encoding: chunked\r\n\r\n")
        for piece in itertools.chain([first], pieces):
            self._send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")

    def _send(self, octets):
        try:
            self.connection.sendall(octets)
        except (BrokenPipeError, ConnectionResetError, socket.timeout):
            self.close_connection = True
            raise

    def _note(self, status):
        self.server.store.requests.append((self._host(), self.command, self.path, self._checksums(), status))

    def log_message(self, *_):
        pass

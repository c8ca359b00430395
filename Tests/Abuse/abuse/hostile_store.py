"""An S3-compatible store that means harm, in more ways than :mod:`interop.odd_store`, and remembers what it was sent."""
import itertools
import socket
import time

from interop.odd_store import AWAY, BUCKET, FOREIGN, HOME, Handler, OddStore

#: Seconds by which its clock is wrong, one after the other; None is no date at all.
SWINGS = (7_200, -7_200, -3_600 * 24 * 365 * 40, 3_600 * 24 * 365 * 60, None)
#: What names another host, by one field or another.
SENDINGS = (
    (307, [("Location", f"http://{HOME}@{FOREIGN}:PORT/")], ""), (302, [("Location", f"//{FOREIGN}:PORT/")], ""),
    (301, [], f"<Endpoint>{FOREIGN}:PORT</Endpoint>"), (301, [("x-amz-bucket-region", f"x.{FOREIGN}:PORT/")], ""),
    (308, [("Location", f"http://s3.{FOREIGN}:PORT/{BUCKET}")], ""),
    (400, [], f"<Endpoint>{FOREIGN}</Endpoint><Region>{FOREIGN}</Region>"))
#: Fields of an answer that stays just below what a reader of heads takes.
FIELDS = 60


class HostileStore(OddStore):
    """One store; :attr:`kind` says what it is at the moment, and a change ends all connections."""

    def __init__(self):
        super().__init__()
        self._server.RequestHandlerClass = HostileHandler
        self.turns = itertools.count()
        #: Everything that came in heads, by the host that was asked.
        self.heads = {}
        self.connections = set()

    def become(self, kind):
        with self.lock:
            self.kind, self.requests = kind, []
        for end in list(self.connections):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class HostileHandler(Handler):
    def setup(self):
        super().setup()
        self.server.store.connections.add(self.connection)

    def finish(self):
        self.server.store.connections.discard(self.connection)
        try:
            super().finish()
        except OSError:
            pass

    def handle_any(self):
        self.server.store.heads.setdefault(self._host(), []).append(f"{self.requestline}\n{self.headers}")
        super().handle_any()

    do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = handle_any

    @property
    def _turn(self):
        return next(self.server.store.turns)

    def _circles(self, path, query, body):
        """From one region to the other and back."""
        other = AWAY if self._host().endswith(HOME) else HOME
        self._error(307, "TemporaryRedirect", "there", [("Location", f"http://{BUCKET}.{other}:{self.server.store.port}{path}")])

    def _abroad(self, path, query, body):
        status, fields, more = SENDINGS[self._turn % len(SENDINGS)]
        port = str(self.server.store.port)
        code = "AuthorizationHeaderMalformed" if status == 400 else "PermanentRedirect"
        self._error(status, code, "there", [(name, value.replace("PORT", port)) for name, value in fields], more.replace("PORT", port))

    def _two_tags(self, path, query, body):
        """Neither tag, length nor digest is one that belongs to what it was sent."""
        if self.command == "PUT":
            return self._reply(200, headers=[("ETag", '"a"'), ("ETag", '"b"'), ("x-amz-checksum-sha256", "A" * 43 + "=")])
        if self.command == "HEAD":
            return self._reply(200, headers=[("ETag", '"c"'), ("x-amz-checksum-sha256", "B" * 43 + "=")])
        self._reply(200, b"<R><UploadId>u</UploadId><ETag>d</ETag></R>")

    def _wrong_length(self, path, query, body):
        """Takes each object, and afterwards has another."""
        if self.command == "PUT":
            return self._reply(200, headers=[("ETag", '"a"')])
        self._reply(200, b"short" if self.command == "HEAD" else b"<R><UploadId>u</UploadId></R>")

    def _errors_in_200(self, path, query, body):
        self._reply(200, b"<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>")

    def _slow_head(self, path, query, body):
        self._note(0)
        self._send(b"HTTP/1.1 200 OK\r\nETag: ")
        for _ in range(600):
            self._send(b"x")
            time.sleep(0.2)

    def _continuing(self, path, query, body):
        """Interim answers (RFC 9110, section 15.2) without end."""
        self._note(0)
        for number in itertools.cycle((100, 102, 103)):
            self._send(f"HTTP/1.1 {number} Word\r\n\r\n".encode() * 100)

    def _wide_head(self, path, query, body):
        """As many octets of fields as go, and then no tag."""
        self._reply(200, b"<R/>", [(f"x-{number}", "y" * 1_000) for number in range(FIELDS)])

    def _swinging(self, path, query, body):
        swing = SWINGS[self._turn % len(SWINGS)]
        date = "no date" if swing is None else time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(max(time.time() + swing, 0)))
        self._error(403, "RequestTimeTooSkewed", "The difference is too large.", [("Date", date)])

    def _blanks(self, path, query, body):
        """What keeps a connection alive while parts are joined, without end."""
        self._note(0)
        self._send(b"HTTP/1.1 200 Word\r\nETag: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        while True:
            self._send(b"1000\r\n" + b" " * 4_096 + b"\r\n")

"""A reverse proxy with the habits of real ones."""
import http.client
import http.server
import threading

#: Between two neighbours alone (RFC 9110, section 7.6.1).
HOP_BY_HOP = {"connection", "keep-alive", "transfer-encoding", "upgrade", "te", "trailer", "proxy-connection"}


class Proxy:
    """Serves a hub below a path on a free port of the loopback interface.

    One that `holds` keeps an event stream's body until :data:`BUFFER` bytes have come, whether or not the answer asks it not to;
    one with an `idle` limit closes what was silent for so many seconds.
    """

    BUFFER = 16_384

    def __init__(self, prefix, *, holds=False, idle=60):
        self.prefix, self.holds, self.idle = prefix, holds, idle
        #: The hub's.
        self.upstream_port = None
        #: Answers that were cut for their silence.
        self.cut = 0
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"proxy": self}))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}{prefix}"

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


class _Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Clients that go are no news."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    proxy = None

    def do_GET(self):
        self.close_connection = True
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if not self.path.startswith(self.proxy.prefix + "/"):
            self.send_error(404)
            return
        upstream = http.client.HTTPConnection("127.0.0.1", self.proxy.upstream_port, timeout=self.proxy.idle)
        try:
            headers = {name: value for name, value in self.headers.items() if name.lower() not in HOP_BY_HOP}
            upstream.request(self.command, self.path[len(self.proxy.prefix):], body or None, headers)
            answer = upstream.getresponse()
        except OSError:
            self.send_error(502)
            return
        try:
            self._pass_on(answer)
        except TimeoutError:
            self.proxy.cut += 1
        except (OSError, http.client.HTTPException):
            # One of the two has gone.
            pass
        finally:
            upstream.close()

    do_PUT = do_POST = do_DELETE = do_GET

    def _pass_on(self, answer):
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in HOP_BY_HOP | {"server", "date"}:
                self.send_header(name, value)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.flush()
        is_held = self.proxy.holds and answer.getheader("Content-Type", "").startswith("text/event-stream")
        held = b""
        while piece := answer.read1(65_536):
            held += piece
            if not is_held or len(held) >= Proxy.BUFFER:
                self.wfile.write(held)
                self.wfile.flush()
                held = b""
        self.wfile.write(held)

    def log_message(self, *_):
        """Says nothing: the tests' own output is what counts."""

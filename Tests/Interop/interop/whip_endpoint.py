"""A WHIP endpoint (RFC 9725) of the test's own, in front of what takes the media: Janus or aiortc."""
import http.server
import re
import threading
import time

TOKEN = "c2VjcmV0-of-the-endpoint.0123456789"
PATH = "/whip/front-door"


class Endpoint:
    """Serves while entered. `takes_media` has begin(offer), restart(name, offer) and end(name); without a `restart` there
    are no restarts of ICE.

    A `fault`, where one is set, is called with the request in place of all that.
    """

    def __init__(self, takes_media, *, links=()):
        self.takes_media, self.links, self.fault = takes_media, links, None
        #: What was asked for: moment, method, path.
        self.requests = []
        self.offers = {}
        self._lock = threading.Lock()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    @property
    def origin(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def url(self):
        return self.origin + PATH

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def asked(self, method, since=0.0):
        """The requests of a method since a moment."""
        with self._lock:
            return [one for one in self.requests if one[1] == method and one[0] >= since]

    def note(self, method, path):
        with self._lock:
            self.requests.append((time.monotonic(), method, path))


def _handler(endpoint):
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def answer(self, status, body="", **fields):
            data = body.encode()
            self.send_response(status)
            for name, value in fields.items():
                self.send_header(name.replace("_", "-"), value)
            if status == 201:
                for link in endpoint.links:
                    self.send_header("Link", link)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def body(self):
            return self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()

        def _take(self, serve):
            endpoint.note(self.command, self.path)
            text = self.body()
            try:
                if endpoint.fault:
                    return endpoint.fault(self)
                if self.headers.get("Authorization") != f"Bearer {TOKEN}":
                    return self.answer(401)
                return serve(text)
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True

        def do_OPTIONS(self):
            self._take(lambda _: self.answer(204, Accept_Post="application/sdp"))

        def do_POST(self):
            self._take(self._begin)

        def do_PATCH(self):
            self._take(self._restart)

        def do_DELETE(self):
            self._take(self._end)

        def _begin(self, offer):
            if self.path != PATH or self.headers.get("Content-Type") != "application/sdp":
                return self.answer(404 if self.path != PATH else 415)
            name, answer = endpoint.takes_media.begin(offer)
            endpoint.offers[name] = offer
            return self.answer(201, answer, Content_Type="application/sdp", Location=f"/whip/sessions/{name}", ETag='"1"')

        def _restart(self, fragment):
            restart = getattr(endpoint.takes_media, "restart", None)
            if not restart:
                return self.answer(405)
            if self.headers.get("Content-Type") != "application/trickle-ice-sdpfrag":
                return self.answer(415)
            if self.headers.get("If-Match") != "*":
                return self.answer(428)
            name = self.path.rsplit("/", 1)[-1]
            if name not in endpoint.offers:
                return self.answer(404)
            endpoint.offers[name] = _changed(endpoint.offers[name], fragment)
            answer = restart(name, endpoint.offers[name])
            return self.answer(200, _fragment(answer), Content_Type="application/trickle-ice-sdpfrag", ETag='"2"')

        def _end(self, _):
            name = self.path.rsplit("/", 1)[-1]
            if not endpoint.offers.pop(name, None):
                return self.answer(404)
            try:
                endpoint.takes_media.end(name)
            except KeyError:
                return self.answer(404)
            return self.answer(200)

    return Handler


def _changed(offer, fragment):
    """The offer with the credentials and candidates of a fragment, as its next version."""
    for name in ("ice-ufrag", "ice-pwd"):
        value = re.search(rf"^a={name}:(\S+)", fragment, re.MULTILINE)[1]
        offer = re.sub(rf"^a={name}:\S+", f"a={name}:{value}", offer, flags=re.MULTILINE)
    offer = re.sub(r"^a=(candidate:.*|end-of-candidates)\r\n", "", offer, flags=re.MULTILINE)
    offer = re.sub(r"^(o=\S+ \d+ )(\d+)", lambda found: found[1] + str(int(found[2]) + 1), offer, flags=re.MULTILINE)
    candidates = re.findall(r"^a=candidate:.*$", fragment, re.MULTILINE)
    lines = "".join(line.strip() + "\r\n" for line in candidates)
    return re.sub(r"^(a=mid:\S+\r\n)", lambda found: found[1] + lines, offer, count=1, flags=re.MULTILINE)


def _fragment(answer):
    """What a restart changes, of an answer."""
    wanted = re.findall(r"^a=(?:ice-ufrag|ice-pwd|candidate):.*$", answer, re.MULTILINE)
    # Each description has its credentials, and all the same.
    return "".join(line.strip() + "\r\n" for line in dict.fromkeys(wanted))

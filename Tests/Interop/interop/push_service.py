"""A push service as a browser's maker runs one (RFC 8030), and the browser's half of a subscription to it (RFC 8291)."""
import base64
import dataclasses
import http.server
import json
import secrets
import shutil
import ssl
import subprocess
import threading
import time
import urllib.parse

import http_ece
import py_vapid
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

#: The longest message that a push service has to take, in octets (RFC 8030, section 7.2).
LARGEST = 4_096
#: The longest life of a sender's token, in seconds (RFC 8292, section 2), and how wrong a clock may be.
TOKEN_LIFE, INACCURACY = 24 * 3_600, 60
#: Seconds that a slow service takes, and those that a busy one asks for.
SLOWNESS, RETRY_AFTER = 30.0, 2
#: What a service of each kind answers a message with that is as it must be; see :class:`_Handler` for the others.
STATUSES = {"plain": 201, "gone": 410, "unknown": 404, "busy": 429, "refusing": 403, "failing": 500}


@dataclasses.dataclass(frozen=True)
class Message:
    """What a sender has sent to one subscription."""

    #: When it arrived, as :func:`time.time` has it.
    at: float
    headers: dict
    body: bytes
    status: int


class Subscription:
    """What a browser knows of a subscription: it alone can decrypt what comes."""

    def __init__(self, endpoint):
        self.endpoint = endpoint
        self.secret = secrets.token_bytes(16)
        self._key = ec.generate_private_key(ec.SECP256R1())

    def to_json(self):
        """As `PushSubscription.toJSON()` gives it."""
        point = self._key.public_key().public_bytes(
            serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)
        keys = {"p256dh": encoded(point), "auth": encoded(self.secret)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def decrypt(self, message):
        """The message's JSON."""
        if message.headers.get("content-encoding") != "aes128gcm":
            raise AssertionError(f"the message is encoded as {message.headers.get('content-encoding')}")
        return json.loads(http_ece.decrypt(
            message.body, private_key=self._key, auth_secret=self.secret, version="aes128gcm"))


class PushService:
    """One service; :attr:`kind` says how it behaves at the moment: a key of :data:`STATUSES`, `slow`, `redirecting`, `huge`,
    `endless` or `silent`. It checks each message, and refuses with 400 what no service would take."""

    def __init__(self, folder, *, address="127.0.0.1", is_secure=True):
        """With a certificate of the test's own authority (:attr:`authority`), or by plain HTTP."""
        self.kind = "plain"
        self.authority = folder / "push-authority.pem"
        #: For `SSL_CERT_DIR`: the authority under the name by which OpenSSL looks for it.
        self.authority_folder = folder / "push-authorities"
        #: Where a redirecting service leads to.
        self.elsewhere = None
        self._messages = {}
        self._complaints = []
        self._arrived = threading.Condition()
        self._server = _Server((address, 0), _Handler)
        self._server.service = self
        port = self._server.server_address[1]
        self.url = f"{'https' if is_secure else 'http'}://{address}:{port}"
        if is_secure:
            self._secure(folder, address)

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def subscribe(self):
        """A new subscription, which nobody knows yet."""
        return Subscription(f"{self.url}/push/{secrets.token_urlsafe(32)}")

    def messages(self, subscription):
        """What has arrived so far, also what was answered with an error."""
        with self._arrived:
            return list(self._messages.get(subscription.endpoint, []))

    def wait_for(self, subscription, count=1, limit=10.0):
        """The first messages, once so many are there."""
        with self._arrived:
            is_there = self._arrived.wait_for(
                lambda: len(self._messages.get(subscription.endpoint, [])) >= count or self._complaints, limit)
            self._require_no_complaints()
            if not is_there:
                raise TimeoutError(f"waited {limit:.0f} s until the push service has {count} messages")
            return self._messages[subscription.endpoint][:count]

    def require_no_complaints(self):
        """Raises when a message was none that a push service takes."""
        with self._arrived:
            self._require_no_complaints()

    def _require_no_complaints(self):
        if self._complaints:
            raise AssertionError(f"messages to the push service: {self._complaints}")

    def keep(self, path, message):
        with self._arrived:
            self._messages.setdefault(self.url + path, []).append(message)
            self._arrived.notify_all()

    def complain(self, text):
        with self._arrived:
            self._complaints.append(text)
            self._arrived.notify_all()

    def _secure(self, folder, address):
        key, certificate = folder / "push.key", folder / "push.pem"
        authority_key = folder / "push-authority.key"
        _make_certificate("/CN=Interop push authority", "-keyout", authority_key, "-out", self.authority)
        _make_certificate(
            "/CN=push", "-addext", f"subjectAltName=IP:{address}", "-addext", "basicConstraints=CA:FALSE",
            "-CA", self.authority, "-CAkey", authority_key, "-keyout", key, "-out", certificate)
        self.authority_folder.mkdir(exist_ok=True)
        shutil.copy(self.authority, self.authority_folder)
        subprocess.run(["openssl", "rehash", self.authority_folder], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        # The handshake is the connection's own thread's business.
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        """A sender that hangs up on an answer without end is what is hoped for."""


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    #: Seconds that a sender may be silent.
    timeout = 60

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        service = self.server.service
        headers = {name.lower(): value for name, value in self.headers.items()}
        if fault := _fault(service.url, self.path, headers, body):
            service.complain(fault)
            return self._reply(400, fault.encode())
        kind = service.kind
        service.keep(self.path, Message(time.time(), headers, body, STATUSES.get(kind, 201)))
        getattr(self, f"_{kind}", self._plain)()

    def do_GET(self):
        self.server.service.complain(f"GET {self.path}")
        self._reply(405)

    def _plain(self):
        service = self.server.service
        status = STATUSES[service.kind]
        more = {201: [("Location", f"{service.url}/message/{secrets.token_urlsafe(8)}"), ("TTL", self.headers["TTL"])],
                429: [("Retry-After", RETRY_AFTER)]}
        self._reply(status, headers=more.get(status, ()))

    def _slow(self):
        time.sleep(SLOWNESS)
        self._reply(201)

    def _redirecting(self):
        """Nobody who pushes follows: the endpoint is what the browser has named."""
        self._reply(307, headers=[("Location", f"{self.server.service.elsewhere or self.server.service.url}{self.path}")])

    def _huge(self):
        self._reply(201, b"x" * (64 << 20))

    def _endless(self):
        self.send_response(201)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        while True:
            self.wfile.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")

    def _silent(self):
        self.close_connection = True

    def _reply(self, status, body=b"", headers=()):
        self.send_response(status)
        for name, value in [*headers, ("Content-Length", len(body))]:
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Says nothing: the tests' own output is what counts."""


def _fault(url, path, headers, body):
    """Why no push service takes this message, or None."""
    if not path.startswith("/push/"):
        return f"a message for {path}"
    if not headers.get("ttl", "").isdecimal():
        return f"the message's TTL is {headers.get('ttl')}"
    if headers.get("urgency", "normal") not in ("very-low", "low", "normal", "high"):
        return f"the message's urgency is {headers['urgency']}"
    topic = headers.get("topic", "")
    if len(topic) > 32 or not set(topic) <= BASE64URL:
        return f"the message's topic is {topic!r}"
    if not 0 < len(body) <= LARGEST:
        return f"a message of {len(body)} octets"
    return _token_fault(url, headers.get("authorization", ""))


def _token_fault(url, authorization):
    """Why the sender's token (RFC 8292) is not taken, or None."""
    try:
        if not py_vapid.Vapid02.verify(authorization.replace(", ", ",")):
            return "the token's signature is wrong"
        token = dict(part.strip().split("=", 1) for part in authorization.split(" ", 1)[1].split(","))["t"]
        claims = json.loads(decoded(token.split(".")[1]))
    except Exception as error:
        return f"the token cannot be read: {type(error).__name__} {error}"
    left = claims.get("exp", 0) - time.time()
    if claims.get("aud") != url:
        return f"the token is for {claims.get('aud')}, not for {url}"
    if not 0 < left <= TOKEN_LIFE + INACCURACY:
        return f"the token is good for {left:.0f} s"
    if urllib.parse.urlsplit(claims.get("sub", "")).scheme not in ("mailto", "https"):
        return f"the token names as its sender {claims.get('sub')}"
    return None


#: The characters of a topic.
BASE64URL = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def encoded(octets):
    """Base64url without padding."""
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


def decoded(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _make_certificate(name, *arguments):
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
               "-subj", name, *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)

"""A hub that says whatever a test wants, to a device that trusts it."""
import base64
import http.server
import json
import queue
import threading
import time
import uuid

from cryptography.hazmat.primitives.asymmetric import ed25519
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from interop.world import DEVICE

#: Who the device is at this hub.
DEVICE_ID = "11111111-2222-4333-8444-555555555555"


class FakeHub:
    """Listens while entered; looks like a child process to :class:`World`.

    Anybody may log in; who is titled as the device is the device. Two parties can call each other through it.
    """

    name, is_running, pid = "the test's own hub", True, 0

    def __init__(self, port):
        self.key = SigningKey()
        self.streams = {}
        self.requests = queue.SimpleQueue()
        self.sessions = {}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def kill(self):
        self._server.shutdown()
        self._server.server_close()

    def last_words(self):
        return f"  {self.name} has nothing to say"

    def tell(self, user_id, name, payload):
        """One event with a payload that is JSON already, or becomes it."""
        text = payload if isinstance(payload, str) else json.dumps(payload)
        self.tell_bytes(user_id, f"event: {name}\ndata: {text}\n\n".encode())

    def tell_bytes(self, user_id, content):
        stream = self.streams.get(user_id)
        if stream:
            stream.put(content)

    def is_drained(self, user_id):
        stream = self.streams.get(user_id)
        return stream is None or stream.empty()

    def call(self, session=None, offer="v=0\r\n", token=None, role="user", **changes):
        """Rings the device for a stranger; returns the session."""
        session = session or str(uuid.uuid4())
        caller = changes.pop("callerID", "stranger")
        self.tell(DEVICE_ID, "call.incoming", {
            "sessionID": session, "callerID": caller, "callerTitle": "Stranger", "callerRole": role,
            "callerGroups": ["default"], "isAudio": True, "isVideo": True, "offer": offer,
            "token": self.key.session_token(session, DEVICE_ID), "iceServers": [],
            "callerToken": token or self.key.session_token(session, caller), **changes})
        return session

    def wait_for_request(self, condition, limit=10.0):
        """The first request `(method, path, body)` that the condition takes; None when there is none in time."""
        deadline = time.monotonic() + limit
        while (left := deadline - time.monotonic()) > 0:
            try:
                request = self.requests.get(timeout=left)
            except queue.Empty:
                return None
            if condition(*request):
                return request
        return None

    def answer(self, method, path, body, user_id):
        """The status and the content for a request."""
        self.requests.put((method, path, body))
        if path == "/v1/login":
            return self._login(json.loads(body))
        if path == "/.well-known/jwks.json":
            return 200, {"keys": [self.key.public]}
        if path.startswith("/v1/users"):
            return 200, self._users()
        if path.startswith("/v1/sessions/"):
            return self._signal(method, path.removeprefix("/v1/sessions/"), body, user_id)
        return 204, None

    def _login(self, login):
        is_device = login["userTitle"] == DEVICE
        user_id = DEVICE_ID if is_device else "person-" + login["userTitle"].replace(" ", "-")
        return 200, {"userID": user_id, "accessToken": user_id, "expiresAt": int(time.time() + 3_600) * 1_000,
                     "role": "device" if is_device else "operator"}

    def _users(self):
        online = [{"userID": DEVICE_ID, "userTitle": DEVICE, "status": "available", "kind": "device", "isAudio": True,
                   "isVideo": True}]
        return {"count": 1, "items": online} if DEVICE_ID in self.streams else {"count": 0, "items": []}

    def _signal(self, method, path, body, user_id):
        """Enough of a hub for a call between two who want one."""
        session, _, action = path.partition("/")
        if method == "PUT":
            request = json.loads(body)
            self.sessions[session] = user_id
            self.call(session, request["offer"], role="operator", callerID=user_id)
            token = self.key.session_token(session, user_id)
            return 201, {"sessionID": session, "publisherToken": token, "iceServers": []}
        other = self.sessions.get(session) if user_id == DEVICE_ID else DEVICE_ID
        if action == "answer":
            token = self.key.session_token(session, user_id)
            self.tell(other, "call.answered", {"sessionID": session, "sdp": json.loads(body)["sdp"], "token": token})
        if method == "DELETE":
            self.tell(other, "call.ended", {"sessionID": session, "reason": "hangup"})
        return 204, None


class SigningKey:
    """An Ed25519 key and the tokens that it signs."""

    def __init__(self):
        self._key = ed25519.Ed25519PrivateKey.generate()
        self.key_id = str(uuid.uuid4())

    @property
    def public(self):
        """As a JSON Web Key (RFC 8037)."""
        raw = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "x": _base64(raw), "kid": self.key_id}

    def session_token(self, session, user_id, header=None, **changes):
        """A token that makes its bearer a publisher, unless `changes` of the claims say otherwise."""
        now = int(time.time())
        claims = {"sub": user_id, "aud": "livesessions-session", "role": "publisher", "session_id": session,
                  "iat": now, "exp": now + 3_600, "jti": str(uuid.uuid4()), **changes}
        header = {"alg": "EdDSA", "typ": "JWT", "kid": self.key_id, **(header or {})}
        signed = ".".join(_base64(json.dumps(part).encode()) for part in (header, claims))
        return f"{signed}.{_base64(self._key.sign(signed.encode()))}"


def _base64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _handler(hub):
    class Handler(http.server.BaseHTTPRequestHandler):
        """One connection; the bearer token is the user's id."""

        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if self.path.startswith("/v1/events"):
                self._stream()
            else:
                self._answer()

        def _answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            status, content = hub.answer(self.command, self.path, body, self._user_id)
            data = b"" if content is None else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            if status != 204:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_PUT = do_DELETE = _answer

        @property
        def _user_id(self):
            return self.headers.get("Authorization", "").removeprefix("Bearer ")

        def _stream(self):
            user_id, events = self._user_id, queue.SimpleQueue()
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Connection", "close")
            self.end_headers()
            hub.streams[user_id] = events
            hub.tell(user_id, "hello", {"eventStreamID": str(uuid.uuid4()), "isReset": False})
            try:
                while hub.streams.get(user_id) is events:
                    self._pass_on(events)
            except OSError:
                pass
            self.close_connection = True

        def _pass_on(self, events):
            try:
                self.wfile.write(events.get(timeout=5))
            except queue.Empty:
                self.wfile.write(b": still here\n\n")

        def log_message(self, *_):
            pass

    return Handler

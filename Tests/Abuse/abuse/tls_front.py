"""TLS before a hub: a true one that passes on what comes, or one of many that mean harm, at one port."""
import contextlib
import select
import socket
import ssl
import threading
import time

from abuse.certificates import Signer
from abuse.raw_tls import RawServer

#: The name by which the device knows the hub.
HOST = "localhost"
#: As much as one record takes (RFC 8446, section 5.1).
RECORD = 16_384
CHAIN, BALLAST = 100, 1_000_000
#: What a hub answers whose octets then come one at a time.
DRIBBLED = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20000\r\n\r\n" + b" " * 20_000
#: Half an answer that a length bounds, and one that the connection's end bounds, whose reader must not take it for whole.
CUT = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n{\"userID\":",
       b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n[]")
#: An empty record of each of these types: change_cipher_spec with its one octet, an alert that warns of nobody's renegotiation.
CHANGE_CIPHER_SPEC, WARNING = b"\x14\x03\x03\x00\x01\x01", b"\x15\x03\x03\x00\x02\x01\x64"


class TLSFront:
    """Listens while entered; :meth:`become` says what it is from then on, and ends all connections of before."""

    def __init__(self, folder, authority, upstream_port):
        self._folder, self._authority, self._upstream_port = folder, authority, upstream_port
        #: What each kind's connections do with a socket.
        self.kinds = self._make_kinds()
        self.kind = "true"
        #: Connections since it became what it is, and HTTP requests that were read by one that is no true hub.
        self.connections, self.requests = 0, []
        self._lock, self._open, self._is_over = threading.Lock(), set(), False
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]

    def __enter__(self):
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._is_over = True
        self._listener.close()
        self._end_all()

    def become(self, kind):
        with self._lock:
            self.kind, self.connections, self.requests = kind, 0, []
        self._end_all()

    # Connections.

    def _accept(self):
        while not self._is_over:
            try:
                end, _ = self._listener.accept()
            except OSError:
                return
            # TLS takes the socket itself away.
            handle = end.dup()
            with self._lock:
                self.connections += 1
                self._open.add(handle)
                serve = self.kinds[self.kind]
            threading.Thread(target=self._serve, args=(serve, end, handle), daemon=True).start()

    def _serve(self, serve, end, handle):
        with contextlib.suppress(OSError, ValueError), end:
            end.settimeout(60)
            serve(end)
        with self._lock:
            self._open.discard(handle)
        with contextlib.suppress(OSError):
            handle.shutdown(socket.SHUT_RDWR)
        handle.close()

    def _end_all(self):
        with self._lock:
            ends = list(self._open)
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    # Kinds.

    def _make_kinds(self):
        right = Signer(HOST, self._authority, is_authority=False, hosts=[HOST])
        chained = Signer("Nobody")
        for number in range(CHAIN):
            chained = Signer(f"Authority {number}", chained)
        signers = {
            "true": right,
            "wrong name": Signer("other.test", self._authority, is_authority=False, hosts=["other.test", f"*.{HOST}", f"{HOST}.other.test"]),
            "expired": Signer(HOST, self._authority, is_authority=False, hosts=[HOST], age=400, days=-1),
            "not yet valid": Signer(HOST, self._authority, is_authority=False, hosts=[HOST], age=-2),
            "self-signed": Signer(HOST, is_authority=False, hosts=[HOST]),
            "signed by a certificate that is no authority's": Signer("Mallory", right, is_authority=False, hosts=[HOST]),
            "a chain of 100": Signer(HOST, chained, is_authority=False, hosts=[HOST]),
            "a megabyte of certificates": Signer(HOST, self._authority, is_authority=False, hosts=[HOST]),
        }
        ballast = [Signer(f"Ballast {number}", ballast=BALLAST // 16).certificate for number in range(16)]
        self._files = {
            name: signer.write(self._folder, f"tls-{number}", ballast if name.startswith("a megabyte") else ())
            for number, (name, signer) in enumerate(signers.items())}
        kinds = {name: self._pass_on(self._context(path)) for name, path in self._files.items()}
        old = self._context(self._files["true"])
        old.set_ciphers("ALL:@SECLEVEL=0")
        old.minimum_version, old.maximum_version = ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1
        new = self._context(self._files["true"])
        return kinds | {
            "TLS 1.1": self._pass_on(old),
            "a cut answer": lambda end: self._cut(new, end),
            "a handshake of one octet at a time": lambda end: self._drip_handshake(new, end),
            "records of one octet at a time": lambda end: self._dribble(new, end),
            "an endless certificate": lambda end: self._repeat(end, b"\x16\x03\x03\x40\x00" + b"\x02" + bytes(RECORD - 1)),
            "endless handshake octets": lambda end: self._repeat(end, self._endless_hello()),
            "endless changes of cipher": lambda end: self._repeat(end, CHANGE_CIPHER_SPEC * 1_000),
            "endless warnings": lambda end: self._repeat(end, WARNING * 1_000),
            "renegotiation": lambda end: self._ask_anew(end, RawServer.renegotiate, True),
            "new keys without end": lambda end: self._ask_anew(end, RawServer.renew_keys, False),
        }

    @staticmethod
    def _context(path):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _pass_on(self, context):
        def serve(end):
            with context.wrap_socket(end, server_side=True) as inner:
                if self.kind != "true":
                    self._note(inner.recv(65_536))
                    return
                with socket.create_connection(("127.0.0.1", self._upstream_port)) as outer:
                    _carry(inner, outer)
        return serve

    def _note(self, request):
        if request:
            self.requests.append(request)

    def _cut(self, context, end):
        """Ends the connection without a goodbye, in the middle of an answer or at what might be its end."""
        with context.wrap_socket(end, server_side=True) as inner:
            inner.recv(65_536)
            inner.sendall(CUT[self.connections % 2])

    def _drip_handshake(self, context, end):
        tls, arriving, leaving = _memory(context)
        arriving.write(end.recv(65_536))
        with contextlib.suppress(ssl.SSLWantReadError):
            tls.do_handshake()
        _drip(end, leaving.read(), 0.2)

    def _dribble(self, context, end):
        """Answers in whole records that arrive an octet at a time."""
        tls, arriving, leaving = _memory(context)
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                end.sendall(leaving.read())
                arriving.write(end.recv(65_536))
        end.sendall(leaving.read())
        arriving.write(end.recv(65_536))
        tls.write(DRIBBLED[:RECORD])
        _drip(end, leaving.read(), 0.001)

    @staticmethod
    def _endless_hello():
        """A ServerHello of 16 MB, in whole records of its own."""
        return b"\x16\x03\x03\x40\x00" + b"\x02\xff\xff\xff" + bytes(RECORD - 4)

    @staticmethod
    def _repeat(end, octets):
        end.recv(65_536)
        while True:
            end.sendall(octets)

    def _ask_anew(self, end, ask, is_old):
        """Asks for something of TLS' own without end, in whole segments, and reads none of the answers."""
        end.settimeout(None)
        inner, outer = socket.socketpair()
        with inner, outer:
            is_served = threading.Event()
            for way in ((outer, end, None), (end, outer, is_served)):
                threading.Thread(target=_copy, args=way, daemon=True).start()
            with RawServer(self._files["true"], inner, is_old=is_old) as server:
                server.read()
                is_served.set()
                while True:
                    ask(server)


def _copy(source, sink, is_over):
    """One way, until somebody has gone or it is over."""
    with contextlib.suppress(OSError, ValueError):
        while data := source.recv(65_536):
            if is_over and is_over.is_set():
                # What is not read any more stays in the connection.
                return
            sink.sendall(data)
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


def _memory(context):
    arriving, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
    return context.wrap_bio(arriving, leaving, server_side=True), arriving, leaving


def _drip(end, octets, pause):
    for octet in octets:
        end.sendall(bytes([octet]))
        time.sleep(pause)
    time.sleep(30)


def _carry(inner, outer):
    """Both ways by one thread, which is all that a TLS connection permits, until one of the two has gone."""
    ways = {inner: outer, outer: inner}
    for end in ways:
        end.settimeout(None)
    while True:
        held = [end for end in ways if isinstance(end, ssl.SSLSocket) and end.pending()]
        for end in held or select.select(list(ways), [], [])[0]:
            data = end.recv(65_536)
            if not data:
                return
            ways[end].sendall(data)

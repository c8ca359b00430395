"""A web server that takes files by PUT, and what it has been sent.

store.py FOLDER PORT: below FOLDER/objects are the files that are whole, in FOLDER/attempts the bytes of each request as they
arrive, also of one that was cut, and FOLDER/requests.jsonl has a line when a request begins and another when it is answered.
The server's certificate and key are FOLDER/certificate.pem and FOLDER/key.pem; FOLDER/authorization is whom it lets in.
"""
import base64
import hashlib
import http.server
import json
import pathlib
import ssl
import sys
import time

CHUNK = 65_536


class Store(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder = None

    def do_PUT(self):
        length = int(self.headers["Content-Length"])
        number = sum(1 for _ in (self.folder / "attempts").iterdir())
        attempt = self.folder / "attempts" / f"{number:03}-{pathlib.PurePosixPath(self.path).name}"
        self._tell(attempt=attempt.name, method="PUT", path=self.path, length=length)
        received = self._receive(attempt, length)
        if received == length:
            self._answer(self._judge(attempt), attempt=attempt.name, method="PUT", path=self.path)

    def do_HEAD(self):
        file = self._object()
        self._answer(200 if file.is_file() else 404, file.stat().st_size if file.is_file() else 0, method="HEAD", path=self.path)

    def _receive(self, attempt, length):
        """How much has come when all is there, or the device has gone."""
        received = 0
        with open(attempt, "wb", buffering=0) as file:
            while received < length:
                try:
                    chunk = self.rfile.read1(min(CHUNK, length - received))
                except OSError:
                    break
                if not chunk:
                    break
                file.write(chunk)
                received += len(chunk)
        self.close_connection = received < length
        return received

    def _judge(self, attempt):
        if self.headers["Authorization"] != (self.folder / "authorization").read_text().strip():
            return 401
        content = attempt.read_bytes()
        digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
        if self.headers["Content-Digest"] != f"sha-256=:{digest}:":
            return 400
        file = self._object()
        file.parent.mkdir(parents=True, exist_ok=True)
        is_new = not file.exists()
        file.write_bytes(content)
        return 201 if is_new else 204

    def _object(self):
        return self.folder / "objects" / self.path.lstrip("/")

    def _answer(self, status, length=0, **what):
        self._tell(status=status, **what)
        self.send_response(status)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def _tell(self, **what):
        with open(self.folder / "requests.jsonl", "a") as file:
            file.write(json.dumps({"moment": int(time.time() * 1_000), **what}) + "\n")

    def log_message(self, *_):
        pass


def main():
    Store.folder = pathlib.Path(sys.argv[1])
    for name in ("objects", "attempts"):
        (Store.folder / name).mkdir(exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2])), Store)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(Store.folder / "certificate.pem", Store.folder / "key.pem")
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.serve_forever()


main()

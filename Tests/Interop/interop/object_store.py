"""An S3-compatible store (moto's server), in front of it a door that is shut at first, and what lies in it."""
import hashlib
import socket
import sys
import threading

import boto3
from botocore.config import Config

from interop.processes import Child, free_port, wait_until

BUCKET = "recordings"
REGION = "eu-central-1"


class ObjectStore:
    """A bucket that takes what is signed with a key of its own."""

    def __init__(self, folder):
        self._port = free_port()
        self._child = Child(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(self._port)], folder / "store.log",
            # Requests up to here make bucket and key; those that follow are checked, signature and all.
            {"INITIAL_NO_AUTH_ACTION_COUNT": "4"})
        self.door = Door(self._port)

    def __enter__(self):
        wait_until(self._is_up, "the store is up", limit=30, alive=[self._child])
        self._make_key()
        self._bucket().create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
        return self

    def __exit__(self, *_):
        self.door.close()
        self._child.kill()

    @property
    def credentials(self):
        """As a file of credentials has them."""
        return ":".join(self._key)

    @property
    def address(self):
        return f"http://127.0.0.1:{self.door.port}"

    def digests(self):
        """SHA-256 of each object, by its key."""
        store = self._bucket()
        listed = store.list_objects_v2(Bucket=BUCKET)
        assert not listed["IsTruncated"]
        return {item["Key"]: hashlib.sha256(store.get_object(Bucket=BUCKET, Key=item["Key"])["Body"].read()).hexdigest()
                for item in listed.get("Contents", [])}

    def fetch(self, key):
        return self._bucket().get_object(Bucket=BUCKET, Key=key)["Body"].read()

    def unfinished(self):
        """The keys of objects whose parts have not been joined."""
        return [upload["Key"] for upload in self._bucket().list_multipart_uploads(Bucket=BUCKET).get("Uploads", [])]

    def requests(self, text):
        """How often a request with this text in its first line has been answered."""
        return sum(text in line for line in self._child.log.read_text(errors="replace").splitlines())

    def last_words(self):
        return self._child.last_words()

    def _make_key(self):
        iam = self._client("iam", "nobody", "nothing")
        iam.create_user(UserName="camera")
        iam.put_user_policy(
            UserName="camera", PolicyName="all",
            PolicyDocument='{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}')
        key = iam.create_access_key(UserName="camera")["AccessKey"]
        self._key = (key["AccessKeyId"], key["SecretAccessKey"])

    def _bucket(self):
        return self._client("s3", *self._key)

    def _client(self, service, *key):
        return boto3.client(
            service, endpoint_url=f"http://127.0.0.1:{self._port}", region_name=REGION, aws_access_key_id=key[0],
            aws_secret_access_key=key[1], config=Config(s3={"addressing_style": "path"}, retries={"max_attempts": 1}))

    def _is_up(self):
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self._port)) == 0


class Door:
    """Passes connections on to the store while it is open; shut it ends them in the middle."""

    def __init__(self, target):
        self._target = target
        self.port = free_port()
        self._listener = None
        self._pairs = []
        self._lock = threading.Lock()

    def open(self):
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self):
        """Nobody gets in, and whoever was in is out."""
        with self._lock:
            ends, self._pairs = self._pairs, []
        if self._listener:
            # A thread that waits in accept would keep the port.
            self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
            self._listener = None
        for end in ends:
            _end(end)

    def _accept(self, listener):
        while True:
            try:
                inner, _ = listener.accept()
            except OSError:
                return
            try:
                outer = socket.create_connection(("127.0.0.1", self._target), timeout=10)
            except OSError:
                inner.close()
                continue
            with self._lock:
                self._pairs += [inner, outer]
            for source, sink in ((inner, outer), (outer, inner)):
                threading.Thread(target=_copy, args=(source, sink), daemon=True).start()


def _copy(source, sink):
    try:
        while data := source.recv(65_536):
            sink.sendall(data)
    except OSError:
        pass
    _end(source)
    _end(sink)


def _end(end):
    try:
        end.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass

"""A TURN or STUN server (coturn) of a test's own."""
import base64
import hashlib
import hmac
import json
import pathlib
import re
import shutil
import socket
import subprocess
import time

from interop.processes import Child, free_port, wait_until

#: The only address of the namespace that is not loopback.
ADDRESS = "192.0.2.1"
SECRET = "a secret that hub and TURN server share"

CONFIGURATION = """
listening-ip={address}
relay-ip={address}
listening-port={port}
tls-listening-port={tls_port}
use-auth-secret
static-auth-secret={secret}
realm=interop.example
fingerprint
no-cli
cert={folder}/server.pem
pkey={folder}/server.key
pidfile={folder}/turnserver.pid
userdb={folder}/turndb
log-file=stdout
simple-log
verbose
"""


class TurnServer:
    """Runs coturn while entered. Its files and ports are there before, for those who are to find nobody."""

    def __init__(self, folder: pathlib.Path, transport, address=ADDRESS):
        """`transport` is how hub and device are told to reach it: `udp`, `tcp` or `tls`; `stun` makes it a server that
        tells addresses and relays nothing. The `address` has to be there when the server is entered."""
        self._folder = folder / "turn"
        self._folder.mkdir()
        self._address = address
        self._transport = transport
        self._port, self._tls_port = free_port(), free_port()
        self._log = self._folder / "turnserver.log"
        self._child = None
        self._authority = self._folder / "authority.pem"
        secret = self._folder / "secret"
        secret.touch(mode=0o600)
        secret.write_text(SECRET)
        self._make_certificates()

    def __enter__(self):
        if not shutil.which("turnserver"):
            raise FileNotFoundError("turnserver is not installed (Debian's package coturn)")
        configuration = self._folder / "turnserver.conf"
        configuration.write_text(CONFIGURATION.format(
            address=self._address, port=self._port, tls_port=self._tls_port, secret=SECRET, folder=self._folder)
            + ("stun-only\n" if self._transport == "stun" else ""))
        self._child = Child(["turnserver", "-c", configuration], self._log)
        try:
            for port in (self._port, self._tls_port):
                wait_until(lambda port=port: self._answers(port), "coturn listens", alive=[self._child])
        except BaseException:
            self._child.kill()
            raise
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self._child.last_words())
        self._child.kill()

    @property
    def url(self):
        """As the hub names it to the device."""
        if self._transport == "stun":
            return f"stun:{self._address}:{self._port}"
        if self._transport == "tls":
            return f"turns:{self._address}:{self._tls_port}?transport=tcp"
        return f"turn:{self._address}:{self._port}?transport={self._transport}"

    def hub_settings(self):
        return {"turn": {"uris": [self.url], "secret_file": str(self._folder / "secret")}}

    def device_settings(self, policy):
        return {"network": {"transport_policy": policy, "turn_ca_file": str(self._authority)}}

    def browser_configuration(self):
        """JavaScript of an RTCConfiguration that lets nothing but relays be used.

        Always over UDP: how the device reaches the server is what tests are about. The page learns servers after it has
        made its offer; this way it knows them before, and the first offer is relayed.
        """
        server = {"urls": f"turn:{self._address}:{self._port}", **_credentials("browser")}
        return json.dumps({"iceServers": [server], "iceTransportPolicy": "relay"})

    def device_transport(self):
        """How the device has reached the server, as coturn's log tells when the allocation is over."""
        def log():
            return self._log.read_text(errors="replace")
        allocated = re.compile(r"session (\d+): new, .*username=<\d+:(?!browser>)")
        session = wait_until(lambda: allocated.search(log()), "coturn tells of the device's allocation").group(1)
        wait_until(lambda: f"session {session}: delete" in log(), "coturn tells the end of the device's allocation")
        stream = re.search(rf"session {session}: .*?(TLS/TCP|TCP) socket", log())
        return {"TCP": "tcp", "TLS/TCP": "tls"}[stream.group(1)] if stream else "udp"

    def _answers(self, port):
        with socket.socket() as probe:
            return probe.connect_ex((self._address, port)) == 0

    def _make_certificates(self):
        """An authority of the test's own, and a certificate for the address."""
        folder = self._folder
        _make_certificate("/CN=Interop authority", "-keyout", folder / "authority.key", "-out", self._authority)
        _make_certificate("/CN=turn", "-addext", f"subjectAltName=IP:{self._address}", "-addext", "basicConstraints=CA:FALSE",
                          "-CA", self._authority, "-CAkey", folder / "authority.key", "-keyout", folder / "server.key",
                          "-out", folder / "server.pem")


def _make_certificate(name, *arguments):
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
               "-subj", name, *map(str, arguments)]
    subprocess.run(command, check=True, capture_output=True)


def _credentials(user):
    """As the hub makes them: the name carries its expiry, the password is HMAC-SHA1 of the name."""
    name = f"{int(time.time()) + 3600}:{user}"
    digest = hmac.new(SECRET.encode(), name.encode(), hashlib.sha1).digest()
    return {"username": name, "credential": base64.b64encode(digest).decode()}

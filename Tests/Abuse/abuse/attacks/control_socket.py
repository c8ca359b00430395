"""A local program holds the control socket's places, and sends what no Varlink client sends."""
import contextlib
import json
import time

from abuse import varlink
from abuse.ringing import status_seconds


def _call(method, **parameters):
    return json.dumps({"method": f"org.livesessions.Device.{method}", "parameters": parameters}).encode() + b"\0"


CLIENTS = 32
MESSAGES = {
    "1 MB": b'{"method":"' + b"x" * (1 << 20) + b'"}\0',
    "1 MB without an end": b"x" * (1 << 20),
    "10,000 deep": b'{"method":"org.livesessions.Device.Status","parameters":%s1}%s\0' % (
        b'{"a":' * 10_000, b"}" * 10_000),
    "10,000 brackets": b"[" * 10_000 + b"]" * 10_000 + b"\0",
    "no JSON": b"\xff\xfe\xfd\0",
    "empty": b"\0" * 1_000,
    "a number": b"1\0",
    "wrong types": b'{"method":1,"parameters":[],"oneway":"yes","more":2}\0',
    "an unknown method": b'{"method":"org.livesessions.Device.\\u0000\\u001b[2J"}\0',
    "a limit beyond 64 bits": _call("ArchiveList", limit=2 ** 64),
    "a negative limit": _call("ArchiveList", limit=-2 ** 63),
    "an archive elsewhere": _call("ArchiveShow", archiveID="../../../etc"),
}


def attack(stage):
    path = stage.world.folder / "control"
    with contextlib.ExitStack() as stack:
        idle = [stack.enter_context(varlink.connect(path)) for _ in range(CLIENTS)]
        time.sleep(1)
        seconds = status_seconds(stage)
        stage.check(seconds < 2, f"beside {len(idle)} idle clients status takes {seconds:.1f} s")
        finished = stage.world.try_command("reload")
        stage.check(finished.returncode == 0,
                    f"beside {len(idle)} idle clients reload fails: {finished.stderr.strip()}")
        _slow(stage, path)
    time.sleep(0.5)
    for what, message in MESSAGES.items():
        _send(stage, path, what, message)
    stage.check("status" in varlink.call(path, "Status").get("parameters", {}), "the control socket does not answer")


def _slow(stage, path):
    """A message that never ends, a byte now and then, keeps no place for ever."""
    if stage.is_quick:
        return
    with varlink.connect(path) as end:
        begin, is_over = time.monotonic(), False
        while time.monotonic() < begin + 20 and not is_over:
            try:
                end.send(b"x")
            except OSError:
                is_over = True
            time.sleep(1)
        stage.check(is_over or varlink.is_closed(end, 0.1), "a byte a second keeps a control client for 20 s")


def _send(stage, path, what, message):
    """The daemon answers or closes, and answers the next client."""
    with varlink.connect(path) as end:
        try:
            end.sendall(message)
            end.settimeout(3)
            end.recv(65_536)
        except TimeoutError:
            # Nothing to say to an unfinished message; its time limit is looked at elsewhere.
            pass
        except OSError:
            pass
    seconds = status_seconds(stage)
    stage.check(seconds < 2, f"after a message of {what} status takes {seconds:.1f} s")

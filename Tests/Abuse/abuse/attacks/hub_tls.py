"""Who stands between device and hub has no good certificate, speaks too old a TLS, or never ends: nobody gets a request, the
device says why once, and is back at the true hub by itself."""
import time

from interop.processes import wait_until

from abuse.certificates import Signer, trusted_folder
from abuse.memory import resident
from abuse.tls_front import HOST, TLSFront

#: Started once there is a port for it to go to.
HAS_DEVICE = False
#: What the journal says of each; None where more than one thing is right.
WORDS = {
    "wrong name": "is not for localhost", "expired": "has expired", "not yet valid": "not yet valid",
    "self-signed": "not from an authority that this system trusts", "signed by a certificate that is no authority's": None,
    "a chain of 100": "not from an authority that this system trusts", "a megabyte of certificates": "excessive message size",
    "TLS 1.1": None, "a cut answer": None, "a handshake of one octet at a time": None,
    "records of one octet at a time": None, "an endless certificate": None,
    "endless handshake octets": None, "endless changes of cipher": None, "endless warnings": None, "renegotiation": None,
    "new keys without end": None,
}
#: They finish a handshake as the hub, so that requests are their due.
TRUSTED = {"a cut answer", "records of one octet at a time", "renegotiation", "new keys without end"}
#: Seconds of each, until the device is back, and what each may cost of a core, more than in the quiet seconds before.
SECONDS, BACK, CPU = 4.0, 45.0, 0.35
#: Seconds of what is given up only when a request's time is over.
SLOW, SLOW_SECONDS = {"a handshake of one octet at a time", "records of one octet at a time", "renegotiation",
                      "new keys without end"}, 12.0
QUIET, LASTING = 4.0, 10.5
#: Megabytes by which each may let the daemon grow.
GROWTH = 8
#: Lines of the journal for each: why the hub is gone, that presence could not be told, that it is back.
LINES = 6


def begin(stage):
    folder = stage.world.folder
    authority = Signer("The tests' authority")
    stage.front = stage.keep(TLSFront(folder, authority, stage.port))
    trusted = trusted_folder(folder / "authorities", authority)
    stage.world.change_settings({"hub": {"url": f"https://{HOST}:{stage.front.port}"}})
    stage.world.start_device(variables={"SSL_CERT_DIR": str(trusted)})


def attack(stage):
    first = stage.world.device_usage()
    time.sleep(QUIET)
    quiet = _share(first, stage.world.device_usage())
    for kind, words in WORDS.items():
        # A stream that has lasted makes the first pause short again.
        time.sleep(LASTING)
        _meet(stage, kind, words, quiet)


def _share(first, last):
    """Of one core, between two readings."""
    return (last[1] - first[1]) / (last[0] - first[0])


def _meet(stage, kind, words, quiet):
    world, front = stage.world, stage.front
    log, usage, memory = len(world.device_log()), world.device_usage(), resident(world.device_pid)
    front.become(kind)
    grown, end = 0, usage[0] + (SLOW_SECONDS if kind in SLOW else SECONDS)
    while time.monotonic() < end or not front.connections and time.monotonic() < usage[0] + BACK:
        grown = max(grown, resident(world.device_pid) - memory)
        time.sleep(0.1)
    used = world.device_usage()
    requests, connections = list(front.requests), front.connections
    front.become("true")
    begin = time.monotonic()
    try:
        wait_until(lambda: "connected to the hub again" in world.device_log()[log:], "the device is back", BACK)
        back = f"back after {time.monotonic() - begin:.0f} s"
    except TimeoutError:
        back = "not back"
        stage.check(False, f"{kind}: the device is not back after {BACK:.0f} s")
    told = world.device_log()[log:]
    lines = [line for line in told.splitlines() if line.strip()]
    cpu = _share(usage, used) - quiet
    stage.note(f"{kind}: {connections} connections, {cpu:.0%} of a core more, {grown / (1 << 20):.1f} MB more, {len(lines)} lines, "
               f"{back}: {lines[0][:150] if lines else 'nothing said'}")
    stage.check(connections > 0, f"{kind}: the device did not come: this run says nothing")
    stage.check(kind in TRUSTED or not requests, f"{kind}: gets a request of {len(b''.join(requests))} octets")
    stage.check(len(lines) <= LINES, f"{kind}: the journal has {len(lines)} lines of it")
    stage.check(words is None or words in told, f"{kind}: the journal does not say {words!r} but {told[:300]!r}")
    stage.check("cannot reach the hub" in told or "in time" in told, f"{kind}: the journal does not say that the hub is gone")
    stage.check(grown < GROWTH << 20, f"{kind}: lets the daemon grow by {grown / (1 << 20):.1f} MB")
    stage.check(cpu < CPU, f"{kind}: costs {cpu:.0%} of a core more")

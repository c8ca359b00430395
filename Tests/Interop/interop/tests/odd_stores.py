"""Stores that know no checksum, want MD5, have the bucket in another region, want it in the host's name or live two hours
ahead get each recording all the same, after one refusal; one that sends elsewhere, answers without end or with garbage gets
no foreign host a recording, costs no memory, and is named with what to do."""
import contextlib
import hashlib
import pathlib
import subprocess

from interop.odd_store import AWAY, BUCKET, FOREIGN, HOME, NAMES, OddStore
from interop.processes import wait_until
from interop.tests.archive_upload import is_uploaded, problems, record
from interop.world import World

#: How the requests go once the store is known, by what it is: the number of refusals, and what the journal says.
DIFFERENT = {
    "plain": (0, None), "b2": (1, 'checksums = "none"'), "r2": (1, 'checksums = "none"'), "locked": (1, 'checksums = "md5"'),
    "regional": (1, f"at {AWAY}"), "virtual": (1, f"at {BUCKET}.{HOME}"), "late": (1, "timedatectl"),
}
#: What stands in the status for each that means harm.
HARMFUL = {
    "kidnapper": FOREIGN, "endless-body": "the answer is too long", "endless-head": "cannot be reached",
    "garbage": "cannot be reached", "bomb": "status 400", "nested": "status 400", "terminal": "status 400",
}
#: Kilobytes by which a harmful answer may let the daemon grow.
GROWTH = 24_000


def run(context):
    with names_on_loopback(context.scratch), OddStore() as store:
        settings = {"upload": {
            "endpoint": f"http://{HOME}:{store.port}", "bucket": BUCKET, "region": "us-east-1",
            "credentials_file": str(credentials(context)), "allow_plain_http": True}, "archive": {"min_free": "1MiB"}}
        with World(context, settings=settings) as world:
            for kind, (refusals, words) in DIFFERENT.items():
                take(world, store, kind, refusals, words)
            for kind, words in HARMFUL.items():
                refuse(world, store, kind, words)
    return f"{len(DIFFERENT)} that differ, {len(HARMFUL)} that mean harm"


def credentials(context):
    path = context.scratch / "upload-credentials"
    path.write_text("AKIDEXAMPLE:secretsecret\n")
    path.chmod(0o600)
    return path


@contextlib.contextmanager
def names_on_loopback(folder):
    """The store's names lead to this machine for as long as the test runs; the mount namespace is the tests' own."""
    hosts = folder / "hosts"
    hosts.write_text(pathlib.Path("/etc/hosts").read_text() + f"\n127.0.0.1 {' '.join(NAMES)}\n")
    subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "/etc/hosts"], check=True)


def take(world, store, kind, refusals, words):
    restart(world, store, kind)
    archive_id = record(world, 1)
    [folder] = world.archive_folder.glob(f"*/*/*/{archive_id}")
    try:
        wait_until(lambda: is_uploaded(world, archive_id), f"{kind} has the recording", limit=20, interval=0.2)
    except TimeoutError as error:
        raise AssertionError(f"{error}: {problems(world)}, {store.requests}") from error
    sent = {name.rpartition("/")[2]: hashlib.sha256(body).hexdigest() for name, body in store.objects.items()}
    own = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.glob("*.*")}
    if own.items() - sent.items():
        raise AssertionError(f"{kind} has {sent}, the device {own}")
    if len(store.refusals()) != refusals:
        raise AssertionError(f"{kind} refused {store.refusals()}")
    if words and words not in world.device_log():
        raise AssertionError(f"the journal says nothing of {words}: {world.device_log()}")


def refuse(world, store, kind, words):
    restart(world, store, kind)
    before = world.device_use().kilobytes
    record(world, 1)
    wait_until(lambda: problems(world), f"the status tells of {kind}", limit=30, interval=0.2)
    [problem] = problems(world)
    if words not in problem["text"] or len(problem["text"]) > 900 or any(ord(letter) < 32 for letter in problem["text"]):
        raise AssertionError(f"of {kind} the status tells {problem['text']!r}")
    foreign = [request for request in store.requests if request[0] == FOREIGN]
    grown = world.device_use().kilobytes - before
    if foreign or grown > GROWTH:
        raise AssertionError(f"{kind}: {grown} kB more, requests elsewhere: {foreign}")


def restart(world, store, kind):
    """What the daemon knows of a store ends with it, and what it could not send with its archives."""
    world.stop_device()
    subprocess.run(["rm", "-rf", world.archive_folder], check=True)
    store.become(kind)
    world.start_device()

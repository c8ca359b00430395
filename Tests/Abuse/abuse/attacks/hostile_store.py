"""The store of uploads answers anything, without end, or sends elsewhere: recordings go on, all stays on the disk until
the store has it, memory is bounded, the log short, and no other host sees a request, no log a secret."""
import hashlib
import json
import time

from interop.odd_store import BUCKET, FOREIGN, HOME
from interop.processes import wait_until
from interop.tests.archive_upload import record
from interop.tests.odd_stores import names_on_loopback

from abuse.hostile_store import HostileStore

#: Started once there is a store.
HAS_DEVICE = False
#: Each store gets recordings of its own, which the device does not make of a call that it records.
HAS_CALL = False
KEY, SECRET = "AKIDEXAMPLE", "a-secret-of-the-stores-owner"
#: What the store is, and what `livesessions status` says of it; "" where more than one thing is right.
KINDS = {
    "circles": "", "abroad": "", "two-tags": "", "wrong-length": "", "errors-in-200": "", "wide-head": "", "swinging": "clock",
    "bomb": "status 400", "nested": "status 400", "terminal": "status 400", "garbage": "cannot be reached",
    "endless-body": "too long", "endless-head": "cannot be reached", "blanks": "", "continuing": None, "slow-head": None,
    "dripping": None,
}
#: How long a kind of which None is said is looked at: it takes minutes to be given up.
SECONDS, LIMIT = 5.0, 20.0
#: By which each kind may let the daemon grow, and what it may cost of a core.
GROWTH, CPU = 24_000, 0.5
#: Lines about the store for each kind: why something was not uploaded, and what was learnt.
LINES = 3
#: What a line about the store says.
ABOUT = ("upload", "store", "clock", "redirect")


def begin(stage):
    folder = stage.world.folder
    stage.keep(names_on_loopback(folder))
    stage.store = stage.keep(HostileStore())
    credentials = folder / "upload-credentials"
    credentials.write_text(f"{KEY}:{SECRET}\n")
    credentials.chmod(0o600)
    stage.store.become("circles")
    stage.world.change_settings({"upload": {
        "endpoint": f"http://{HOME}:{stage.store.port}", "bucket": BUCKET, "region": "us-east-1",
        "credentials_file": str(credentials), "allow_plain_http": True}})
    stage.world.start_device()


def attack(stage):
    recorded = [_meet(stage, kind, words) for kind, words in KINDS.items()]
    _require_all_kept(stage, recorded)
    _recover(stage, recorded)
    log = stage.world.device_log()
    for secret in (SECRET, "Signature=", KEY):
        stage.check(secret not in log, f"the log has {secret!r}")
    stage.check(FOREIGN not in stage.store.heads, f"another host is asked: {stage.store.heads.get(FOREIGN, [''])[0]}")
    heads = "".join(head for some in stage.store.heads.values() for head in some)
    stage.check(SECRET not in heads, "the secret itself is sent")


def _meet(stage, kind, words):
    """Has the device upload a new recording to such a store; returns the recording's id."""
    world, store = stage.world, stage.store
    store.become(kind)
    log, before, usage = len(world.device_log()), world.device_use().kilobytes, world.device_usage()
    failures = world.status()["upload"].get("failures", 0)
    archive = record(world, 1)

    def has_failed():
        return store.requests and world.status()["upload"].get("failures", 0) > failures

    try:
        wait_until(lambda: store.requests if words is None else has_failed(), f"{kind} is met", LIMIT, interval=0.3)
    except TimeoutError as error:
        stage.check(False, f"{error}: {len(store.requests)} requests, {world.status()['upload']}")
    if words is None:
        time.sleep(SECONDS)
    grown, used = world.device_use().kilobytes - before, world.device_usage()
    cpu = (used[1] - usage[1]) / (used[0] - usage[0])
    told = [line for line in world.device_log()[log:].splitlines() if any(word in line for word in ABOUT)]
    text = "".join(problem["text"] for problem in world.status().get("problems", []) if problem.get("part") == "upload")
    stage.note(f"{kind}: {len(store.requests)} requests, {grown / 1_024:.1f} MB more, {cpu:.0%} of a core, {len(told)} lines: {text[:140]}")
    stage.check(grown < GROWTH, f"{kind}: lets the daemon grow by {grown / 1_024:.1f} MB")
    stage.check(cpu < CPU, f"{kind}: costs {cpu:.0%} of a core")
    stage.check(len(told) <= LINES, f"{kind}: {len(told)} lines are logged, such as {told[-1:]}")
    stage.check(words is None or words in text, f"{kind}: the status says {text!r}")
    stage.check(len(text) < 900 and all(ord(letter) >= 32 for letter in text), f"{kind}: the status shows {text[:200]!r}")
    return archive


def _listed(stage):
    return {item["archiveID"]: item for item in json.loads(stage.world.command("archive", "list", "--json"))}


def _require_all_kept(stage, recorded):
    listed = _listed(stage)
    gone = [archive for archive in recorded if archive not in listed or not _folder(stage, archive)]
    stage.check(not gone, f"{len(gone)} recordings are gone")
    told = [archive for archive in recorded if listed.get(archive, {}).get("isUploaded")]
    stage.check(not told, f"{len(told)} of {len(recorded)} recordings count as uploaded, and the store has none")


def _folder(stage, archive):
    return next(stage.world.archive_folder.glob(f"*/*/*/{archive}"), None)


def _recover(stage, recorded):
    """A store that is right again gets everything."""
    stage.store.become("plain")
    begin, last = time.monotonic(), record(stage.world, 1)
    wanted = [*recorded, last]

    def are_all_uploaded():
        listed = _listed(stage)
        return all(listed[archive].get("isUploaded") for archive in wanted)

    try:
        wait_until(are_all_uploaded, "all is uploaded", 90, interval=0.5)
    except TimeoutError as error:
        stage.check(False, f"{error}: {stage.world.status()['upload']}, {stage.world.status().get('problems')}")
    stage.note(f"a right store has all {len(wanted)} recordings {time.monotonic() - begin:.0f} s later")
    sent = {hashlib.sha256(body).hexdigest() for body in stage.store.objects.values()}
    missing = [path.name for archive in wanted for path in _folder(stage, archive).glob("*.webm")
               if hashlib.sha256(path.read_bytes()).hexdigest() not in sent]
    stage.check(not missing, f"the store lacks {missing}")

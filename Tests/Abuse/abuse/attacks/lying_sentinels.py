"""The sentinels that tell a hub where Redis is name a replica, nobody, themselves or an impostor, change their minds ten times a
second, or answer without end: the hub goes on asking, within bounds, and is back by itself once they tell the truth."""
import subprocess
import time

from interop.hub_client import HubClient, Refused
from interop.processes import Child, free_port, wait_until
from interop.world import DEVICE, OPERATOR

from abuse.lying_sentinel import MASTER, Impostor, Sentinel
from abuse.memory import resident

#: Started once the hub has its Redis.
HAS_DEVICE = False
#: What the hub logs of each, "" for more than one thing.
KINDS = {
    "nobody": "Redis cannot be reached", "replica": "Redis cannot be reached", "itself": "Redis cannot be reached",
    "strange": "Redis cannot be reached", "silent": "Redis cannot be reached", "endless_text": "Redis cannot be reached",
    "endless_array": "Redis cannot be reached", "many_replies": "", "nested": "Redis cannot be reached",
    "dripping": "Redis cannot be reached", "flapping": "", "impostor": "",
}
SENTINELS = 3
#: Seconds of each, until all is well again, of CPU that the hub may use, and megabytes by which it may grow.
SECONDS, BACK, CPU, GROWTH = 6.0, 15.0, 0.3, 40
LINES = 4
CONFIGURATION = """
[redis]
sentinels = [{addresses}]
master = "{master}"
node = "hub-1"
"""


class _Redis:
    """A server, killed when left."""

    def __init__(self, folder, name, master=None):
        self.port = free_port()
        own = folder / f"redis-{name}"
        own.mkdir()
        more = ["--replicaof", "127.0.0.1", str(master.port)] if master else []
        self._child = Child(["redis-server", "--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--appendonly",
                             "no", "--repl-diskless-sync-delay", "0", "--dir", own, *more], own / "log")

    def __enter__(self):
        wait_until(lambda: self.ask("PING") == "PONG", "Redis answers", alive=[self._child])
        return self

    def __exit__(self, *_):
        self._child.kill()

    def ask(self, *words):
        finished = subprocess.run(["redis-cli", "-p", str(self.port), *words], capture_output=True, text=True, timeout=10,
                                  check=False)
        return finished.stdout.strip()

    def drop_clients(self):
        """What has the hub ask the sentinels anew."""
        for kind in ("normal", "pubsub"):
            self.ask("CLIENT", "KILL", "TYPE", kind)


def begin(stage):
    folder, world = stage.world.folder, stage.world
    stage.master = stage.keep(_Redis(folder, "master"))
    replica = stage.keep(_Redis(folder, "replica", stage.master))
    stage.impostor = stage.keep(Impostor())
    places = {"master": stage.master.port, "replica": replica.port, "nobody": free_port(), "impostor": stage.impostor.port}
    stage.sentinels = [stage.keep(Sentinel(places)) for _ in range(SENTINELS)]
    addresses = ", ".join(f'"127.0.0.1:{sentinel.port}"' for sentinel in stage.sentinels)
    path = folder / "hub.toml"
    path.write_text(path.read_text() + CONFIGURATION.format(addresses=addresses, master=MASTER))
    world.restart_hub()
    world.start_device()


def attack(stage):
    watcher = HubClient(stage.world.url)
    watcher.login(*OPERATOR)
    for kind, words in KINDS.items():
        # Without Redis nobody can log in, as is told with 503.
        with stage.logins.resting():
            _meet(stage, watcher, kind, words)
        time.sleep(2)


def _meet(stage, watcher, kind, words):
    log, begin = len(stage.world.hub_log()), time.monotonic()
    usage, memory = _usage(stage), _resident(stage)
    for sentinel in stage.sentinels:
        sentinel.become(kind)
    stage.master.drop_clients()
    peak = 0
    while time.monotonic() < begin + SECONDS:
        peak = max(peak, _resident(stage) - memory)
        time.sleep(0.05)
    cpu, questions = (_usage(stage) - usage) / (time.monotonic() - begin), sum(one.questions for one in stage.sentinels)
    for sentinel in stage.sentinels:
        sentinel.become("truth")
    begin = time.monotonic()
    try:
        wait_until(lambda: _is_well(watcher), "the hub is back", BACK, interval=0.5)
    except TimeoutError as error:
        stage.check(False, f"{kind}: {error}")
        stage.impostor.end_all()
    told = stage.world.hub_log()[log:]
    lines = told.splitlines()
    stage.note(f"{kind}: {questions} questions, {cpu:.0%} of a core, {peak / (1 << 20):.1f} MB more, back {time.monotonic() - begin:.1f} s "
               f"after the truth, {len(lines)} lines: {lines[0][-150:] if lines else 'nothing said'}")
    stage.check(questions > 0, f"{kind}: nobody was asked: this run says nothing")
    stage.check(cpu < CPU, f"{kind}: costs {cpu:.0%} of a core")
    stage.check(peak < GROWTH << 20, f"{kind}: lets the hub grow by {peak / (1 << 20):.1f} MB")
    stage.check(len(lines) <= LINES, f"{kind}: the log has {len(lines)} lines of it, such as {lines[-1:]}")
    stage.check(words in told, f"{kind}: the log does not say {words!r}")


def _is_well(watcher):
    """The device, whose presence lies in Redis, is seen."""
    try:
        return watcher.find(DEVICE)
    except (OSError, Refused):
        return False


def _usage(stage):
    return stage.world.usage_of(stage.world.hub)[1]


def _resident(stage):
    return resident(stage.world.hub.pid)

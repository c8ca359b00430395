"""Many watch; some come, stand still for half a second, or are killed: everybody else gets the encoder's rate."""
import bisect
import dataclasses
import random
import time

from interop import archives, webm
from interop.background import Background
from interop.calling import Caller
from interop.processes import wait_until
from interop.world import DEVICE_TONE, OPERATOR, World

VIEWERS, JOINING = 10, 60.0
SECONDS, PAUSE, STANDSTILL = 180.0, 4.0, 0.5
PASSWORD = "a pass phrase for those who watch"
#: Bits a second, of the encoder's 800,000: less is worth a word.
POOR = 600e3
#: What a viewer gets of the encoder's rate over half a second, and for how many seconds it may be less.
SHARE, LIMIT = 0.75, 3.0
WINDOW, STEP = 0.5, 0.1


@dataclasses.dataclass
class Viewer:
    """One who watches as long as the process lives."""

    name: str
    caller: Caller
    ended: float = float("inf")


class Audience:
    """Everybody who watches, and who has watched."""

    def __init__(self, context, world):
        self._context, self._world = context, world
        self._chance = random.Random(context.seed)
        self._names = [f"Viewer {number}" for number in range(VIEWERS)]
        self.everybody = []
        #: How often each thing was done.
        self.done = {"joins": 0, "standstills": 0, "kills": 0}

    def __enter__(self):
        for name in self._names:
            self._world.change_accounts(
                "add-user", "--title", name, "--role", "operator", "--password-file", "-", words=PASSWORD + "\n")
        return self

    def __exit__(self, *_):
        for viewer in self._present:
            viewer.caller.__exit__()

    @property
    def _present(self):
        return [viewer for viewer in self.everybody if viewer.ended == float("inf")]

    def fill(self):
        """Everybody comes, one after the other."""
        while len(self._present) < VIEWERS:
            self._join()
            self.everybody[-1].caller.wait_for("frame", limit=JOINING)

    def stir(self):
        """Somebody stands still, leaves without a word, or comes when there is room."""
        if len(self._present) < VIEWERS and self._chance.random() < 0.5:
            self._join()
        elif self._chance.random() < 0.3:
            self._kill()
        else:
            self._stop()

    def _join(self):
        name = min(set(self._names) - {viewer.name for viewer in self._present})
        caller = Caller(self._context, self._world, 3600, person=(name, PASSWORD),
                        name=f"viewer-{len(self.everybody)}", options=["--offer", "receive-only", "--count"])
        self.everybody.append(Viewer(name, caller.__enter__()))
        self.done["joins"] += 1

    def _kill(self):
        viewer = self._chance.choice(self._present)
        viewer.ended = time.monotonic()
        viewer.caller.__exit__()
        self.done["kills"] += 1

    def _stop(self):
        with self._chance.choice(self._present).caller.stopped():
            time.sleep(STANDSTILL)
        self.done["standstills"] += 1


class Octets:
    """How many came until when."""

    def __init__(self, frames):
        self.times = [at for at, _ in frames]
        self._sums = [0]
        for _, octets in frames:
            self._sums.append(self._sums[-1] + octets)

    def between(self, begin, end):
        return self._sums[bisect.bisect(self.times, end)] - self._sums[bisect.bisect(self.times, begin)]


class Machine(Background):
    """How late the machine wakes somebody who sleeps: a viewer that gets no time of it looks like one that stands still."""

    def __init__(self):
        super().__init__()
        self._late = []

    def __str__(self):
        late = sorted(self._late)
        often, at_most = (1e3 * late[int(share * (len(late) - 1))] for share in (0.95, 1))
        return f"the machine wakes a sleeper {often:.0f} ms late in one of twenty times, {at_most:.0f} ms at most"

    def _run(self):
        while not self._is_over.is_set():
            due = time.monotonic() + 0.02
            time.sleep(0.02)
            self._late.append(time.monotonic() - due)


def run(context):
    settings = {"calls": {"max_sessions": 2 * VIEWERS}}
    with World(context, settings=settings) as world, Audience(context, world) as audience, Machine() as machine:
        with Caller(context, world, 3600, person=OPERATOR, options=["--count"]) as talker:
            talker.wait_for("frame")
            begin, end = _play(audience)
            session = talker.events("answered")[0]["session"]
            world.command("hangup", session)
            encoded = _encoded(world, session)
    spells = [_poor_spell(viewer, encoded, begin, end) for viewer in audience.everybody]
    longest = max(spells)
    poor, all_seconds = (sum(one) for one in zip(*(_poor_seconds(viewer, begin, end) for viewer in audience.everybody)))
    words = (f"{VIEWERS} viewers and a talker, {audience.done} in {end - begin:.0f} s: less than {SHARE:.0%} of the "
             f"encoder's rate for {longest:.1f} s at most, for {', '.join(f'{one:.1f}' for one in sorted(spells))} s; "
             f"{poor} of {all_seconds} viewers' seconds had less than {POOR / 1e3:.0f} kbit/s; "
             f"the encoder's rate was {8 * encoded.between(begin, end) / (end - begin) / 1e3:.0f} kbit/s; {machine}")
    if longest > LIMIT:
        raise AssertionError(words)
    return words


def _play(audience):
    """All that happens; returns when it began and ended."""
    audience.fill()
    begin = time.monotonic()
    while time.monotonic() < begin + SECONDS:
        time.sleep(PAUSE)
        audience.stir()
    time.sleep(PAUSE)
    return begin, time.monotonic()


def _encoded(world, session):
    """What the encoder made, as the recording of the talker's call tells it."""
    def finished():
        return [one for one in archives.read(world.archive_folder)
                if one.manifest["sessionId"] == session and one.manifest["status"] not in ("started", "stopped")]
    [archive] = wait_until(finished, "the talker's recording is complete", limit=20)
    path = archive.file_with_tone(DEVICE_TONE)
    began = archive.began(path)
    return Octets([(began + at, octets) for at, octets in webm.packets(path, "v")])


def _poor_seconds(viewer, begin, end):
    """How many whole seconds of a viewer had less than :data:`POOR`, and how many there were."""
    received = Octets([(event["at"], event["octets"]) for event in viewer.caller.events("frame")])
    if not received.times:
        return 0, 0
    first, last = max(begin, received.times[0]), min(end, viewer.ended)
    seconds = [first + number for number in range(int(max(0, last - first)))]
    return sum(8 * received.between(at, at + 1) < POOR for at in seconds), len(seconds)


def _poor_spell(viewer, encoded, begin, end):
    """For how long the viewer got too little, at the longest, from its first picture on."""
    received = Octets([(event["at"], event["octets"]) for event in viewer.caller.events("frame")])
    if not received.times:
        return 0.0
    at, end = max(begin, received.times[0]) + WINDOW, min(end, viewer.ended)
    since, longest = None, 0.0
    while at < end:
        is_poor = received.between(at - WINDOW, at) < SHARE * encoded.between(at - WINDOW, at)
        since = (at if since is None else since) if is_poor else None
        longest = max(longest, at - since + STEP if is_poor else 0.0)
        at += STEP
    return longest

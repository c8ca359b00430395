"""The real daemon, with a hub of its own, recorded and called."""
import dataclasses
import time

from bench import usage
from interop import archives
from interop.calling import Caller
from interop.world import World


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """What the daemon holds at one moment."""

    moment: str
    anonymous: int
    resident: int
    threads: int
    descriptors: dict


@dataclasses.dataclass(frozen=True)
class Stretch:
    """CPU seconds of some time: of the whole daemon, and of each media thread."""

    seconds: float
    total: float
    threads: dict

    @property
    def share(self):
        """Percent of one core."""
        return 100 * self.total / self.seconds


class Device(World):
    """A hub and a device; what the daemon uses is kept in :attr:`snapshots`."""

    def __init__(self, context, camera=World.camera, microphone=World.microphone, settings=None):
        self.camera, self.microphone = camera, microphone
        super().__init__(context, settings=settings)
        self._context = context
        self._recordings = 0
        self.snapshots = []
        self.last_recording = None

    @property
    def pid(self):
        return self._device.pid

    def take_snapshot(self, moment):
        self.snapshots.append(Snapshot(
            moment, usage.anonymous_memory(self.pid), usage.resident_memory(self.pid), usage.thread_count(self.pid),
            usage.descriptors(self.pid)))

    def rest(self, seconds):
        """CPU time of doing nothing but being online."""
        return self._measure(lambda: time.sleep(seconds))

    def record(self, seconds, moment=None):
        """Records without a call; returns the CPU time from `archive start` to after `archive stop`."""
        before, begin = usage.cpu_time(self.pid), time.monotonic()
        threads_before = usage.thread_times(self.pid)
        self.command("archive", "start")
        if moment:
            time.sleep(seconds / 2)
            self.take_snapshot(moment)
        time.sleep(max(0, begin + seconds - time.monotonic()))
        threads_after = usage.thread_times(self.pid)
        self.command("archive", "stop")
        self._recordings += 1
        self.last_recording = archives.wait_for(self.archive_folder, self._recordings)[-1].files[0]
        total = usage.cpu_time(self.pid) - before
        return Stretch(seconds, total, _by_name(threads_after, threads_before, total))

    def call(self, seconds, moment=None):
        """Calls the device, which records by rule; returns the caller's events, and the CPU time while connected."""
        with TimedCaller(self._context, self, seconds=seconds) as caller:
            caller.wait_for("connected")
            caller.wait_for("received")
            stretch = self._measure(lambda: time.sleep(seconds / 2))
            if moment:
                self.take_snapshot(moment)
            caller.wait_for("ended", limit=seconds + 20)
            events = caller.events()
        self._recordings += 1
        archives.wait_for(self.archive_folder, self._recordings)
        return events, stretch

    def _measure(self, pass_time):
        before, threads, begin = usage.cpu_time(self.pid), usage.thread_times(self.pid), time.monotonic()
        pass_time()
        total, seconds = usage.cpu_time(self.pid) - before, time.monotonic() - begin
        return Stretch(seconds, total, _by_name(usage.thread_times(self.pid), threads, total))


class TimedCaller(Caller):
    """The caller of the interoperability tests, which also tells when it asks for the session."""

    def __init__(self, context, world, seconds):
        super().__init__(context, world, seconds)
        self._arguments[self._arguments.index("interop.caller")] = "bench.caller"


#: Threads that carry media; everything else is Swift's and NIO's pools, and the network loop without a call.
MEDIA_THREADS = ("media-source", "media-video", "media-audio", "archive", "ls-network")


def _by_name(after, before, total):
    """CPU seconds of each media thread between two readings; what no media thread used is the rest."""
    times = dict.fromkeys(MEDIA_THREADS, 0.0)
    for thread, seconds in after.items():
        if thread[1] in times:
            times[thread[1]] += seconds - before.get(thread, 0)
    return times | {"the rest: Swift's and NIO's pools": total - sum(times.values())}

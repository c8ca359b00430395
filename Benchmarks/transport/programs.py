"""The processes that the benchmarks of the transport start, and how they are talked to."""
import dataclasses
import os
import pathlib
import subprocess
import time

from bench import usage

#: Where everything listens in the namespace.
ADDRESS = "127.0.0.1"


@dataclasses.dataclass(frozen=True)
class Carried:
    """What a session has carried."""

    connected: bool
    sent: int
    received: int
    pictures: int
    sounds: int
    resent: int


def await_end(process):
    """Waits for a process that was asked to end; insists after 10 s."""
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


class CommandError(Exception):
    """A program refused a command."""


class Program:
    """A process of transport-bench that takes commands, one a line."""

    def __init__(self, binary, *arguments, prepare=None):
        self._process = subprocess.Popen([binary, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         text=True, bufsize=1, preexec_fn=prepare)

    @property
    def pid(self):
        return self._process.pid

    def ask(self, word, name="", description=""):
        lines = description.replace("\r\n", "\t").replace("\n", "\t")
        self._process.stdin.write(f"{word}\t{name}\t{lines}\n")
        status, _, reply = self._process.stdout.readline().rstrip("\n").partition("\t")
        if status != "ok":
            raise CommandError(f"{word}: {reply or 'the program has ended'}")
        return reply

    def describe(self, word, name="", description=""):
        """As ask(), for replies that are session descriptions."""
        return self.ask(word, name, description).replace("\t", "\r\n") + "\r\n"

    def statistics(self):
        sessions = {}
        for line in filter(None, self.ask("statistics").split("\t")):
            name, connected, *counts = line.split()
            sessions[name] = Carried(connected == "1", *map(int, counts))
        return sessions

    def memory(self):
        return usage.anonymous_memory(self.pid)

    def cpu_time(self):
        return usage.cpu_time(self.pid)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # They end with their standard input.
        self._process.stdin.close()
        await_end(self._process)


class Server(Program):
    """The network loop that is measured."""

    def __init__(self, binary, address=ADDRESS):
        super().__init__(binary, "serve", address, 0)
        self.port = int(self.ask("port"))

    def connect(self, viewers, number):
        """Has a viewer of `viewers` call."""
        offer = viewers.describe("offer", number)
        viewers.ask("accept", number, self.describe("answer", number, offer))

    def hang_up(self, viewers, number):
        self.ask("hangup", number)
        viewers.ask("hangup", number)

    def network_time(self):
        """CPU seconds of the thread that sends and receives."""
        return sum(seconds for (_, name), seconds in usage.thread_times(self.pid).items() if name == "ls-network")

    def pushes(self):
        """When pictures were pushed since the last call, in seconds of the monotonic clock."""
        return [int(text) / 1e9 for text in self.ask("pushes").split()]

    def dropped(self):
        """Datagrams that found the socket's buffer full."""
        rows = [line.split() for line in pathlib.Path("/proc/net/udp").read_text().splitlines()[1:]]
        return sum(int(row[-1]) for row in rows if int(row[1].split(":")[1], 16) == self.port)


class Viewers(Program):
    """The peers.

    They run as a batch: when a datagram wakes one, it does not push aside whoever has sent it, as no peer on another
    machine would.
    """

    def __init__(self, binary, count, address=ADDRESS):
        super().__init__(binary, "watch", address, count, prepare=_become_batch)

    def wait_for_pictures(self, numbers, seconds=10):
        """Until each of these has received a picture."""
        end, missing = time.monotonic() + seconds, {str(number) for number in numbers}
        while missing:
            if time.monotonic() > end:
                raise TimeoutError(f"viewers {', '.join(sorted(missing))} have not seen a picture in {seconds} s")
            time.sleep(0.02)
            missing -= {name for name, carried in self.statistics().items() if carried.pictures}


def _become_batch():
    os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))

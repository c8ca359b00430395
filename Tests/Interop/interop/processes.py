"""Child processes that cannot outlive a test."""
import os
import pathlib
import signal
import socket
import subprocess
import time


class Child:
    """A process in a group of its own, its output in a file, with `variables` added to its environment."""

    def __init__(self, arguments, log: pathlib.Path, variables=None, *, obeys=False, is_hurried=False):
        """One that `obeys` gets what :meth:`tell` writes; one that `is_hurried` goes before all others."""
        self.name = pathlib.Path(arguments[0]).name
        self.log = log
        with open(log, "ab") as output:
            self._process = subprocess.Popen(
                [str(argument) for argument in arguments], stdin=subprocess.PIPE if obeys else subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **(variables or {})},
                preexec_fn=hurry if is_hurried else None)

    @property
    def pid(self):
        return self._process.pid

    @property
    def is_running(self):
        return self._process.poll() is None

    def tell(self, line):
        """Writes a line to its standard input."""
        self._process.stdin.write(f"{line}\n".encode())
        self._process.stdin.flush()

    def kill(self):
        """Ends the whole group at once."""
        self._signal_group(signal.SIGKILL)
        return self._process.wait(timeout=10)

    def stop(self, limit=10.0):
        """Asks the process to end and returns its exit code; insists after `limit` seconds."""
        if self.is_running:
            self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise TimeoutError(f"{self.name} did not end within {limit} s of SIGTERM") from None
        self._signal_group(signal.SIGKILL)
        return code

    def last_words(self, lines=40):
        text = self.log.read_text(errors="replace").splitlines()
        return "\n".join(f"  {self.name}: {line}" for line in text[-lines:])

    def _signal_group(self, number):
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            pass


def hurry():
    """Lets this process, and what it starts, go before all others; nothing happens where that is forbidden."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(3))
    except PermissionError:
        pass


class Running:
    """A :class:`Child` while entered, killed when left."""

    def __init__(self, arguments, output):
        self._arguments = arguments
        self._output = output
        self._child = None

    def __enter__(self):
        self._child = Child(self._arguments, self._output)
        return self

    def __exit__(self, *_):
        self._child.kill()


def wait_until(condition, what, limit=10.0, interval=0.05, alive=()):
    """Polls `condition` until it returns something true, which is returned; gives up when a process in `alive` ends."""
    deadline = time.monotonic() + limit
    while True:
        result = condition()
        if result:
            return result
        for child in alive:
            if not child.is_running:
                raise RuntimeError(f"{child.name} ended while waiting until {what}\n{child.last_words()}")
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {limit:.0f} s until {what}")
        time.sleep(interval)


def free_port(kind=socket.SOCK_STREAM):
    """A port of the loopback interface that nobody uses; the namespace is ours, so nobody will take it meanwhile."""
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]

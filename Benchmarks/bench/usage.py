"""What the kernel says that a process uses."""
import os
import pathlib
import time

#: The kind of clock that counts a process's CPU time (see clock_getcpuclockid(3)).
_SCHEDULED = 2
_TICKS = os.sysconf("SC_CLK_TCK")


def cpu_time(pid):
    """CPU seconds of all threads of a process, ended ones included: utime + stime of its stat, but in nanoseconds."""
    return time.clock_gettime(~pid << 3 | _SCHEDULED)


def thread_times(pid):
    """CPU seconds of each living thread, by its number and name."""
    times = {}
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            name = (task / "comm").read_text().strip()
            times[int(task.name), name] = int((task / "schedstat").read_text().split()[0]) / 1e9
        except FileNotFoundError:
            # The thread ended meanwhile.
            continue
    return times


def anonymous_memory(pid, absent=None):
    """Bytes of RssAnon: memory that is the process's own and would have to be swapped.

    With `absent`, a process that has ended has that many.
    """
    try:
        return _status(pid, "RssAnon") * 1024
    except (StopIteration, FileNotFoundError, ProcessLookupError):
        if absent is None:
            raise
        return absent


def resident_memory(pid):
    """Bytes of VmRSS: also counts pages of the programs' and libraries' files."""
    return _status(pid, "VmRSS") * 1024


def _status(pid, key):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key + ":"))


def descriptors(pid):
    """What each descriptor is, by number."""
    folder, found = pathlib.Path(f"/proc/{pid}/fd"), {}
    for name in os.listdir(folder):
        try:
            found[int(name)] = os.readlink(folder / name)
        except FileNotFoundError:
            # Closed meanwhile.
            continue
    return found


def thread_count(pid):
    return len(os.listdir(f"/proc/{pid}/task"))


def machine_busy_time():
    """CPU seconds of everything on this machine, and those that it lacked because its host gave them to others."""
    user, nice, system, _, _, irq, softirq, steal = map(
        int, pathlib.Path("/proc/stat").read_text().splitlines()[0].split()[1:9])
    return (user + nice + system + irq + softirq) / _TICKS, steal / _TICKS

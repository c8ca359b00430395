"""Network namespaces, entered by one thread; Python has this in its library from 3.12 on."""
import contextlib
import ctypes
import os

NEW_NETWORK = 0x4000_0000

_libc = ctypes.CDLL(None, use_errno=True)


def leave():
    """Puts the calling thread into a new network namespace."""
    _require(_libc.unshare(NEW_NETWORK), "unshare")


def enter(descriptor):
    _require(_libc.setns(descriptor, NEW_NETWORK), "setns")


def current():
    """A descriptor of the calling thread's namespace, which lives as long as the descriptor."""
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


@contextlib.contextmanager
def inside(path):
    """Sockets that are made here belong to the namespace at `path`; with None to the present one."""
    if path is None:
        yield
        return
    home, there = current(), os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        enter(there)
        yield
    finally:
        enter(home)
        os.close(home)
        os.close(there)


def _require(result, what):
    if result:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")

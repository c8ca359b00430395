"""Streams of sound from and to PulseAudio, of a latency that holds: 48 kHz, 16 bits, mono."""
import ctypes
import functools

import numpy

RATE = 48_000
#: Samples of a block: 10 ms.
BLOCK = RATE // 100
_BYTES = 2
_SIGNED_16 = 3
_PLAYBACK, _RECORD = 1, 2
_DEFAULT = 0xFFFF_FFFF


class StreamEnded(Exception):
    """The server or the device is gone, or was not there."""


class _Specification(ctypes.Structure):
    _fields_ = [("format", ctypes.c_int), ("rate", ctypes.c_uint32), ("channels", ctypes.c_uint8)]


class _Lengths(ctypes.Structure):
    """Bytes: of the buffer at most, played ahead, before it begins, asked for at once, delivered at once."""

    _fields_ = [(name, ctypes.c_uint32) for name in ("most", "target", "before", "request", "fragment")]


@functools.cache
def _library():
    library = ctypes.CDLL("libpulse-simple.so.0")
    library.pa_simple_new.restype = ctypes.c_void_p
    library.pa_simple_new.argtypes = [*[ctypes.c_char_p] * 2, ctypes.c_int, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p] * 4]
    for name in ("pa_simple_write", "pa_simple_read"):
        getattr(library, name).argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
    library.pa_simple_free.argtypes = [ctypes.c_void_p]
    return library


class _Stream:
    def __init__(self, server, direction, device, lengths):
        error = ctypes.c_int()
        self._handle = _library().pa_simple_new(
            server.encode(), b"interop", direction, device.encode(), b"interop",
            ctypes.byref(_Specification(_SIGNED_16, RATE, 1)), None, ctypes.byref(lengths), ctypes.byref(error))
        if not self._handle:
            raise StreamEnded(f"{device}: PulseAudio's error {error.value}")

    def close(self):
        if self._handle:
            _library().pa_simple_free(self._handle)
        self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _move(self, name, samples):
        error = ctypes.c_int()
        if getattr(_library(), name)(self._handle, samples.ctypes.data, samples.nbytes, ctypes.byref(error)) < 0:
            raise StreamEnded(f"{name}: PulseAudio's error {error.value}")


class Playing(_Stream):
    """Sound into a sink."""

    def __init__(self, server, sink, milliseconds):
        length = milliseconds * RATE // 1000 * _BYTES
        super().__init__(server, _PLAYBACK, sink, _Lengths(_DEFAULT, length, _DEFAULT, BLOCK * _BYTES // 2, _DEFAULT))

    def write(self, samples):
        """Waits until there is room."""
        self._move("pa_simple_write", numpy.ascontiguousarray(samples, numpy.int16))


class Listening(_Stream):
    """Sound out of a source."""

    def __init__(self, server, source, milliseconds):
        length = milliseconds * RATE // 1000 * _BYTES
        super().__init__(server, _RECORD, source, _Lengths(_DEFAULT, _DEFAULT, _DEFAULT, _DEFAULT, length))

    def read(self, count=BLOCK):
        """The next samples, once all of them are there."""
        samples = numpy.empty(count, numpy.int16)
        self._move("pa_simple_read", samples)
        return samples

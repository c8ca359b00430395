"""What the camera says about itself: descriptors of USB 2.0 and of the USB Video Class 1.1."""
import dataclasses
import struct

#: The Linux Foundation's webcam gadget, which is what this is.
VENDOR, PRODUCT = 0x1D6B, 0x0102
STRINGS = ["LiveSessions", "Test camera", "0001"]

DEVICE, CONFIGURATION, STRING, INTERFACE, ENDPOINT, ASSOCIATION, CLASS_INTERFACE = 1, 2, 3, 4, 5, 11, 0x24
VIDEO_CLASS, CONTROL_SUBCLASS, STREAMING_SUBCLASS, COLLECTION_SUBCLASS = 14, 1, 2, 3
CONTROL_INTERFACE, STREAMING_INTERFACE = 0, 1
STREAMING_ENDPOINT = 0x81
CLOCK_FREQUENCY = 1_000_000

#: Intervals between pictures are in units of 100 ns.
TICKS = 10_000_000
YUY2_GUID = bytes.fromhex("5955593200001000800000aa00389b71")


@dataclasses.dataclass(frozen=True)
class Mode:
    """A format and a size, with the rates that it has there."""

    fourcc: str
    width: int
    height: int
    rates: tuple
    # Numbers that PROBE and COMMIT use; they count from 1.
    format_index: int
    frame_index: int

    @property
    def intervals(self):
        return [TICKS // rate for rate in self.rates]

    @property
    def largest_picture(self):
        return self.width * self.height * 2

    @property
    def name(self):
        return f"{self.fourcc}-{self.width}x{self.height}"


def read_modes(text):
    """Lines such as `MJPG 640 360 30 15`, those of a format together; the first rate is the usual one."""
    modes, formats = [], []
    for line in text.splitlines():
        fourcc, width, height, *rates = line.split()
        if fourcc not in formats:
            formats.append(fourcc)
        frame = 1 + sum(mode.fourcc == fourcc for mode in modes)
        modes.append(Mode(fourcc, int(width), int(height), tuple(map(int, rates)), len(formats), frame))
    return modes


def descriptor(kind, body):
    return bytes([len(body) + 2, kind]) + body


def device():
    return descriptor(DEVICE, struct.pack("<H4BHHH4B", 0x0200, 0xEF, 2, 1, 64, VENDOR, PRODUCT, 0x0100, 1, 2, 3, 1))


def string(index):
    """Number 0 is the list of languages: English alone."""
    return descriptor(STRING, struct.pack("<H", 0x0409) if index == 0 else STRINGS[index - 1].encode("utf-16-le"))


def configuration(modes):
    parts = descriptor(ASSOCIATION, bytes([CONTROL_INTERFACE, 2, VIDEO_CLASS, COLLECTION_SUBCLASS, 0, 0]))
    parts += _interface(CONTROL_INTERFACE, 0, CONTROL_SUBCLASS) + _control()
    parts += _interface(STREAMING_INTERFACE, 1, STREAMING_SUBCLASS) + _streaming(modes)
    parts += descriptor(ENDPOINT, struct.pack("<BBHB", STREAMING_ENDPOINT, 2, 512, 0))
    # Bus powered, 100 mA.
    return descriptor(CONFIGURATION, struct.pack("<HBBBBB", 9 + len(parts), 2, 1, 0, 0x80, 50)) + parts


def _interface(number, endpoints, subclass):
    return descriptor(INTERFACE, bytes([number, 0, endpoints, VIDEO_CLASS, subclass, 0, 0]))


def _control():
    """A camera terminal without controls, which an output terminal hands to the streaming interface."""
    sensor = descriptor(CLASS_INTERFACE, struct.pack("<BBHBBHHHB3s", 2, 1, 0x0201, 0, 0, 0, 0, 0, 3, bytes(3)))
    output = descriptor(CLASS_INTERFACE, struct.pack("<BBHBBB", 3, 2, 0x0101, 0, 1, 0))
    total = 13 + len(sensor) + len(output)
    header = struct.pack("<BHHIBB", 1, 0x0110, total, CLOCK_FREQUENCY, 1, STREAMING_INTERFACE)
    return descriptor(CLASS_INTERFACE, header) + sensor + output


def _streaming(modes):
    formats = list(dict.fromkeys(mode.fourcc for mode in modes))
    parts = b"".join(_format([mode for mode in modes if mode.fourcc == fourcc]) for fourcc in formats)
    total = 13 + len(formats) + len(parts)
    header = struct.pack("<BBHB6B", 1, len(formats), total, STREAMING_ENDPOINT, 0, 2, 0, 0, 0, 1) + bytes(len(formats))
    return descriptor(CLASS_INTERFACE, header) + parts


def _format(modes):
    index, frames = modes[0].format_index, len(modes)
    if modes[0].fourcc == "MJPG":
        kind, body = 6, bytes([6, index, frames, 1, 1, 0, 0, 0, 0])
    else:
        kind, body = 4, struct.pack("<BBB16sB5B", 4, index, frames, YUY2_GUID, 16, 1, 0, 0, 0, 0)
    # BT.709's primaries and transfer, BT.601's matrix: what sRGB cameras say.
    colours = descriptor(CLASS_INTERFACE, bytes([0x0D, 1, 1, 4]))
    return descriptor(CLASS_INTERFACE, body) + b"".join(_frame(kind + 1, mode) for mode in modes) + colours


def _frame(kind, mode):
    bits = [mode.largest_picture * 8 * rate for rate in (min(mode.rates), max(mode.rates))]
    body = struct.pack(
        "<BBBHH4IB", kind, mode.frame_index, 0, mode.width, mode.height, *bits, mode.largest_picture,
        mode.intervals[0], len(mode.intervals))
    return descriptor(CLASS_INTERFACE, body + struct.pack(f"<{len(mode.intervals)}I", *mode.intervals))

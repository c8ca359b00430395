"""PROBE and COMMIT of the USB Video Class 1.1: which mode and rate the camera will deliver."""
import dataclasses
import struct

#: bmHint, format, frame, interval, five values of compression that are not used, sizes, clock, framing, versions.
CONTROL = struct.Struct("<HBBI5HIIIBBBB")
#: What one bulk transfer of uvcvideo holds at most.
PAYLOAD_SIZE = 16_384


@dataclasses.dataclass(frozen=True)
class Choice:
    mode: object
    #: In units of 100 ns.
    interval: int

    def encode(self):
        return CONTROL.pack(
            1, self.mode.format_index, self.mode.frame_index, self.interval, 0, 0, 0, 0, 0, self.mode.largest_picture,
            PAYLOAD_SIZE, 1_000_000, 3, 0, 0, 0)


def usual(modes):
    return Choice(modes[0], modes[0].intervals[0])


def nearest(modes, data):
    """What the camera can do that is nearest to what it is asked for."""
    _, format_index, frame_index, interval = struct.unpack_from("<HBBI", data.ljust(CONTROL.size, b"\0"))
    of_format = [mode for mode in modes if mode.format_index == format_index] or modes
    mode = next((mode for mode in of_format if mode.frame_index == frame_index), of_format[0])
    return Choice(mode, min(mode.intervals, key=lambda offered: abs(offered - interval)))

"""Pictures at their time, cut into payloads of the USB Video Class; and what can be wrong with them."""
import struct
import time

from descriptors import TICKS

HEADER_SIZE = 6
FRAME_ID, END_OF_FRAME, HAS_TIME, ERROR, END_OF_HEADER = 0x01, 0x02, 0x04, 0x40, 0x80
END_OF_IMAGE = b"\xff\xd9"

#: What a fault makes of a picture.
DAMAGE = {
    # The rest was lost.
    "truncated": lambda picture: picture[: len(picture) // 2],
    # The middle was lost, the end marker was not.
    "hollow": lambda picture: picture[: len(picture) // 2] + END_OF_IMAGE,
    # Nothing but a beginning that promises a picture.
    "headless": lambda picture: picture[:2] + END_OF_IMAGE,
}


class Stream:
    """What is delivered in one mode, from COMMIT until the host stops it."""

    def __init__(self, choice, pictures, payload_size):
        self._pictures = pictures
        self._room = payload_size - HEADER_SIZE
        self._interval = choice.interval / TICKS
        self._number = 0
        self._rest = b""
        self._frame_id = 0
        self._taken_at = 0
        self.due = time.monotonic() + self._interval
        #: Pictures for which the host had no transfers in time.
        self.skipped = 0
        self.begun = 0

    def advance(self, now, fault):
        """Begins the picture whose time has come."""
        while self.due <= now:
            self.due += self._interval
            self._number += 1
            if fault == "silent":
                continue
            if self._rest:
                self.skipped += 1
                continue
            picture = self._pictures[self._number % len(self._pictures)]
            self._rest = DAMAGE.get(fault, bytes)(picture)
            self._frame_id ^= FRAME_ID
            self._taken_at = int(now * 1_000_000) & 0xFFFF_FFFF
            self.begun += 1

    def next_payload(self, fault):
        """The next piece of the picture that is under way, or None."""
        if not self._rest:
            return None
        piece, self._rest = self._rest[: self._room], self._rest[self._room :]
        flags = END_OF_HEADER | HAS_TIME | self._frame_id
        if not self._rest:
            flags |= END_OF_FRAME
        if fault == "marked":
            flags |= ERROR
        return struct.pack("<BBI", HEADER_SIZE, flags, self._taken_at) + piece

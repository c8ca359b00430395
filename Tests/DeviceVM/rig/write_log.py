"""The log that the kernel's dm-log-writes keeps of a disk (Documentation/admin-guide/device-mapper/log-writes.rst).

A write stands in it when a flush that began after the write's completion is complete itself; one that goes past the disk's
cache (FUA), and a mark, at once.
"""
import dataclasses
import struct

SECTOR = 512
FLUSH, FUA, DISCARD, MARK = 1, 2, 4, 8
MAGIC = 0x6A736677736872
HEAD = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")


@dataclasses.dataclass(frozen=True)
class Entry:
    flags: int
    # Bytes from the disk's beginning.
    offset: int
    data: bytes = b""
    mark: str = ""

    @property
    def is_barrier(self):
        """What it writes, or what was written before it, is on the disk for good."""
        return bool(self.flags & (FLUSH | FUA))

    @property
    def is_cached(self):
        """It may be lost, or be late, until a flush is complete."""
        return bool(self.data) and not self.is_barrier


def read(path, begin):
    """The entries of the log that begins at byte `begin` of a file."""
    with open(path, "rb") as file:
        file.seek(begin)
        magic, version, count, sector_size = HEAD.unpack(file.read(HEAD.size))
        if (magic, version, sector_size) != (MAGIC, 1, SECTOR):
            raise ValueError(f"no log of writes: {magic:#x}, version {version}, sectors of {sector_size}")
        file.seek(begin + SECTOR)
        return [_read_entry(file) for _ in range(count)]


def _read_entry(file):
    head = file.read(SECTOR)
    sector, sectors, flags, length = ENTRY.unpack_from(head)
    if flags & DISCARD:
        raise ValueError("the log has a discard, whose effect is not defined")
    if flags & MARK:
        return Entry(flags, 0, mark=head[ENTRY.size : ENTRY.size + length].decode())
    return Entry(flags, sector * SECTOR, file.read(sectors * SECTOR))

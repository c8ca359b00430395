"""What a disk may hold after a power cut, made from the log of its writes.

At any moment all is on the disk that was written before the last complete flush, and any part of what came since: a disk's
cache is free to choose.
"""
import dataclasses
import os
import random
import subprocess

#: Bytes that a disk writes wholly or not at all: no more than a block of the file system.
PIECE = 1024
#: How often each way to lose a part of what was not flushed is tried.
DRAWS = 2


@dataclasses.dataclass(frozen=True)
class State:
    number: int
    #: So many entries of the log have happened.
    settled: int
    #: The power goes before this entry has happened; marks before it have.
    horizon: int
    #: What else has reached the disk: offsets and bytes.
    extra: tuple
    #: What became of the writes that were not flushed.
    fate: str


def plan(entries, begin, seed):
    """All states from entry `begin` on: one for each barrier, and for each flush some with a part of what it flushes."""
    drawn = random.Random(seed)
    barriers = [index for index, entry in enumerate(entries) if entry.is_barrier and index >= begin]
    changes = [(last, barrier) for last, barrier in zip(barriers, barriers[1:]) if _changes(entries, last, barrier)]
    states = []
    for (last, barrier), (_, following) in zip(changes, changes[1:]):
        for _ in range(DRAWS):
            for fate, extra in _partial(_cached(entries, last, barrier), drawn):
                states.append(State(len(states), last + 1, barrier, extra, fate))
        states.append(State(len(states), barrier + 1, following, (), "lost"))
    return states


def _cached(entries, last, barrier):
    return [(entry.offset, entry.data) for entry in entries[last + 1 : barrier] if entry.is_cached]


def _changes(entries, last, barrier):
    return bool(entries[barrier].data) or any(entry.is_cached for entry in entries[last + 1 : barrier])


def _partial(writes, drawn):
    """Ways in which some of the writes reach the disk, those of the same bytes in their order."""
    if not writes:
        return
    if len(writes) > 1:
        yield "any half", tuple(write for write in writes if drawn.random() < 0.5)
        lost = drawn.randrange(len(writes))
        yield "one lost", tuple(write for index, write in enumerate(writes) if index != lost)
    pieces = [
        (offset + start, data[start : start + PIECE]) for offset, data in writes for start in range(0, len(data), PIECE)]
    if len(pieces) > len(writes):
        yield "torn", tuple(piece for piece in pieces if drawn.random() < 0.5)


def choose(states, entries, count, seed):
    """So many of the states: of those before and after each step a fair share, and others."""
    drawn = random.Random(seed)
    steps = [index for index, entry in enumerate(entries) if entry.mark and not entry.mark.startswith("time,")]
    near = [
        drawn.choice(states[place : place + 4])
        for place in (_place(states, step) for step in steps) if place < len(states)]
    chosen = set(drawn.sample(near, min(len(near), count * 2 // 3)))
    others = [state for state in states if state not in chosen]
    chosen.update(drawn.sample(others, min(len(others), count - len(chosen))))
    return sorted(chosen, key=lambda state: state.number)


def _place(states, step):
    """The first state that a power cut at or after this entry can leave."""
    return next((place for place, state in enumerate(states) if state.horizon > step), len(states))


class Disk:
    """Goes through the log and hands out the disk's image at each state. Images are sparse."""

    def __init__(self, entries, size, folder):
        self._entries = entries
        self._settled = 0
        self._path = folder / "settled"
        with open(self._path, "wb") as file:
            file.truncate(size)

    def image(self, state, path):
        """Writes the image of a state, none of which comes before those asked for already."""
        with open(self._path, "r+b") as file:
            for entry in self._entries[self._settled : state.settled]:
                if entry.data:
                    os.pwrite(file.fileno(), entry.data, entry.offset)
        self._settled = max(self._settled, state.settled)
        subprocess.run(["cp", "--sparse=always", self._path, path], check=True, timeout=60)
        with open(path, "r+b") as file:
            for offset, data in state.extra:
                os.pwrite(file.fileno(), data, offset)

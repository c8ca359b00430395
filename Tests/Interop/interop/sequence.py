"""What a row of frame numbers says about a stream."""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Sequence:
    """Frame numbers as they were seen, in order."""

    #: How many frames the source made from the first to the last that was seen.
    made: int
    #: How many different ones of them were seen.
    seen: int
    #: How often a frame came that was older than one seen before.
    reversals: int
    #: How many pictures could not be read.
    unreadable: int
    #: Where frames are missing: the number of the last one before, and how many.
    gaps: tuple[tuple[int, int], ...] = ()

    @property
    def share(self):
        return self.seen / self.made if self.made else 0.0

    def require(self, what, share=0.95, at_least=30):
        """Raises unless the frames came in order and `share` of them came."""
        if self.seen < at_least or self.reversals or self.share < share:
            raise AssertionError(f"{what}: {self}")

    def __str__(self):
        return (f"{self.seen} of {self.made} frames ({self.share:.1%}), {self.reversals} out of order, "
                f"{self.unreadable} unreadable{self._longest_gaps()}")

    def _longest_gaps(self, count=3):
        longest = sorted(self.gaps, key=lambda gap: -gap[1])[:count]
        shown = ", ".join(f"{missing} after {last}" for last, missing in longest)
        return f"; {len(self.gaps)} gaps: {shown}" if self.gaps else ""


def examine(numbers, period=None):
    """Counts over `numbers` (None for a picture that could not be read); a clip of `period` frames begins anew."""
    readable = [number for number in numbers if number is not None]
    distinct = [number for index, number in enumerate(readable) if index == 0 or number != readable[index - 1]]
    made, reversals, gaps = 1 if distinct else 0, 0, []
    for earlier, later in zip(distinct, distinct[1:]):
        step = (later - earlier) % period if period else later - earlier
        if step <= 0 or (period and step > period // 2):
            reversals += 1
        else:
            made += step
            if step > 1:
                gaps.append((earlier, step - 1))
    return Sequence(made, len(distinct) - reversals, reversals, len(numbers) - len(readable), tuple(gaps))


def missed(sent, seen):
    """The numbers in `sent`, between the first and the last of `seen`, that are not in `seen`."""
    readable = {number for number in seen if number is not None}
    first, last = min(readable), max(readable)
    return [number for number in sent if number is not None and first <= number <= last and number not in readable]

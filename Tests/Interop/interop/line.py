"""One direction of a bad line, in anybody's time: what is pushed in comes out late, twice, in another order or never.

Nothing here reads a clock or opens a socket, so that the line can be tried out in virtual time.
"""
import collections
import dataclasses
import heapq
import itertools
import random


@dataclasses.dataclass(frozen=True)
class Conditions:
    """How bad the line is; as it stands here it is perfect. Shares are from 0 to 1, times are seconds."""

    #: Share of packets that vanish.
    loss: float = 0.0
    #: How many packets vanish in a row, on average.
    burst: float = 1.0
    delay: float = 0.0
    #: Up to so much is added to the delay of each packet; the order stays.
    jitter: float = 0.0
    #: Bits a second, None for no limit.
    rate: float | None = None
    #: What a packet may have to wait for the rate; it is dropped when it would be more.
    queue: float = 0.5
    #: Share of packets that come twice.
    duplicates: float = 0.0
    #: Share of packets that are overtaken by those of the next `reordering_delay`.
    reordering: float = 0.0
    reordering_delay: float = 0.02
    #: Nothing passes.
    is_dark: bool = False


@dataclasses.dataclass
class Tenth:
    """What happened in a tenth of a second that begins at `begin`."""

    begin: float
    packets_in: int = 0
    bytes_in: int = 0
    packets_out: int = 0
    bytes_out: int = 0
    lost: int = 0
    #: Dropped because the queue was full.
    dropped: int = 0
    #: The longest that a packet had to wait for the rate.
    waited: float = 0.0
    #: How much later than it should a packet came out: the fault of whoever drives the line.
    late: float = 0.0


class Line:
    """Hand packets to :meth:`push`, call :meth:`pop` when :attr:`deadline` has come."""

    #: Seconds that are counted together.
    STEP = 0.1

    def __init__(self, seed=0):
        self.conditions = Conditions()
        self.history: list[Tenth] = []
        self._chance = random.Random(seed)
        self._is_losing = False
        #: Waiting for the rate.
        self._queue = collections.deque()
        self._queued_bytes = 0
        #: When the packet at the queue's head began to be sent, with how much of it still to come.
        self._served_at = 0.0
        self._served_bits = 0.0
        #: On their way: `(due, order, packet)`.
        self._flight = []
        self._order = itertools.count()
        self._last_due = 0.0

    def change(self, conditions, now):
        """What is queued goes on under the new conditions."""
        self._move_on(now)
        self.conditions = conditions

    def push(self, packet, now):
        tenth = self._tenth(now)
        tenth.packets_in += 1
        tenth.bytes_in += len(packet)
        if self.conditions.is_dark or self._is_lost():
            tenth.lost += 1
            return
        copies = 2 if self._happens(self.conditions.duplicates) else 1
        for _ in range(copies):
            self._enqueue(packet, now, tenth)

    @property
    def deadline(self):
        """When :meth:`pop` has something to do; None when the line is empty."""
        moments = [self._flight[0][0]] if self._flight else []
        if self._queue:
            moments.append(self._head_sent_at())
        return min(moments, default=None)

    def pop(self, now):
        """The packets that have arrived."""
        self._move_on(now)
        arrived = []
        while self._flight and self._flight[0][0] <= now:
            due, _, packet = heapq.heappop(self._flight)
            tenth = self._tenth(now)
            tenth.packets_out += 1
            tenth.bytes_out += len(packet)
            tenth.late = max(tenth.late, now - due)
            arrived.append(packet)
        return arrived

    def _move_on(self, now):
        """Moves on what the rate has let through until `now`."""
        while self._queue and self._head_sent_at() <= now:
            sent_at = self._head_sent_at()
            packet = self._queue.popleft()
            self._queued_bytes -= len(packet)
            self._begin_serving(sent_at)
            self._depart(packet, sent_at)
        if self._queue and self.conditions.rate:
            self._served_bits -= (now - self._served_at) * self.conditions.rate
            self._served_at = now

    # How it is done.

    def _enqueue(self, packet, now, tenth):
        rate = self.conditions.rate
        if rate is None and not self._queue:
            self._depart(packet, now)
            return
        self._move_on(now)
        waits = (8 * self._queued_bytes / rate) if rate else 0.0
        if waits > self.conditions.queue:
            tenth.dropped += 1
            return
        tenth.waited = max(tenth.waited, waits)
        self._queue.append(packet)
        self._queued_bytes += len(packet)
        if len(self._queue) == 1:
            self._begin_serving(now)

    def _begin_serving(self, now):
        self._served_at = now
        self._served_bits = 8 * len(self._queue[0]) if self._queue else 0.0

    def _head_sent_at(self):
        rate = self.conditions.rate
        return self._served_at + (self._served_bits / rate if rate else 0.0)

    def _depart(self, packet, now):
        conditions = self.conditions
        due = now + conditions.delay + self._chance.random() * conditions.jitter
        if self._happens(conditions.reordering):
            due += conditions.reordering_delay
        else:
            due = self._last_due = max(due, self._last_due)
        heapq.heappush(self._flight, (due, next(self._order), packet))

    def _is_lost(self):
        """A chain of two states: `burst` is the mean stay in the bad one, `loss` its share of all packets."""
        loss, burst = self.conditions.loss, max(self.conditions.burst, 1.0)
        if not loss:
            self._is_losing = False
        elif loss >= 1:
            self._is_losing = True
        elif burst == 1:
            self._is_losing = self._happens(loss)
        elif self._is_losing:
            self._is_losing = not self._happens(1 / burst)
        else:
            self._is_losing = self._happens(loss / (burst * (1 - loss)))
        return self._is_losing

    def _happens(self, share):
        return share > 0 and self._chance.random() < share

    def _tenth(self, now):
        if not self.history or now >= self.history[-1].begin + self.STEP:
            self.history.append(Tenth(begin=now - now % self.STEP))
        return self.history[-1]

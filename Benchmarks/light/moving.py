"""Scenes in which more happens than one figure's visit: weather, lights, a camera that turns."""
import numpy

from light.scenes import BASE_HEIGHT, FRAME_RATE, Figure, Planes, Still, Visit, draw_over, shifted, texture, yard


class Night(Still):
    """A yard in the light of one lamp; the camera's gain is high."""

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        rows, columns = numpy.mgrid[0:height, 0:width].astype(numpy.float32) / height
        distance = numpy.hypot(columns - random.uniform(0.3, 1), rows - random.uniform(0, 0.4))
        self._light = (0.1 + 0.3 * numpy.exp(-distance / 0.35)).astype(numpy.float32)

    def draw(self, number):
        frame = super().draw(number).scaled(self._light)
        frame.luma += 12
        return frame


class Rain(Still):
    """Streaks that are elsewhere in each frame, before the yard and its visitor."""

    drops, brightness = 350, 35

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        self._seed = int(random.integers(1 << 32))

    def draw(self, number):
        frame = super().draw(number)
        random = numpy.random.default_rng([self._seed, number])
        length = random.integers(int(10 * self.scale), int(46 * self.scale), self.drops)[:, None]
        steps = numpy.arange(int(46 * self.scale))
        rows = random.integers(-20, self.height, self.drops)[:, None] + steps
        columns = random.integers(0, self.width - 10,
                                  self.drops)[:, None] + steps * random.integers(0, 7, self.drops)[:, None] // 46
        seen = (steps < length) & (rows >= 0) & (rows < self.height)
        frame.luma[rows[seen], columns[seen]] += self.brightness
        frame.luma[rows[seen], columns[seen] + 1] += self.brightness / 2
        return frame


class Leaves(Still):
    """Twigs that sway before a third of the yard, in gusts."""

    twigs = 26

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        self._twigs = [self._make_twig(random) for _ in range(self.twigs)]
        self._phases = random.uniform(0, 2 * numpy.pi, 2)

    def _make_twig(self, random):
        tall, wide = (int(random.uniform(30, 80) * self.scale) for _ in range(2))
        rows, columns = numpy.mgrid[-1:1:tall * 1j, -1:1:wide * 1j].astype(numpy.float32)
        alpha = numpy.clip((1 - numpy.hypot(rows, columns) + texture(random, tall, wide, 1.2, 0.15)) * tall / 4, 0, 1)
        tones = random.uniform(50, 110) + texture(random, tall, wide, 0.8, 26)
        place = random.uniform(-0.05, 0.45) * self.height, random.uniform(-0.05, 0.35) * self.width
        return tones, alpha.astype(numpy.float32), place, random.uniform(2, 13) * self.scale, random.uniform(
            1.2, 4.5), random.uniform(0, 6.28)

    def draw(self, number):
        frame, time = super().draw(number), number / FRAME_RATE
        gust = numpy.clip(
            0.5 + 0.4 * numpy.sin(time / 1.7 + self._phases[0]) + 0.3 * numpy.sin(time / 0.9 + self._phases[1]), 0, 1)
        for tones, alpha, (top, left), reach, rate, phase in self._twigs:
            sway = reach * (gust * (0.5 + 0.5 * numpy.sin(time * rate + phase)) + 0.06 * numpy.sin(2.7 * time * rate))
            draw_over(frame, tones, alpha, (118, 120), int(top), left + sway)
        return frame


class Street(Still):
    """Cars in two lanes and people on the pavement, one after the other."""

    def _visits(self, random):
        visits = []
        for lane, (kind, top, seconds) in enumerate(
            ((Car, 0.42, 3), (Car, 0.6, 2.2), (Figure, 0.38, 7), (Figure, 0.63, 8))):
            first = int(random.uniform(-60, 40))
            while first < self.frames:
                one = kind(random, self.scale)
                step = (self.width + one.width) / (seconds * random.uniform(0.8, 1.2) * FRAME_RATE) * (-1)**lane
                visits.append(Visit(one, first, int(top * self.height), step, self.width))
                first += int(random.uniform(0.5, 0.9) * seconds * FRAME_RATE)
        return visits

    @property
    def entrances(self):
        return [visit.first for visit in sorted(self.visits, key=lambda visit: visit.first) if visit.first > 0]


class Car:
    """A box with a roof, windows and wheels."""

    def __init__(self, random, scale):
        self.height, self.width = int(90 * scale), int(random.uniform(170, 240) * scale)
        v, u = numpy.mgrid[0:1:self.height * 1j, 0:1:self.width * 1j].astype(numpy.float32)
        body, roof = (v > 0.4) & (v < 0.88), (v > 0.05) & (v <= 0.4) & (abs(u - 0.5) < 0.22 + 0.3 * (v - 0.05))
        wheels = [numpy.hypot((u - x) * self.width, (v - 0.84) * self.height) < 0.16 * self.height for x in (0.2, 0.8)]
        glass = (v > 0.12) & (v < 0.38) & (abs(u - 0.5) < 0.2 + 0.25 * (v - 0.05)) & (abs(u - 0.5) > 0.015)
        self._alpha = (body | roof | wheels[0] | wheels[1]).astype(numpy.float32)
        self._tones = random.uniform(50, 210) + texture(random, self.height, self.width, 1.5, 9)
        self._tones[glass] = 45
        self._tones[wheels[0] | wheels[1]] = 25
        self._colour = random.uniform(96, 160, 2)

    def draw(self, frame, top, left, _):
        draw_over(frame, self._tones, self._alpha, self._colour, top, left)


class Pan(Still):
    """A camera that stands, turns, stands and turns back, over a yard twice as wide as the frame."""

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        self._wide = yard(random, height + 2, 2 * width + 2)
        times = numpy.array([0, 0.2, 0.45, 0.65, 0.9, 1.01]) * frames
        self._turns = times[[1, 3]].astype(int)
        eased = numpy.interp(numpy.arange(frames), times, [0, 0, 1, 1, 0, 0])
        self._places = width * 0.9 * (3 * eased**2 - 2 * eased**3)

    @property
    def entrances(self):
        return list(self._turns)

    def draw(self, number):
        place = 2 * (self._places[number] / 2)
        luma = shifted(self._wide.luma, 0, place, self.height, self.width)
        return Planes(luma, shifted(self._wide.chroma, 0, place / 2, self.height // 2, self.width // 2))


class Lights(Still):
    """A lamp that is switched off and on, and a camera that adapts its exposure within a second."""

    visit = (0.45, 0.6)
    switches = (0.3, 0.7)

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        rows, columns = numpy.mgrid[0:height, 0:width].astype(numpy.float32) / height
        self._dark = (0.25 + 0.25 * numpy.hypot(columns - 0.4, rows - 0.2)).astype(numpy.float32)
        self._off, self._on = (int(share * frames) for share in self.switches)

    @property
    def entrances(self):
        return sorted([self._off, self._on, *super().entrances])

    def draw(self, number):
        frame = super().draw(number)
        if number < self._off:
            return frame
        if number < self._on:
            exposure = 1.6 - 0.6 * numpy.exp(-(number - self._off) / 10)
            return frame.scaled(self._dark * numpy.float32(exposure))
        return frame.scaled(numpy.float32(1 + 0.6 * numpy.exp(-(number - self._on) / 10)))


class Flicker(Still):
    """Lamps on mains of 50 Hz before a rolling shutter: bands that travel, since 30 frames a second do not fit."""

    depth, mains, readout = 0.07, 50.05, 0.028

    def draw(self, number):
        rows = numpy.arange(self.height, dtype=numpy.float32)[:, None] / self.height
        phase = 2 * numpy.pi * 2 * self.mains * (number / FRAME_RATE + rows * self.readout)
        return super().draw(number).scaled((1 + self.depth * numpy.cos(phase)).astype(numpy.float32))


class Moving(Still):
    """Nothing stands still: the yard slides by, and before it twelve panes slide each another way."""

    columns, rows = 4, 3

    def __init__(self, random, height, width, frames):
        super().__init__(random, height, width, frames)
        margin = int(4.5 * frames * self.scale / 6)
        self._wide = yard(random, height + margin, width + margin)
        self._reach = margin
        self._period = 2 * int(margin / (2.7 * self.scale))
        self._speeds = random.uniform(-1, 1, (self.rows * self.columns, 2)) * 2.5 * self.scale
        self._starts = random.uniform(0.3, 0.7, (self.rows * self.columns, 2)) * margin

    @property
    def entrances(self):
        return []

    def draw(self, number):
        place = self._bounced(numpy.float64([0.5, 0.1]) * self._reach, numpy.float64([1.3, 2.6]) * self.scale, number)
        frame = Planes(*self._window(*place, 0, 0, self.height, self.width))
        tall, wide = self.height // self.rows, self.width // self.columns
        for index, (speed, start) in enumerate(zip(self._speeds, self._starts)):
            top, left = index // self.columns * tall // 2 * 2, index % self.columns * wide // 2 * 2
            inner = tall * 3 // 5 // 2 * 2, wide * 3 // 5 // 2 * 2
            luma, chroma = self._window(*self._bounced(start, speed, number), top, left, *inner)
            frame.luma[top:top + inner[0], left:left + inner[1]] = luma
            frame.chroma[:, top // 2:(top + inner[0]) // 2, left // 2:(left + inner[1]) // 2] = chroma
        for visit in self.visits:
            visit.draw(frame, number)
        return frame

    def _bounced(self, start, speed, number):
        """The place after so many frames, thrown back at both ends."""
        reach = self._reach - 4
        place = (start + speed * number) % (2 * reach)
        return numpy.where(place > reach, 2 * reach - place, place)

    def _window(self, y, x, top, left, height, width):
        luma = shifted(self._wide.luma, y + top, x + left, height, width)
        return luma, shifted(self._wide.chroma, (y + top) / 2, (x + left) / 2, height // 2, width // 2)

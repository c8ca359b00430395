"""Two talk to a device; its sound card is gone for a while and comes back: all hear each other again by themselves."""
import contextlib
import threading
import time

import numpy

from interop import pulse, sound
from interop.calling import Caller
from interop.processes import wait_until
from interop.pulse import SoundServer
from interop.pulse_stream import BLOCK, RATE, StreamEnded
from interop.world import OPERATOR, SECOND_OPERATOR, World

#: Hertz, of the callers and of what is near the device's microphone.
TONES, NEAR = (440, 690), 1550
PEOPLE = (OPERATOR, SECOND_OPERATOR)
#: Seconds: the first call, the card's absence, until everybody is heard again at the latest, until callers look at what they hear.
SECONDS, ABSENCE, BACK, LISTEN_AFTER = 26, 2.0, 5.0, 14
#: Milliseconds after connecting until a second talker is heard.
SECOND_TALKER = 200


def run(context):
    server = SoundServer(context.scratch)
    world = World(context, settings={"audio": {**server.device_settings, "echo_cancellation": "off"}},
                  variables=server.device_variables)
    with server, world, Near(server), _caller(context, world, 0) as first, contextlib.ExitStack() as stack:
        first.wait_for("connected")
        with Loudspeaker(server) as heard:
            second = stack.enter_context(_caller(context, world, 1))
            connected_at = second.wait_for("connected")["at"]
            delay = 1000 * (heard.wait_for(TONES, 3) - connected_at)
        server.kill()
        time.sleep(ABSENCE)
        server.start()
        back_at = time.monotonic()
        with Loudspeaker(server) as heard:
            back = heard.wait_for(TONES, BACK) - back_at
        _require_heard([caller.wait_for("sound", limit=SECONDS)["tones"] for caller in (first, second)])
    words = f"a second talker is heard {delay:.0f} ms after connecting; both again {back:.1f} s after the card was back"
    if delay > SECOND_TALKER:
        raise AssertionError(words)
    return words


def _caller(context, world, number):
    options = ["--tone", str(TONES[number]), "--listen-after", str(LISTEN_AFTER), "--offer", "audio-only"]
    return Caller(context, world, SECONDS, person=PEOPLE[number], name=f"caller{number}", options=options)


def _require_heard(told):
    """Each caller heard the device's microphone and the other caller."""
    for own, tones in zip(TONES, told):
        wanted = {NEAR, *TONES} - {own}
        if not all(any(abs(tone - one) <= 20 for tone in tones) for one in wanted):
            raise AssertionError(f"who sends {own} Hz hears {tones} after the card was back, not {sorted(wanted)}")


class Near(threading.Thread):
    """A tone before the device's microphone, while there is one."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self._server, self._is_over = server, threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._is_over.set()
        self.join()

    def run(self):
        block = (8_000 * numpy.sin(2 * numpy.pi * NEAR / RATE * numpy.arange(RATE // 10))).astype(numpy.int16)
        while not self._is_over.is_set():
            try:
                with self._server.play(pulse.MICROPHONE) as microphone:
                    while not self._is_over.is_set():
                        microphone.write(block)
            except StreamEnded:
                time.sleep(0.1)


class Loudspeaker:
    """What the device plays."""

    #: Seconds of which the tones are looked at.
    _WINDOW = 0.1

    def __init__(self, server):
        self._server = server

    def __enter__(self):
        self._stream = wait_until(self._listen, "the loudspeaker can be listened to")
        return self

    def __exit__(self, *_):
        self._stream.close()

    def _listen(self):
        try:
            return self._server.listen(pulse.SPEAKER)
        except StreamEnded:
            return None

    def wait_for(self, frequencies, limit):
        """When all of these tones began to be heard at once, of CLOCK_MONOTONIC."""
        deadline = time.monotonic() + limit
        samples = numpy.zeros(0)
        while time.monotonic() < deadline:
            samples = numpy.concatenate([samples, self._stream.read(BLOCK) / 32_768])[-int(self._WINDOW * RATE):]
            found = sound.tones(samples, RATE, least=0.01) if len(samples) == int(self._WINDOW * RATE) else []
            if all(any(abs(tone - one) <= 20 for tone in found) for one in frequencies):
                return time.monotonic() - self._WINDOW / 2
        raise AssertionError(f"the loudspeaker plays {found} Hz, not {frequencies}")

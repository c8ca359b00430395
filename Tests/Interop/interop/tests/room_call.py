"""A device with loudspeaker and microphone in one room, and a browser with a real microphone and loudspeaker: each speech
comes through at once, and no echo comes back."""
import time

from interop import acoustics, echo_figures, hearing, pulse
from interop.intercom import Intercom
from interop.pulse_stream import RATE

#: Seconds: the far end speaks alone, then both, then who is in the room goes on.
ALONE, BOTH, REST = 8, 8, 4
#: The same without cancellation, which has nothing to learn.
CONTROL_ALONE, CONTROL_BOTH = 3, 4
#: The canceller knows the room after so many seconds.
CONVERGED = 2
#: Sound has come through everything after so long.
MARGIN = 0.5
#: Decibels and likenesses that a call has to keep; opposed to these, without cancellation the echo is louder and liker.
ERLE, ECHO_DOWN, NEAR, NEAR_LIKENESS = 30, 15, -4, 0.75
#: Seconds from mouth to ear, Chromium's and PulseAudio's buffers included.
DELAY = 0.35


def run(context):
    far, near = acoustics.far_speech(ALONE + BOTH), acoustics.near_speech(BOTH + REST)
    air = acoustics.room(far)
    with Intercom(context) as intercom:
        scene = _speak(intercom, air, far, near, ALONE)
        clean, delays = scene.figures(), scene.delays()
        intercom.world.stop_device()
        intercom.world.change_settings({"audio": {"echo_cancellation": "off"}})
        intercom.world.start_device()
        far, near = far[:(CONTROL_ALONE + CONTROL_BOTH) * RATE], near[:CONTROL_BOTH * RATE]
        control = _speak(intercom, air, far, near, CONTROL_ALONE).figures()
    words = f"{clean}; without cancellation {control}; {delays}"
    _require(clean, control, delays, words)
    return words


def _require(clean, control, delays, words):
    is_clean = (clean.erle >= ERLE and clean.echo_down >= ECHO_DOWN and clean.near >= NEAR
                and clean.near_likeness >= NEAR_LIKENESS)
    is_worse_without = control.erle < 10 and control.echo_likeness > clean.echo_likeness
    if not is_clean or not is_worse_without or delays.longest > DELAY:
        raise AssertionError(words)


class Delays:
    """Seconds from mouth to ear, both ways."""

    def __init__(self, to_page, to_room):
        self.to_page, self.to_room = to_page, to_room

    @property
    def longest(self):
        return max(self.to_page, self.to_room)

    def __str__(self):
        return (f"{1000 * self.to_page:.0f} ms from the room to the page's loudspeaker, "
                f"{1000 * self.to_room:.0f} ms from the page's microphone to the device's loudspeaker")


class Scene:
    """A call in which both spoke."""

    def __init__(self, heard, far_at, near_at, far, near, alone):
        self._heard, both = heard, len(far) / RATE - alone
        self._far_alone = heard.part(far_at + min(alone - 1, CONVERGED), near_at - 0.1)
        self._both = heard.part(near_at + MARGIN, near_at + both - MARGIN)
        self._near_alone = heard.part(near_at + both + MARGIN, near_at + len(near) / RATE - MARGIN)

    def figures(self):
        heard = self._heard
        return echo_figures.measure(heard.echo, heard.near, heard.sinks[pulse.PAGE_OUT], self._far_alone, self._both)

    def delays(self):
        heard, sinks = self._heard, self._heard.sinks
        return Delays(_delay(heard.near, sinks[pulse.PAGE_OUT], self._near_alone),
                      _delay(sinks[pulse.PAGE_MICROPHONE], sinks[pulse.SPEAKER], self._far_alone))


def _delay(source, heard, part):
    """Seconds by which what lies in `part` of the source is heard later."""
    later = slice(part.start, part.stop + RATE // 2)
    return hearing.lag(source[part], heard[later]) / RATE


def _speak(intercom, air, far, near, alone):
    with intercom.room(air) as room, intercom.call():
        time.sleep(1)
        far_at = room.far(far)
        time.sleep(alone)
        near_at = room.near(near)
        time.sleep(len(near) / RATE + MARGIN)
        heard = room.end()
    return Scene(heard, far_at, near_at, far, near, alone)

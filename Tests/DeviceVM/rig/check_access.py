"""The boot `access`: devices that are busy, absent, forbidden or wrong when a recording begins."""
import re

from .faults import camera_returns, card_returns, pictures_go_on
from .results import continuous_sound, tone

#: What the journal must say: which device, and what is the matter or what to do.
CAMERAS = {
    "busy-camera": ("/dev/video0", "another program|busy"),
    "absent-camera": ("/dev/video0", "plugged in"),
    "forbidden-camera": ("/dev/video0", "group|permi"),
}
CARDS = {
    "busy-card": ("Loopback", "another program|busy"),
    "absent-card": ("Loopback", "unplugged|no such device"),
}
WRONG_CAMERAS = {
    "no-camera": ("/dev/null", "is no camera; choose"),
    "no-such-camera": ("/dev/video7", "plugged in|path right"),
    "no-format": ("/dev/video0", "MJPG"),
}
WRONG_CARDS = {"no-such-card": ("Nothing", "arecord -L|no such")}


def access(results):
    for name, words in CAMERAS.items():
        told(results, name, *words)
        camera_returns(results, name)
    for name, words in CARDS.items():
        told(results, name, *words)
        card_returns(results, name)
    for name, words in WRONG_CAMERAS.items():
        told(results, name, *words)
        sound_alone(results, name)
    for name, words in WRONG_CARDS.items():
        told(results, name, *words)
        pictures_alone(results, name)


def told(results, name, device, advice):
    words = results.facts.text(f"{name}.said")
    results.check(
        device in words and re.search(advice, words, re.IGNORECASE), f"{name}: the journal says which and why", words or "nothing")


def sound_alone(results, name):
    manifest, recording = results.whole_recording(name)
    if manifest is not None:
        tone(results, name, continuous_sound(results, name, recording))


def pictures_alone(results, name):
    manifest, recording = results.whole_recording(name)
    if manifest is not None:
        pictures_go_on(results, name, recording)

"""A room with a loudspeaker and a microphone: its impulse response, and who speaks in it."""
import pathlib
import random
import subprocess
import wave

import numpy

RATE = 48_000
# Seconds after the announcement's first sound.
NEAR_AFTER = 10
# What the room does within this time, in seconds, and how soon it is 60 dB quieter.
LENGTH = 0.2
DECAY = 0.35
REFLECTIONS = 100
# How loud people and the announcement are, of full scale.
LEVEL = 0.1

FAR = """Attention please. The main entrance is closed from eight in the evening. Visitors are asked to use the bell beside the
garage, and to wait until somebody answers. Parcels may be left in the box on the left. Bicycles must not be leaned against
the glass. The lift is being repaired today, so please use the stairs on the other side of the yard. Thank you very much."""
NEAR = """Good evening, I am standing at your front door and have brought the keys that my neighbour asked for. Nobody opens on the
second floor, so could you let me in for a moment? I only want to put them into the letter box and leave again at once."""


def write(folder):
    """The program in `folder/room`, and what it and the daemon need: taps.txt, far.wav, near.raw."""
    program = pathlib.Path(__file__).resolve().parents[1] / "guest/room/room.c"
    subprocess.run(["cc", "-O3", "-ffast-math", "-o", str(folder / "room"), str(program), "-lasound", "-lm"], check=True)
    (folder / "taps.txt").write_text("".join(f"{delay} {gain:.6f}\n" for delay, gain in taps()))
    far = speech(FAR, "en-us", 2 * NEAR_AFTER)
    with wave.open(str(folder / "far.wav"), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(far.tobytes())
    (folder / "near.raw").write_bytes(speech(NEAR, "en-gb+f3", NEAR_AFTER).tobytes())


def taps():
    """The direct sound over 0.3 m, and reflections that come closer together and weaker as a room's do."""
    draw = random.Random(7)
    yield round(0.3 / 343 * RATE), 0.5
    delays = sorted(round(RATE * LENGTH * draw.random() ** 0.7) for _ in range(REFLECTIONS))
    for delay in delays:
        yield delay + 60, draw.choice((-1, 1)) * 0.12 * 10 ** (-3 * delay / RATE / DECAY)


def speech(text, voice, seconds):
    """Somebody who speaks for so long, as samples of 16 bits at 48 kHz."""
    said = subprocess.run(["espeak-ng", "-v", voice, "--stdout", text], check=True, capture_output=True).stdout
    converted = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", "-", "-f", "s16le", "-ac", "1", "-ar", str(RATE), "-"],
        input=said, check=True, capture_output=True).stdout
    samples = numpy.frombuffer(converted, dtype=numpy.int16).astype(float)
    samples = numpy.tile(samples, int(seconds * RATE / len(samples)) + 1)[: seconds * RATE]
    scaled = samples * LEVEL * 32_768 / numpy.sqrt((samples ** 2).mean())
    return numpy.clip(scaled, -32_768, 32_767).astype(numpy.int16)

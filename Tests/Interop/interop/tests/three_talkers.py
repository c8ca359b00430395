"""Three callers of one device: each hears the device and the two others, and not itself; each is recorded alone."""
import contextlib

from interop import archives
from interop.calling import Caller
from interop.world import DEVICE_TONE, OPERATOR, SECOND_OPERATOR, World

SECONDS = 16
#: Seconds until all have connected and their sound has come through.
LISTEN_AFTER = 8
#: Of each caller, far from each other and from the device's tone and its harmonics.
TONES = [440, 690, 1550]
PEOPLE = [OPERATOR, SECOND_OPERATOR, OPERATOR]


def run(context):
    # A sound card of alsa-lib that plays into nothing.
    with World(context, settings={"audio": {"speaker": "null"}}) as world:
        with contextlib.ExitStack() as stack:
            callers = []
            for number, (tone, person) in enumerate(zip(TONES, PEOPLE)):
                options = ["--tone", str(tone), "--listen-after", str(LISTEN_AFTER), "--offer", "audio-only"]
                caller = Caller(context, world, SECONDS, person=person, name=f"caller{number}", options=options)
                callers.append(stack.enter_context(caller))
                caller.wait_for("connected")
            heard = [caller.wait_for("sound", limit=SECONDS + 10)["tones"] for caller in callers]
            for caller in callers:
                caller.wait_for("ended", limit=SECONDS + 20)
        for own, tones in zip(TONES, heard):
            expected = [DEVICE_TONE, *(tone for tone in TONES if tone != own)]
            if not all(_has(tones, tone) for tone in expected) or _has(tones, own):
                raise AssertionError(f"who sends {own} Hz hears {tones}, not {expected}")
        for archive in archives.wait_for(world.archive_folder, len(TONES)):
            archive.require_faultless()
            archive.file_with_tone(DEVICE_TONE)
    return f"heard {heard}"


def _has(tones, frequency):
    """A busy machine spreads tones a little."""
    return any(abs(tone - frequency) <= 20 for tone in tones)

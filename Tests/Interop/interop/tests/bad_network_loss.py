"""Every twentieth packet is lost each way, and a packet and its answer take 100 ms: pictures and sound go on."""
import math
import time

from interop import archives, sequence, webm
from interop.connections import concealed, difference
from interop.far_call import SETTLING, FarCaller, far_world, longest_pause
from interop.world import DEVICE_TONE

LOSS, DELAY = 0.05, 0.05
#: What is promised: seconds of a frozen picture, share of frames shown, share of sound made up.
FREEZE, SHOWN, CONCEALED = 0.5, 0.9, 0.1


def run(context):
    world = far_world(context)
    with FarCaller(context, world) as far, world:
        far.line.change(loss=LOSS, delay=DELAY)
        far.open()
        far.call()
        time.sleep(SETTLING)
        begin = time.monotonic()
        time.sleep(context.seconds)
        end = time.monotonic()
        samples, pictures = far.samples(), [picture for picture in far.pictures() if begin <= picture[0] <= end]
        far.hang_up()
        archive = archives.wait_for(world.archive_folder, 1)[0]
        archive.require_faultless()
        late = far.line.lateness()
    problems = []
    words = [_check_browser(archive, samples, pictures, begin, end, problems),
             _check_recording(context, archive, samples, problems)]
    words = f"{'; '.join(words)}; {late}"
    if problems:
        raise AssertionError(f"{', '.join(problems)}: {words}")
    return words


def _check_browser(archive, samples, pictures, begin, end, problems):
    """What the browser showed of the pictures that the device made, as its own recording tells them."""
    numbers = [number for _, number in pictures]
    missed = sequence.missed(webm.frame_numbers(archive.file_with_tone(DEVICE_TONE)), numbers)
    share = len(numbers) / (len(numbers) + len(missed))
    pause = longest_pause([at for at, _ in pictures], begin, end)
    made_up = concealed(samples, begin, end)
    freezes = difference(samples, begin, end, "inbound-rtp/video", "freezeCount")
    frozen = difference(samples, begin, end, "inbound-rtp/video", "totalFreezesDuration")
    if pause > FREEZE or share < SHOWN or made_up > CONCEALED:
        problems.append("the browser suffers")
    return (f"browser: {share:.1%} of {len(numbers) + len(missed)} pictures, longest pause {pause * 1e3:.0f} ms, "
            f"{freezes} freezes of {frozen:.2f} s in all, {made_up:.1%} of the sound made up in {end - begin:.0f} s")


def _check_recording(context, archive, samples, problems):
    """The other direction, as the device received it."""
    path = archive.file_with_tone(context.tone)
    times = webm.frame_times(path)
    sent = difference(samples, 0, math.inf, "outbound-rtp/video", "framesSent")
    pause = longest_pause(times, times[0] + SETTLING, times[-1])
    missing = webm.missing_sound(path)
    if pause > FREEZE or len(times) < SHOWN * sent or missing > CONCEALED:
        problems.append("the recording suffers")
    return (f"recording: {len(times)} of {sent} pictures sent, longest pause {pause * 1e3:.0f} ms, "
            f"{missing:.1%} of the sound missing")

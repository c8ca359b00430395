"""Every twentieth packet is lost each way, and a packet and its answer take 100 ms: pictures and sound go on."""
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
        seen = _check_browser(far, begin, end)
        sent = difference(far.samples(), 0, end + 1, "outbound-rtp/video", "framesSent")
        far.hang_up()
        recorded = _check_recording(context, world, sent)
        late = far.line.lateness()[0]
    return f"browser: {seen}; recorded: {recorded}; the line itself was {late * 1e3:.0f} ms late at most"


def _check_browser(far, begin, end):
    samples = far.samples()
    pictures = [(at, number) for at, number in far.pictures() if begin <= at <= end]
    seen = sequence.examine([number for _, number in pictures])
    pause = longest_pause([at for at, _ in pictures], begin, end)
    made_up = concealed(samples, begin, end)
    freezes = difference(samples, begin, end, "inbound-rtp/video", "freezeCount")
    frozen = difference(samples, begin, end, "inbound-rtp/video", "totalFreezesDuration")
    words = (f"{seen}, longest pause {pause * 1e3:.0f} ms, {freezes} freezes of {frozen:.2f} s in all, "
             f"{made_up:.1%} of the sound made up, {end - begin:.0f} s")
    if pause > FREEZE or seen.share < SHOWN or seen.reversals or made_up > CONCEALED:
        raise AssertionError(f"in the browser: {words}")
    return words


def _check_recording(context, world, sent):
    """The other direction, as the device received it."""
    archive = archives.wait_for(world.archive_folder, 1)[0]
    archive.require_faultless()
    archive.file_with_tone(DEVICE_TONE)
    path = archive.file_with_tone(context.tone)
    times = webm.frame_times(path)
    seen = webm.examine_frames(path, context.camera_frames)
    settled = times[0] + SETTLING
    pause = longest_pause(times, settled, times[-1])
    missing = webm.missing_sound(path)
    words = (f"{seen}, {len(times)} of {sent} frames sent, longest pause {pause * 1e3:.0f} ms, "
             f"{missing:.1%} of the sound missing")
    if pause > FREEZE or len(times) < SHOWN * sent or missing > CONCEALED:
        raise AssertionError(f"in the recording: {words}")
    return words

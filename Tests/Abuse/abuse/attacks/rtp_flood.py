"""100 Mbit/s of packets that look like RTP at the port of a call: it keeps its pictures, and the device its time."""
import sys

from interop.calling import told_in
from interop.processes import Child, wait_until
from interop.world import DEVICE, SECOND_OPERATOR

from abuse.ringing import status_seconds
from abuse.rtp_caller import KINDS, PAUSE
from abuse.rtp_flood import RATE, SECONDS, SIZE

#: Of a core, more than without the flood; what is sent and read of the wanted rate, for the run to say something.
CPU, ARRIVING = 0.5, 0.8
#: What the call keeps of its pictures, of those that it had before.
KEPT = 0.9
LIMIT = len(KINDS) * (SECONDS + PAUSE) + 60


def attack(stage):
    title, password = SECOND_OPERATOR
    caller = Child([
        sys.executable, "-m", "abuse.rtp_caller", "--hub", stage.world.url, "--title", title, "--password", password,
        "--receiver", DEVICE, "--seconds", str(LIMIT), "--count"], stage.world.folder / "rtp.log")
    usage = [stage.world.device_usage()]

    def is_over():
        usage.append(stage.world.device_usage())
        return [event for event in told_in(caller.log) if event["event"] == "over"]

    try:
        wait_until(is_over, "all floods are over", LIMIT, alive=[caller], interval=0.1)
    finally:
        caller.kill()
    events = told_in(caller.log)
    frames = [event["at"] for event in events if event["event"] == "frame"]
    floods = [event for event in events if event["event"] == "flood"]
    quiet = (floods[0]["begin"] - PAUSE / 2, floods[0]["begin"])
    for flood in floods:
        _judge(stage, flood, usage, frames, quiet)
    seconds = status_seconds(stage)
    stage.check(seconds < 1, f"status takes {seconds:.1f} s")


def _judge(stage, flood, usage, frames, quiet):
    span = flood["begin"], flood["end"]
    rate, read = (8 * SIZE * flood[name] / (span[1] - span[0]) for name in ("sent", "read"))
    more = cpu(usage, *span) - cpu(usage, *quiet)
    kept = _per_second(frames, *span) / max(_per_second(frames, *quiet), 1)
    stage.note(f"{flood['kind']}: {rate / 1e6:.0f} Mbit/s, {read / max(rate, 1):.0%} of them read, cost {more:.0%} of a core, "
               f"the call kept {kept:.0%} of its pictures")
    stage.check(min(rate, read) > ARRIVING * RATE, f"{flood['kind']}: only {rate / 1e6:.0f} Mbit/s, this run says nothing")
    stage.check(more < CPU, f"{flood['kind']}: costs {more:.0%} of a core")
    stage.check(kept > KEPT, f"{flood['kind']}: the call keeps {kept:.0%} of its pictures")


def cpu(usage, begin, end):
    """Of one core, between the readings next to both moments."""
    first = max((one for one in usage if one[0] <= begin), default=usage[0])
    last = min((one for one in usage if one[0] >= end), default=usage[-1])
    return (last[1] - first[1]) / (last[0] - first[0])


def _per_second(times, begin, end):
    return sum(begin <= at < end for at in times) / (end - begin)

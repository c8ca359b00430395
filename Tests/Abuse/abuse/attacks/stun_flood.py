"""10,000 STUN messages a second at the port of a call, by its own caller: forged checks, unasked answers, nominations and
conflicts of roles; others keep their pictures, the device its time, and nobody is sent much who has not asked for it."""
import sys

from interop.calling import told_in
from interop.processes import Child, wait_until
from interop.world import DEVICE, SECOND_OPERATOR

from abuse.attacks.rtp_flood import cpu
from abuse.ringing import status_seconds
from abuse.stun_caller import KINDS, PAUSE
from abuse.stun_flood import RATE, SECONDS

#: Of a core, more than without the flood; what is sent and read of the wanted rate, for the run to say something.
CPU, ARRIVING = 0.5, 0.8
#: Octets that addresses are sent which answer nothing, of those that come from there.
ECHO = 1.5
LIMIT = len(KINDS) * (SECONDS + PAUSE + 2) + 60
#: Lines that the device may log of all of it: the call, its recording, and why it ended.
LINES = 12


def attack(stage):
    title, password = SECOND_OPERATOR
    log = len(stage.world.device_log())
    caller = Child([
        sys.executable, "-m", "abuse.stun_caller", "--hub", stage.world.url, "--title", title, "--password", password,
        "--receiver", DEVICE, "--seconds", str(LIMIT), "--count"], stage.world.folder / "stun.log")
    usage = [stage.world.device_usage()]

    def is_over():
        usage.append(stage.world.device_usage())
        return [event for event in told_in(caller.log) if event["event"] == "over"]

    try:
        wait_until(is_over, "all floods are over", LIMIT, alive=[caller], interval=0.1)
    finally:
        caller.kill()
    floods = [event for event in told_in(caller.log) if event["event"] == "flood"]
    quiet = cpu(usage, floods[0]["begin"] - PAUSE / 2, floods[0]["begin"])
    for flood in floods:
        _judge(stage, flood, usage, quiet)
    lines = stage.world.device_log()[log:].splitlines()
    stage.check(len(lines) <= LINES, f"the log has {len(lines)} lines of it, such as {lines[-1][:200]!r}")
    seconds = status_seconds(stage)
    stage.check(seconds < 1, f"status takes {seconds:.1f} s")


def _judge(stage, flood, usage, quiet):
    kind, span = flood["kind"], flood["end"] - flood["begin"]
    sent, read = flood["sent"] / SECONDS, flood["read"] / SECONDS
    more = cpu(usage, flood["begin"], flood["end"]) - quiet
    echo = flood["came"] / max(flood["octets"], 1)
    answers = KINDS[kind][2]
    stage.note(f"{kind}: {sent:.0f} a second, {read / max(sent, 1):.0%} of them read, cost {more:.0%} of a core for {span:.0f} s, "
               f"{echo:.2f} of the octets came back, {flood['other']} of media; the attacker is {flood['state']}")
    # Who answers checks as well has less time to send.
    least = ARRIVING * RATE * (0.5 if answers else 1)
    stage.check(min(sent, read) > least, f"{kind}: only {sent:.0f} a second, {read:.0f} read: this run says nothing")
    stage.check(more < CPU, f"{kind}: costs {more:.0%} of a core")
    stage.check(answers or echo < ECHO, f"{kind}: an address that answers nothing is sent {echo:.1f} times what comes from it")
    stage.check(answers or not flood["other"], f"{kind}: an address that answers nothing is sent {flood['other']} octets of media")

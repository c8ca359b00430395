"""Handshakes that begin and never end, and DTLS of all kinds at 10,000 datagrams a second, from an address that ICE has validated:
a handshake has its time, others keep their pictures, the device its time and memory, and the log stays short."""
import sys
import time

from interop.calling import told_in
from interop.processes import Child, wait_until
from interop.world import DEVICE, SECOND_OPERATOR

from abuse.attacks.rtp_flood import cpu
from abuse.dtls_caller import CALLS, HANDSHAKES, IN_CALL, PAUSE
from abuse.dtls_flood import RATE, SECONDS
from abuse.memory import resident
from abuse.ringing import status_seconds

#: Of a core, more than without the flood; what is sent and read of the wanted rate, for the run to say something.
CPU, ARRIVING = 0.5, 0.8
#: Handshakes that are open at the same time, as many as calls of one caller may wait, and when the last of them is over.
HALF_OPEN, OVER = 2, 15 + 5
HELLO_ALONE = next(iter(HANDSHAKES))
#: By which a kind may let the daemon grow while it goes on: each call has buffers of its own.
GROWTH = 12 << 20
#: Lines that the device may log of one call, what the test itself asks it among them.
LINES = 9
LIMIT = SECONDS + 30


def attack(stage):
    _half_open(stage)
    for kind in list(HANDSHAKES)[1:]:
        _flood(stage, kind, [kind], LIMIT)
    _flood(stage, IN_CALL, list(CALLS), len(CALLS) * (SECONDS + PAUSE + 2) + 30)
    seconds = status_seconds(stage)
    stage.check(seconds < 1, f"status takes {seconds:.1f} s")


def _caller(stage, kind, seconds, name):
    title, password = SECOND_OPERATOR
    return Child([
        sys.executable, "-m", "abuse.dtls_caller", kind, "--hub", stage.world.url, "--title", title, "--password", password,
        "--receiver", DEVICE, "--seconds", str(seconds), "--count"], stage.world.folder / f"{name}.log")


def _half_open(stage):
    """Several at a time, which the device ends."""
    callers = [_caller(stage, HELLO_ALONE, 60, f"half-open-{number}") for number in range(HALF_OPEN)]
    try:
        for one in callers:
            wait_until(lambda one=one: _told(one, "over"), "the hello is sent", 30, alive=[one])
        begin = time.monotonic()
        open_at_once = len(_sessions(stage)) - 1
        wait_until(lambda: all(_told(one, "ended") for one in callers), "the device gives them up", OVER + 10)
        stage.note(f"{open_at_once} handshakes were open at the same time, and over {time.monotonic() - begin:.0f} s later")
        stage.check(open_at_once == HALF_OPEN, f"only {open_at_once} handshakes were open: this run says little")
        stage.check(time.monotonic() - begin < OVER, f"a handshake stays open for {time.monotonic() - begin:.0f} s")
        wait_until(lambda: len(_sessions(stage)) == 1, "the bystander's call alone is left", 5)
    except TimeoutError as error:
        stage.check(False, f"{HELLO_ALONE}: {error}")
    finally:
        for one in callers:
            one.kill()


def _flood(stage, name, kinds, seconds):
    log, before = len(stage.world.device_log()), resident(stage.world.device_pid)
    bystander = _sessions(stage)
    caller = _caller(stage, name, seconds, "dtls")
    usage, memory = [stage.world.device_usage()], []

    def is_over():
        usage.append(stage.world.device_usage())
        memory.append(resident(stage.world.device_pid))
        return _told(caller, "over") or _told(caller, "ended")

    try:
        wait_until(is_over, "all floods are over", seconds + 20, alive=[caller], interval=0.1)
        events, is_refused = _told(caller, "flood"), not _told(caller, "over")
    except (TimeoutError, RuntimeError) as error:
        return stage.check(False, f"{name}: {error}")
    finally:
        caller.kill()
        caller.log.unlink()
        # A caller whose calls are still up is refused further ones.
        _hang_up(stage, bystander)
    for event in events:
        _judge(stage, event, usage, cpu(usage, usage[0][0], events[0]["begin"]))
    grown = max(memory) - before
    lines = stage.world.device_log()[log:].splitlines()
    stage.note(f"{name}: {'the call is ended at once, ' if is_refused else ''}{grown / (1 << 20):.1f} MB more, {len(lines)} lines: {lines[-1][:160] if lines else ''}")
    stage.check(len(kinds) == len(events) or is_refused and name in HANDSHAKES, f"{name}: only {len(events)} floods")
    stage.check(grown < GROWTH, f"{name}: lets the daemon grow by {grown / (1 << 20):.1f} MB")
    stage.check(len(lines) <= LINES, f"{name}: the log has {len(lines)} lines of it, such as {lines[-1][:200]!r}")


def _judge(stage, event, usage, quiet):
    kind = event["kind"]
    sent, read = event["sent"] / SECONDS, event["read"] / SECONDS
    more = cpu(usage, event["begin"], event["end"]) - quiet
    stage.note(f"{kind}: {sent:.0f} a second, {read / max(sent, 1):.0%} of them read, cost {more:.0%} of a core")
    stage.check(min(sent, read) > ARRIVING * RATE, f"{kind}: only {sent:.0f} a second, {read:.0f} read: this run says nothing")
    stage.check(more < CPU, f"{kind}: costs {more:.0%} of a core")


def _told(caller, name):
    return [event for event in told_in(caller.log) if event["event"] == name]


def _sessions(stage):
    return [session["sessionID"] for session in stage.world.status()["sessions"]]


def _hang_up(stage, spared):
    for session in _sessions(stage):
        if session not in spared:
            stage.world.try_command("hangup", session)

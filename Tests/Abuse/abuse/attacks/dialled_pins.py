"""A caller dials one PIN after the other as fast as keys can be told apart: few are tried, the log stays short."""
import re
import sys

from interop import dialling
from interop.calling import told_in
from interop.processes import Child, wait_until
from interop.world import DEVICE, SECOND_OPERATOR

from abuse.dial_caller import SECONDS

#: Before the first lock, and the one after it ends while the attack lasts.
TRIED = 3 + 2
#: Refusals that the log has of the attack, and refusals that the caller is sent each second, by the budget of callers.
LOGGED, BURST = 12, 16


def actions(context):
    return dialling.Actions(context.scratch)


def attack(stage):
    title, password = SECOND_OPERATOR
    caller = Child([
        sys.executable, "-m", "abuse.dial_caller", "--hub", stage.world.url, "--title", title, "--password", password,
        "--receiver", DEVICE, "--seconds", str(SECONDS + 30), "--dial", "1"], stage.world.folder / "dial.log")
    try:
        [dialled] = wait_until(lambda: _told(caller, "dialled"), "all PINs are dialled", SECONDS + 60, alive=[caller])
        answers = [event for event in _told(caller, "signal") if event["type"] == "action.result"]
    finally:
        caller.kill()
    log = stage.world.device_log()
    tried = len(re.findall("action alarm-off: refused .*the PIN is wrong", log))
    lines = len(re.findall("action alarm-off: refused|asks for actions too often", log))
    stage.note(f"{dialled['count']} PINs were dialled in {SECONDS:.0f} s: {tried} were tried, {len(answers)} answered, "
               f"{lines} lines logged")
    stage.check(tried > 0, "no PIN arrived: this run says nothing")
    stage.check(tried <= TRIED, f"{tried} PINs are tried")
    stage.check(lines <= LOGGED, f"the log has {lines} lines of it")
    stage.check(len(answers) <= BURST + 2 * SECONDS, f"{len(answers)} answers are sent")
    stage.check("action alarm-off: done" not in log, "the action is done")


def _told(caller, name):
    return [event for event in told_in(caller.log) if event["event"] == name]

"""A rule refuses by the hours, and the device does not know the time: whoever it refuses must not be let in."""
import pathlib
import shutil
import subprocess
import uuid

from interop.world import DEVICE

from abuse.client import Client
from abuse.events import Listeners
from abuse.ringing import make_offer
from abuse.world import ATTACKER
from interop.processes import wait_until
from interop.world import OPERATORS_ARE_RECORDED

SOURCE = pathlib.Path(__file__).parents[1] / "clock_state.c"
#: Operators are answered at any hour, so that the bystander's call is.
POLICY = OPERATORS_ARE_RECORDED + """
[[rule]]
name = "closed"
hours = "daily 00:00-24:00"
action = "reject"
reason = "outside-hours"

[[rule]]
name = "everybody else"
action = "answer"
"""


def variables(context):
    """Has the daemon believe that its clock is not synchronised, which no container can tell the kernel."""
    library = context.scratch / "clock-state.so"
    compiler = shutil.which("cc") or shutil.which("clang")
    if not compiler:
        raise FileNotFoundError("no C compiler: apt-get install gcc libc6-dev")
    subprocess.run([compiler, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, SOURCE], check=True)
    return {"LD_PRELOAD": str(library)}


def attack(stage):
    stage.check(not stage.world.status()["clockSynchronized"], "the daemon takes the clock for synchronised")
    name, payload = _call(stage)
    stage.check(name != "call.answered",
                "a caller whom a rule with hours refuses is answered while the time is unknown")
    stage.note(f"the call met {name} {payload.get('reason', '')}")


def _call(stage):
    """What a stranger's call comes to."""
    caller = Client(stage.port, "127.0.5.1")
    caller.login(*ATTACKER)
    with Listeners([caller.stream()]) as events:
        found = [user for user in caller.request("GET", "/v1/users").json["items"] if user["userTitle"] == DEVICE]
        caller.request("PUT", f"/v1/sessions/{uuid.uuid4()}", {
            "receiverID": found[0]["userID"], "isAudio": True, "isVideo": True, "offer": make_offer()})

        def outcome():
            names = ("call.answered", "call.rejected", "call.ended")
            return next(((name, last) for name in names if (last := events.last(name))), None)
        return wait_until(outcome, "the call is decided")

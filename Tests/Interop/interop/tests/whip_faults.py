"""WHIP endpoints that refuse, hang, flood, answer with garbage or lead elsewhere: each is reported once with its remedy, and a
call that goes on beside it loses no frame."""
import contextlib
import time

from interop import sequence
from interop.calling import Caller
from interop.processes import wait_until
from interop.tests.whip import own, settings
from interop.whip_endpoint import PATH, TOKEN, Endpoint
from interop.world import World

#: Octets of a body without end, before the device must have hung up.
FLOOD = 64 << 20
#: Servers to which one device publishes.
ALIKE = 4
SECONDS = 25


def run(context):
    faults = {
        "401": (_status(401), "token_file"), "404": (_status(404), "url in [[publish]]"),
        "500": (_status(500), "log"), "503": (_status(503, Retry_After="1"), "503"),
        "never": (_never, "no answer in time"), "flood": (_flood, "too long"),
        "garbage": (_garbage, "cannot be used"), "no-sdp": (_no_sdp, "something else than SDP"),
        "no-location": (_no_location, "Location"), "redirects": (_redirect, "redirects more than 3 times"),
        "elsewhere": (_elsewhere, "its token is not sent"), "410": (_status(410), "url in [[publish]]"),
    }
    names = list(faults)
    groups = [names[start:start + ALIKE] for start in range(0, len(names), ALIKE)]
    return "; ".join(_beside_a_call(own(context, f"group-{number}"), {name: faults[name] for name in group})
                     for number, group in enumerate(groups))


def _beside_a_call(context, faults):
    """Endpoints with these faults, to which the device publishes during one call."""
    with contextlib.ExitStack() as stack:
        sections = {}
        for index, (name, (fault, _)) in enumerate(faults.items()):
            endpoint = stack.enter_context(Endpoint(None))
            endpoint.fault = fault
            one = settings(context, endpoint, name=name, when="calls")
            sections["[publish" + " " * index + "]"] = one["[publish]"]
        world = stack.enter_context(World(context, settings=sections))
        caller = stack.enter_context(Caller(context, world, seconds=SECONDS))
        caller.wait_for("connected")
        for name, (_, expected) in faults.items():
            problem = wait_until(lambda name=name: _problem(world, name), f"the device meets {name}", limit=40)
            if expected not in problem:
                raise AssertionError(f"{name} is told as: {problem}")
        caller.wait_for("ended", limit=SECONDS + 20)
        seen = sequence.examine([event["number"] for event in caller.events("received")])
        seen.require(f"the call beside {', '.join(faults)}", share=0.98, at_least=20 * SECONDS)
        log = world.device_log()
        if TOKEN in log:
            raise AssertionError("the token is in the log")
        for name in faults:
            lines = [line for line in log.splitlines() if f"publish {name}:" in line]
            if len(lines) != 1:
                raise AssertionError(f"{name} is reported {len(lines)} times:\n" + "\n".join(lines))
    return f"beside {', '.join(faults)}: {seen}"


def _problem(world, name):
    return {one["name"]: one for one in world.status()["publications"]}[name].get("problem")


def _status(number, **fields):
    return lambda request: request.answer(number, **fields)


def _never(_):
    time.sleep(15)


def _flood(request):
    request.send_response(201)
    request.send_header("Content-Type", "application/sdp")
    request.send_header("Content-Length", str(FLOOD))
    request.end_headers()
    for _ in range(FLOOD >> 16):
        request.wfile.write(bytes(1 << 16))


def _garbage(request):
    request.answer(201, "v=0\r\nm=nonsense\r\n\x00", Content_Type="application/sdp", Location="/whip/sessions/1")


def _no_sdp(request):
    request.answer(201, "<html>welcome</html>", Content_Type="text/html", Location="/whip/sessions/1")


def _no_location(request):
    request.answer(201, "v=0\r\n", Content_Type="application/sdp")


def _redirect(request):
    request.answer(307, Location=PATH)


def _elsewhere(request):
    """Another origin, to which the token must not go."""
    if request.headers.get("Host", "").startswith("localhost"):
        number = 500 if request.headers.get("Authorization") else 401
        return request.answer(number)
    request.answer(308, Location=f"http://localhost:{request.server.server_address[1]}{PATH}")

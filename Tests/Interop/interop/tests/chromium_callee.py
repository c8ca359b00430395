"""The device calls a person whose page is open, as a doorbell does: answered, declined, nobody there."""
import concurrent.futures
import time

from interop import conversation
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, World

SECONDS = 20
PERSON = OPERATOR[0]
#: What `livesessions call --wait` ends with.
ANSWERED, REJECTED, NOT_ONLINE = 0, 4, 5


def run(context):
    world = World(context)
    with (context.scratch / "policy.toml").open("a") as policy:
        policy.write("\n[outgoing]\nrecord = true\n")
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with (world, world.monitor() as monitor, Browser(**devices) as browser,
          concurrent.futures.ThreadPoolExecutor() as bell):
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        world.wait_for_user(PERSON)
        ring = lambda: bell.submit(world.try_command, "call", PERSON, "--wait")
        seen = _talk(context, world, person, monitor, ring)
        conversation.hang_up_from_the_device(world, person)
        recorded = conversation.check_first_recording(context, world, 1, SECONDS)
        _decline(person, ring)
        _leave(person, ring)
        person.require_no_complaints()
    return f"{seen}; recorded {recorded}"


def _talk(context, world, person, monitor, ring):
    begin = time.monotonic()
    call = ring()
    _hear_it_ring(person)
    person.page.click("#answer-seen")
    conversation.wait_until_it_runs(person)
    set_up = time.monotonic() - begin
    _require_code(call, ANSWERED, f"{PERSON} has answered")
    seen = conversation.follow(context, world, person, monitor, SECONDS, "callee.png")
    return f"set up in {set_up:.1f} s, {seen}"


def _hear_it_ring(person):
    person.page.wait_for("!document.querySelector('#incoming').hidden", "the page rings")
    words = person.page.text("#incoming-words")
    if words != f"{DEVICE} is calling you.":
        raise AssertionError(f"a call of the device is announced as {words!r}")


def _decline(person, ring):
    call = ring()
    _hear_it_ring(person)
    person.page.click("#decline")
    _require_code(call, REJECTED, "the call was declined")


def _leave(person, ring):
    person.page.click("#log-out")
    person.page.wait_for("document.querySelector('#log-in').getClientRects().length > 0", "the person has logged out")
    _require_code(ring(), NOT_ONLINE, "no user who is online")


def _require_code(call, code, words):
    finished = call.result(timeout=30)
    if finished.returncode != code or words not in finished.stdout + finished.stderr:
        raise AssertionError(f"livesessions call ends with {finished.returncode}, not {code} and {words!r}: "
                             f"{finished.stdout}{finished.stderr}")

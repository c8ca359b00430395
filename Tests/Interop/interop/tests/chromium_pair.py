"""Two people with browsers call each other through the hub: answering, declining, chat, the hub's restart."""
import contextlib
import time

from interop import measure
from interop.browser import Browser
from interop.page import CallPage
from interop.world import OPERATOR, STRANGER, World

SECONDS = 5


def run(context):
    with contextlib.ExitStack() as stack:
        world = stack.enter_context(World(context, has_device=False))
        people = []
        for person in (OPERATOR, STRANGER):
            browser = stack.enter_context(Browser(camera=context.camera(), microphone=context.microphone()))
            people.append(CallPage(browser.page, world.url, *person))
            people[-1].log_in_and_wait()
        olga, sam = people
        seen = _talk(context, olga, sam)
        _survive_the_hub(world, olga, sam)
        _decline(olga, sam)
        olga.require_no_complaints()
        sam.require_no_complaints()
    return seen


def _talk(context, olga, sam):
    olga.choose(STRANGER[0], "video")
    sam.page.click("#answer")
    for person in (olga, sam):
        person.wait_for_state("connected")
        measure.watch_frames(person.page, "#remote-video")
    olga.say("Is anybody there?")
    sam.wait_for_chat("Is anybody there?")
    sam.say("<b>Yes</b> & no")
    olga.wait_for_chat("<b>Yes</b> & no")
    time.sleep(SECONDS)
    # Two browsers share a small machine here, so pictures may be fewer; their order must hold.
    seen = [measure.frames_seen(person.page, context.camera_frames) for person in (olga, sam)]
    for one in seen:
        one.require("pictures between browsers", share=0.5)
    return "; ".join(map(str, seen))


def _survive_the_hub(world, olga, sam):
    """The hub carries no media: a call goes on without it, and the pages find it again."""
    world.restart_hub()
    for person in (olga, sam):
        person.page.wait_for("document.querySelector('#hub-state').dataset.state === 'online'", "the page is back")
        if person.state != "connected":
            raise AssertionError(f"after the hub's restart the call is {person.state}: {person.words}")
    olga.page.click("#hang-up")
    olga.wait_for_state("ended")
    sam.page.wait_for("['ended', 'reconnecting'].includes(document.querySelector('#call').dataset.state)",
                      "the other side notices", limit=20)
    sam.wait_for_state("ended", limit=30)


def _decline(olga, sam):
    olga.page.wait_for(f"document.querySelector('.user[data-title=\"{STRANGER[0]}\"]')", "they see each other again")
    olga.choose(STRANGER[0], "audio")
    sam.page.click("#decline")
    olga.wait_for_state("ended")
    if olga.words != f"{STRANGER[0]} declined the call.":
        raise AssertionError(f"a declined call is told as {olga.words!r}")

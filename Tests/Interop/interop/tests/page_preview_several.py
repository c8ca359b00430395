"""A device that calls is previewed by several at once: two pages of one person, two people of a hunt, and a page that goes
away; whoever answers first has the call, and no other sees anything any more."""
import concurrent.futures

from interop.browser import Browser
from interop.page import CallPage
from interop.processes import wait_until
from interop.tests.page_preview import OUTGOING, wait_for_preview
from interop.world import OPERATOR, POLICY, SECOND_OPERATOR, World


def run(context):
    world = World(context, policy=POLICY + OUTGOING.format(preview="true\npreview_audio = true"))
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with world, Browser(**devices) as browser, concurrent.futures.ThreadPoolExecutor() as bell:
        first = CallPage(browser.page, world.url, *OPERATOR)
        first.log_in_and_wait()
        second = CallPage(browser.open_tab(), world.url, *OPERATOR)
        second.log_in_and_wait()
        world.wait_for_user(OPERATOR[0])
        ring = lambda *people: bell.submit(world.try_command, "call", *people)
        _two_pages(world, first, second, ring)
        _gone_page(world, first, second, ring)
        second = _change_person(world, second.page)
        world.wait_for_user(SECOND_OPERATOR[0])
        _hunt(world, first, second, ring)
        for page in (first, second):
            page.require_no_complaints()


def _two_pages(world, first, second, ring):
    ring(OPERATOR[0])
    for page in (first, second):
        wait_for_preview(page.page)
    _wait_for_previews(world, [2])
    if not second.page.evaluate("document.querySelector('#incoming-video').srcObject.getAudioTracks().length === 1"):
        raise AssertionError("the preview has no sound")
    second.page.click("#answer")
    second.wait_for_state("connected")
    _require_nothing(first)
    _wait_for_previews(world, [0])
    second.page.click("#hang-up")
    _wait_for_previews(world, [])


def _gone_page(world, first, second, ring):
    """What a page that is closed saw is not sent any longer, and the other still rings."""
    ring(OPERATOR[0])
    for page in (first, second):
        wait_for_preview(page.page)
    _wait_for_previews(world, [2])
    second.page.open("about:blank")
    _wait_for_previews(world, [1])
    first.page.click("#decline")
    _wait_for_previews(world, [])


def _change_person(world, page):
    """The tab still knows who was there."""
    CallPage(page, world.url, *OPERATOR)
    page.click("#log-out")
    page.wait_for("document.body.dataset.view === 'login'", "the second tab is logged out")
    second = CallPage(page, world.url, *SECOND_OPERATOR)
    second.log_in_and_wait()
    return second


def _hunt(world, first, second, ring):
    ring(OPERATOR[0], SECOND_OPERATOR[0], "--hunt", "all-at-once")
    for page in (first, second):
        wait_for_preview(page.page)
    _wait_for_previews(world, [1, 1])
    first.page.click("#answer")
    first.wait_for_state("connected")
    _require_nothing(second)
    _wait_for_previews(world, [0])
    first.page.click("#hang-up")


def _wait_for_previews(world, counts):
    wait_until(lambda: [call.get("previews", 0) for call in world.status()["sessions"]] == counts,
               f"the previews of the device's calls are {counts}")


def _require_nothing(page):
    page.page.wait_for("!document.querySelector('#incoming').open", "the other page does not ring any longer")
    page.page.wait_for("document.querySelector('#incoming-video').srcObject === null", "the other page sees nothing any longer")

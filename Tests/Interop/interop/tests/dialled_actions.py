"""Callers dial a device's actions, one of them behind a PIN: Chromium with its keypad, and a peer as SIP telephones are."""
from interop.browser import Browser
from interop.calling import Caller
from interop.connections import Connections
from interop.dialling import Actions
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, SECOND_OPERATOR, World

#: Chromium waits half a second before a comma's successor is sent; a code's digits follow each other at once.
DIAL = """(async () => {{
  const senders = interopHooks.connections.at(-1).getSenders();
  senders.find((sender) => sender.track?.kind === "audio").dtmf.insertDTMF("{digits}", 100, 70);
}})()"""


def run(context):
    actions = Actions(context.scratch)
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with World(context, actions=actions.settings, rules=actions.rules) as world:
        with Browser(**devices) as browser:
            Connections(browser.page)
            caller = CallPage(browser.page, world.url, *OPERATOR)
            caller.log_in_and_wait()
            caller.choose(DEVICE, "video")
            caller.wait_for_state("connected")
            browser.page.evaluate(DIAL.format(digits=actions.DIGITS))
            actions.wait_for_both(world, "Chromium")
            caller.page.click("#hang-up")
            caller.wait_for_state("ended")
            caller.require_no_complaints()
        seconds = 4 + len(actions.DIGITS) / 2
        with Caller(context, world, seconds, person=SECOND_OPERATOR, options=["--dial", actions.DIGITS]) as caller:
            actions.wait_for_both(world, "aiortc")
            results = [event["data"] for event in caller.events("signal") if event["type"] == "action.result"]
            caller.wait_for("ended")
            caller.require_no_errors()
    return f"told {results}"

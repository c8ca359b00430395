"""Somebody whom the device's policy rejects reads why, in words."""
from interop.browser import Browser
from interop.page import CallPage
from interop.world import DEVICE, STRANGER, World


def run(context):
    with World(context) as world, Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        caller = CallPage(browser.page, world.url, *STRANGER)
        caller.log_in(password="not the password")
        caller.page.wait_for("!document.querySelector('#login-error').hidden", "a wrong password is refused")
        words = caller.page.text("#login-error")
        if "do not match" not in words:
            raise AssertionError(f"a wrong password is answered with {words!r}")
        caller.page.evaluate("document.querySelector('#login-form').reset()")
        caller.log_in_and_wait()
        caller.choose(DEVICE, "video")
        caller.wait_for_state("ended")
        if f"{DEVICE} does not accept calls from you" not in caller.words:
            raise AssertionError(f"the page says {caller.words!r}")
        if caller.page.evaluate("document.querySelector('#local-video').srcObject !== null"):
            raise AssertionError("the camera stays on after a rejected call")
        caller.require_no_complaints()
        return caller.words

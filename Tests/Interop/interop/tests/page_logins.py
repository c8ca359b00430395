"""A person sees on the page where they are logged in, ends a login elsewhere, and logs out: its token is good for nothing more."""
import json

from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import OPERATOR, World

ENTRIES = "[...document.querySelectorAll('#login-list .archive')].map((entry) => entry.textContent)"


def run(context):
    with World(context, has_device=False) as world, \
            Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        elsewhere = HubClient(world.url)
        elsewhere.login(*OPERATOR)
        person = CallPage(browser.page, world.url, *OPERATOR)
        person.log_in_and_wait()
        page = browser.page
        page.click("#settings-open")
        page.wait_for(f"{ENTRIES}.length === 2", "the page lists two logins")
        entries = page.evaluate(ENTRIES)
        if not any("Chrome" in entry and "this page" in entry for entry in entries):
            raise AssertionError(f"the page does not know itself: {entries}")
        page.click("#logins-end")
        page.wait_for(f"{ENTRIES}.length === 1", "the other login is gone")
        _require_end(elsewhere, "the login elsewhere")
        page.click("#settings-close")
        own = HubClient(world.url)
        own.token = json.loads(page.evaluate("sessionStorage.getItem('livesessions.login')"))["accessToken"]
        own.request("GET", "/v1/users")
        page.click("#log-out")
        page.wait_for("document.body.dataset.view === 'login'", "the page shows the log-in")
        _require_end(own, "the page's login")
        person.require_no_complaints()
    return "a login elsewhere and the page's own ended"


def _require_end(client, what):
    def is_refused():
        try:
            client.request("GET", "/v1/users")
        except Refused as refusal:
            return refusal.status == 401
        return False
    wait_until(is_refused, f"{what} has ended", 5, 0.2)
    try:
        client.request("POST", "/v1/token")
    except Refused as refusal:
        if refusal.status == 401:
            return
    raise AssertionError(f"{what} is renewed all the same")

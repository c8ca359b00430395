"""An operator invites a guest on the page; the guest calls by the link from a browser of its own. The link is good for that browser
alone, and nothing else is for the guest; revoking it ends the call. The audit log says all of it."""
import base64
import hashlib
import hmac
import json
import os
import time

from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.world import DEVICE, OPERATOR, OPERATORS_ARE_RECORDED, World

GUEST = "Parcel service"
GUESTS_ARE_ANSWERED = """
[[rule]]
name = "guests"
caller = ["role:guest"]
action = "answer"
"""
GUEST_WORDS = "document.querySelector('#guest-state').textContent"
CALL = "#guest-devices button:not(:disabled)"


def run(context):
    with World(context, policy=OPERATORS_ARE_RECORDED + GUESTS_ARE_ANSWERED) as world, \
            Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        operator = CallPage(browser.page, world.url, *OPERATOR)
        operator.log_in_and_wait()
        link = _invite(browser.page, context)
        with Browser(camera=context.camera(), microphone=context.microphone()) as other:
            guest = CallPage(other.page, None, None, None)
            _call(other.page, guest, link, context)
            _require_one_browser(browser, link)
            _revoke(browser.page)
            other.page.wait_for(f"{GUEST_WORDS}.includes('revoked')", "the guest's page says that it is over")
            guest.require_no_complaints()
        _require_nothing_else(world)
        _require_entries(browser.page, context)
        operator.require_no_complaints()
    return "a guest called by a link that is good for one browser, and no longer than wanted"


def _invite(page, context):
    page.evaluate("location.hash = '#/administration/invitations'")
    page.wait_for("!document.querySelector('#invitation-make').disabled", "the page knows devices")
    page.type_into("#invitation-name", GUEST)
    page.click("#invitation-make")
    page.wait_for("document.querySelector('#invitation-link').value !== ''", "the page shows the link")
    # Before another tab hides this one.
    if context.artifacts:
        page.screenshot(context.artifacts / "invitations.png")
    return page.evaluate("document.querySelector('#invitation-link').value")


def _call(page, guest, link, context):
    page.open(link)
    page.wait_for(f"document.querySelector({json.dumps(CALL)})", "the guest may call")
    if context.artifacts:
        page.screenshot(context.artifacts / "guest.png")
    page.click(CALL)
    guest.wait_for_state("connected", 30)
    # A reload gets in by the key that this browser has kept, and calls again.
    page.open("about:blank")
    page.open(link)
    page.wait_for(f"document.querySelector({json.dumps(CALL)})?.textContent.includes({json.dumps(DEVICE)})",
                  "the guest is in again after a reload")
    page.click(CALL)
    guest.wait_for_state("connected", 30)


def _require_one_browser(browser, link):
    tab = browser.open_tab()
    tab.open(link)
    tab.wait_for(f"{GUEST_WORDS}.includes('another browser')", "another browser is refused")
    browser.page.command("Page.bringToFront")


def _revoke(page):
    page.wait_for("[...document.querySelectorAll('#invitation-list .archive')]"
                  f".some((entry) => entry.textContent.includes({json.dumps(GUEST)}))", "the list has the invitation")
    page.click("#invitation-list .archive button")


def _require_nothing_else(world):
    """The same by requests, as somebody makes them who does without the page."""
    operator = HubClient(world.url)
    operator.login(*OPERATOR)
    device = operator.find(DEVICE)
    wish = {"name": "Cleaner", "deviceID": device, "media": "watch", "until": int(time.time() * 1000) + 3_600_000}
    # A name that would forge a line of a log is none.
    _require_refusal(400, operator, "POST", "/v1/invitations", {**wish, "name": "A\n2026 login-failed\u001b[2J\u202e"})
    invitation = operator.request("POST", "/v1/invitations", wish)
    guest = HubClient(world.url)
    key = base64.urlsafe_b64encode(os.urandom(32)).decode().rstrip("=")
    login = guest.request("POST", "/v1/invitations/redeem", {"code": invitation["code"], "key": key})
    guest.token = login["accessToken"]
    for path in ("/v1/users", f"/v1/users/{device}/archives", f"/v1/users/{device}/snapshot", "/v1/audit", "/v1/accounts",
                 f"/v1/users/{device}/events?from=0&before=1", "/v1/invitations", "/v1/logins"):
        _require_refusal(403, guest, "GET", path)
    _require_refusal(401, guest, "POST", "/v1/token")
    stolen = base64.urlsafe_b64encode(hmac.digest(os.urandom(32), b"x", hashlib.sha256)).decode().rstrip("=")
    view = guest.request("POST", "/v1/invitations/check", {"code": invitation["code"]})
    _require_refusal(409, guest, "POST", "/v1/invitations/redeem", {
        "code": invitation["code"], "challenge": view["challenge"], "proof": stolen})
    operator.request("DELETE", f"/v1/invitations/{invitation['id']}")
    _require_refusal(401, guest, "GET", "/v1/invitation")


def _require_refusal(status, client, method, path, body=None):
    try:
        client.request(method, path, body)
    except Refused as refusal:
        if refusal.status == status:
            return
        raise
    raise AssertionError(f"{method} {path} is not refused")


def _require_entries(page, context):
    page.evaluate("location.hash = '#/administration/audit'")
    for words in ("Invitation made", "Invitation used", "Invitation refused", "Invitation revoked"):
        page.wait_for("[...document.querySelectorAll('#audit-list .title')]"
                      f".some((title) => title.textContent.includes({json.dumps(words)}))", f"the audit log has {words!r}")
    if context.artifacts:
        page.screenshot(context.artifacts / "audit.png")

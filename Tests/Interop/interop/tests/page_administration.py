"""An operator administrates on the page: a device is created, comes online by the key that was shown, is replaced and revoked; a
call ends; a person logs in by a one-time code; what is of another group is out of reach."""
import json
import uuid

from interop.browser import Browser
from interop.hub_client import HubClient, Refused
from interop.page import CallPage
from interop.processes import wait_until
from interop.world import DEVICE, OPERATOR, SECOND_OPERATOR, STRANGER, World

PERSON, PASSWORD, NEXT_PASSWORD = "Paula Person", "chosen by herself", "thought better of"
FOREIGN = "Depot"


def run(context):
    with World(context, has_device=False) as world, \
            Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        world.change_accounts("enrol-device", "--title", FOREIGN, "--group", "elsewhere",
                              "--key-file", world.folder / "foreign-key")
        operator = CallPage(browser.page, world.url, *OPERATOR)
        operator.log_in_and_wait()
        desk = _Desk(browser.page)
        desk.open()
        _follow_a_device(world, desk)
        _require_foreign_out_of_reach(world, desk)
        _end_a_call(world, desk)
        if context.artifacts:
            browser.page.screenshot(context.artifacts / "administration.png")
        code = desk.create("new-person", PERSON)
        desk.wait_for_detail(PERSON, "has to set a password")
        _choose_password(browser.page, code)
        _change_password(world, browser.page)
        operator.require_no_complaints()
    return "a device came, was replaced and revoked; a call ended; a person logged in by a one-time code"


def _follow_a_device(world, desk):
    # The world has one of that name already.
    desk.press(DEVICE, "remove")
    desk.wait_until_absent(DEVICE)
    key_file = world.folder / "enrolment-key"
    key_file.write_text(desk.create("new-device", DEVICE) + "\n")
    world.start_device(60)
    desk.wait_for_state(DEVICE, "online")
    desk.press(DEVICE, "renew")
    key = desk.take_secret()
    desk.wait_for_state(DEVICE, "offline")
    world.stop_device()
    key_file.write_text(key + "\n")
    world.start_device(60)
    desk.wait_for_state(DEVICE, "online")
    desk.press(DEVICE, "remove")
    desk.wait_until_absent(DEVICE)
    operator = HubClient(world.url)
    operator.login(*OPERATOR)
    wait_until(lambda: operator.find(DEVICE) is None, "the revoked device is offline", 15, interval=0.5)
    try:
        HubClient(world.url).request("POST", "/v1/login", {"userTitle": DEVICE, "enrolmentKey": key})
    except Refused as refusal:
        if refusal.status == 401:
            return
    raise AssertionError("the key of a revoked device is taken")


def _require_foreign_out_of_reach(world, desk):
    if FOREIGN in desk.titles():
        raise AssertionError("an operator sees a device of another group")
    foreign = HubClient(world.url).request(
        "POST", "/v1/login",
        {"userTitle": FOREIGN, "enrolmentKey": (world.folder / "foreign-key").read_text().strip()})["userID"]
    operator = HubClient(world.url)
    operator.login(*OPERATOR)
    for method, path, body in (("DELETE", "", None), ("POST", "/enrolment", None), ("PATCH", "", {"title": "Mine"})):
        try:
            operator.request(method, f"/v1/accounts/{foreign}{path}", body)
        except Refused as refusal:
            if refusal.status == 404:
                continue
        raise AssertionError(f"{method} of an account of another group is not refused")


def _end_a_call(world, desk):
    receiver, caller = HubClient(world.url), HubClient(world.url)
    receiver.login(*SECOND_OPERATOR)
    caller.login(*STRANGER)
    with receiver.events() as stream:
        hello = json.loads(next(line for line in stream if line.startswith(b"data:"))[5:])
        medium = {"isAudio": True, "isVideo": False}
        receiver.request("PUT", "/v1/presence", {
            "kind": "person", "status": "available", **medium, "eventStreamID": hello["eventStreamID"]})
        caller.request("PUT", f"/v1/sessions/{uuid.uuid4()}", {
            "receiverID": receiver.user_id, **medium, "offer": "v=0"})
        desk.end_call(f"{STRANGER[0]} → {SECOND_OPERATOR[0]}")


def _choose_password(page, code):
    page.click("#log-out")
    page.wait_for("document.body.dataset.view === 'login'", "the page shows the log-in")
    page.click("#use-code")
    page.evaluate("document.querySelector('#code-title').value = ''")
    page.type_into("#code-title", PERSON)
    page.type_into("#code", code.lower())
    page.type_into("#code-password", PASSWORD)
    page.click("#code-submit")
    page.wait_for("document.querySelector('#hub-state').dataset.state === 'online'", "the person is online")
    if not page.evaluate("document.querySelector('#administration-open').hidden"):
        raise AssertionError("a user is offered the administration")


def _change_password(world, page):
    elsewhere = HubClient(world.url)
    elsewhere.login(PERSON, PASSWORD)
    page.click("#settings-open")
    page.wait_for("!document.querySelector('#settings').hidden", "the settings show")
    page.type_into('.own-password [data-part="old"]', PASSWORD)
    page.type_into('.own-password [data-part="new"]', NEXT_PASSWORD)
    page.click(".own-password button")
    page.wait_for("document.querySelector('.own-password [data-part=\"state\"]').textContent.includes('is changed')",
                  "the password is changed")
    wait_until(lambda: _is_refused(elsewhere), "the login elsewhere has ended", 5, 0.2)
    # The page goes on by its new login.
    page.wait_for("document.querySelector('#hub-state').dataset.state === 'online'", "the page is online again")
    if page.evaluate("document.body.dataset.view") != "home":
        raise AssertionError("the page that changed the password is logged out")
    elsewhere.login(PERSON, NEXT_PASSWORD)


def _is_refused(client):
    try:
        client.request("GET", "/v1/users")
    except Refused as refusal:
        return refusal.status == 401
    return False


class _Desk:
    """The page's administration."""

    def __init__(self, page):
        self._page = page

    def open(self):
        self._page.evaluate("window.confirm = () => true")
        self._page.click("#administration-open")
        self._page.wait_for("document.querySelectorAll('#account-list .account').length > 0", "accounts are listed")

    def titles(self):
        return self._page.evaluate(
            "[...document.querySelectorAll('#account-list .account .title')].map((one) => one.textContent)")

    def create(self, button, title):
        """Returns what the account proves itself by."""
        self._page.click(f"#{button}")
        self._page.type_into("#account-title", title)
        self._page.click("#account-save")
        secret = self.take_secret()
        self._page.wait_for(f"{_entry(title)} !== undefined", f"{title} is listed")
        return secret

    def take_secret(self):
        self._page.wait_for("document.querySelector('#grant').open", "a key or code is shown")
        if not self._page.evaluate("document.querySelector('#grant-qr svg') !== null"):
            raise AssertionError("there is no QR code")
        secret = self._page.text("#grant-secret")
        self._page.click("#grant-close")
        return secret

    def press(self, title, action):
        self._page.wait_for(f"{_entry(title)} !== undefined", f"{title} is listed")
        self._page.evaluate(f"{_entry(title)}.querySelector('[data-action=\"{action}\"]').click()")

    def wait_for_state(self, title, state):
        self._page.wait_for(f"{_entry(title)}?.dataset.state === '{state}'", f"{title} is {state}", 40)

    def wait_for_detail(self, title, text):
        self._page.wait_for(
            f"{_entry(title)}?.querySelector('.detail').textContent.includes({json.dumps(text)})", f"{title}: {text}")

    def wait_until_absent(self, title):
        self._page.wait_for(f"{_entry(title)} === undefined", f"{title} is gone")

    def end_call(self, parties):
        call = _entry(parties, "#active-call-list .archive")
        self._page.wait_for(f"{call} !== undefined", f"{parties} is listed")
        self._page.evaluate(f"{call}.querySelector('button').click()")
        self._page.wait_for(f"{call} === undefined", f"{parties} has ended")


def _entry(title, entries="#account-list .account"):
    return (f"[...document.querySelectorAll('{entries}')]"
            f".find((one) => one.querySelector('.title').textContent === {json.dumps(title)})")

"""The page's states one after the other, with real devices, for those who look at each: its accessibility, its pictures."""
import concurrent.futures
import contextlib
import json
import time

from interop.browser import Browser
from interop.hub_client import HubClient
from interop.page import CallPage
from interop.processes import Child, wait_until
from interop.world import DEVICE, OPERATOR, OPERATORS_ARE_RECORDED, World, toml

STREET = {"camera": "test:street", "width": 640, "height": 360, "bitrate": "1Mbit/s"}
POLICY = OPERATORS_ARE_RECORDED + """
[[rule]]
name = "guests"
caller = ["role:guest"]
action = "answer"

[[action_rule]]
name = "door"
action = ["open-door", "light"]
caller = ["role:operator"]

[recording]
allowed = ["role:operator"]
managers = ["role:operator"]

[outgoing]
preview = true
"""
ACTIONS = [{"name": "open-door", "prominent": True, "run": ["/bin/true"]}, {"name": "light", "run": ["/bin/true"]}]
SETTINGS = {
    "hub": {"snapshots": True, "timeline": True},
    "archive": {"record_now_limit": "5m"},
    "video": STREET,
    "[camera]": {"name": "garden", "path": "test:street", "width": 320, "height": 240, "bitrate": "300kbit/s"},
    "[event]": {"name": "path", "kind": "motion"},
}
#: Devices beside the usual one, with their places; the last of them is offline.
OTHERS = {"Back gate": (52.5200, 13.3900), "Garage": (52.5130, 13.3700), "Barn": (52.5190, 13.3600)}


class Village(World):
    """A few devices in streets of their own."""

    camera = "test:street"

    def __init__(self, context, others=OTHERS):
        super().__init__(context, settings=SETTINGS, actions=ACTIONS, policy=POLICY)
        self._places = others
        self._others = []

    def __enter__(self):
        super().__enter__()
        try:
            for title, place in self._places.items():
                self._others.append(self._start(title, place))
            client = HubClient(self.url)
            client.login(*OPERATOR)
            for title in self._places:
                wait_until(lambda: client.find(title), f"{title} is online", 20, interval=0.2)
        except BaseException:
            self._end()
            raise
        return self

    def lose_last(self):
        """The device that is offline from then on."""
        self._others[-1].stop()
        return list(self._places)[-1]

    def _start(self, title, place):
        folder = self._folder / title.replace(" ", "-")
        (folder / "state").mkdir(mode=0o700, parents=True)
        self.change_accounts("enrol-device", "--title", title, "--key-file", folder / "key")
        settings = {name: value for name, value in self._device_configuration().items() if not name.startswith("[")}
        settings["device"] = {"title": title, "state_directory": str(folder / "state")}
        settings["hub"] = {**settings["hub"], "enrolment_key_file": str(folder / "key")}
        settings["video"] = {"camera": "test:street", "width": 320, "height": 240, "bitrate": "300kbit/s"}
        settings["location"] = {"static": {"latitude": place[0], "longitude": place[1]}}
        settings["control"] = {"socket": str(folder / "control")}
        (folder / "device.toml").write_text(toml(settings))
        return Child([self._binaries / "livesessionsd", "--config", folder / "device.toml", "--policy",
                      self._folder / "policy.toml"], folder / "device.log")

    def _end(self):
        for child in self._others:
            child.kill()
        super()._end()


def visit(context, look, *, before="", others=OTHERS):
    """Calls `look(name, page)` in each state; `before` is a script that runs in each document before its own."""
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with contextlib.ExitStack() as stack:
        world = stack.enter_context(Village(context, others))
        page = stack.enter_context(Browser(**devices)).page
        bell = stack.enter_context(concurrent.futures.ThreadPoolExecutor())
        if before:
            page.run_before(before)
        person = CallPage(page, world.url, *OPERATOR)
        walk = _Walk(world, page, person, look, bell)
        walk.log_in()
        walk.home()
        walk.talk()
        walk.ring()
        walk.device()
        walk.lists()
        link = walk.administration()
        walk.lose()
        person.require_no_complaints()
        guest = stack.enter_context(Browser(**devices)).page
        if before:
            guest.run_before(before)
        walk.guest(guest, link)


class _Walk:
    def __init__(self, world, page, person, look, bell):
        self._world, self._page, self._person, self._look, self._bell = world, page, person, look, bell

    def log_in(self):
        self._look("login", self._page)
        self._page.click("#use-code")
        self._look("login-by-code", self._page)
        self._page.click("#use-password")
        self._person.log_in_and_wait()

    def home(self):
        page = self._page
        page.wait_for("document.querySelectorAll('.user').length > 1", "the list is there")
        page.wait_for("[...document.querySelectorAll('.tile img')].some((image) => image.naturalWidth > 0)", "images came", 30)
        time.sleep(1)
        self._look("wall", page)
        page.click(f'.tile[data-title="{DEVICE}"] [data-action="live"]')
        page.wait_for("[...document.querySelectorAll('.tile video')].some((video) => video.currentTime > 0.5)", "one is live", 20)
        page.evaluate("document.querySelector('.stage').scrollTop = 0")
        self._look("wall-live", page)
        page.click('.wall [data-home="map"]')
        page.wait_for("document.querySelectorAll('#map .point').length > 1", "points are on the map")
        self._look("map", page)
        page.click('.wall [data-home="wall"]')
        page.click(f'.user[data-title="{DEVICE}"] [data-action="menu"]')
        page.wait_for("!document.querySelector('#menu').hidden", "the menu shows")
        self._look("menu", page)
        self._escape()

    def talk(self):
        page, person = self._page, self._person
        person.choose(DEVICE, "video")
        person.wait_for_state("connected")
        page.wait_for("document.querySelector('#remote-video').videoWidth > 0", "the video is there")
        page.wait_for("document.querySelectorAll('#device-actions button').length > 0", "the actions are there")
        person.say("Hello, is this the front door?")
        self._world.command("chat", person.session, "It is. The parcel is in the box.")
        person.wait_for_chat("It is. The parcel is in the box.")
        time.sleep(2)
        page.evaluate("document.activeElement.blur()")
        self._look("call", page)
        page.click("#quality-toggle")
        self._look("call-quality", page)
        page.click("#quality-toggle")
        page.click("#full-screen")
        page.wait_for("document.fullscreenElement", "the video fills the screen")
        self._look("full-screen", page)
        page.click("#full-screen")
        page.click("#hang-up")
        person.wait_for_state("ended")
        self._look("ended", page)
        page.click("#call-close")
        person.choose(DEVICE, "audio")
        person.wait_for_state("connected")
        self._look("audio-call", page)
        page.click("#hang-up")
        person.wait_for_state("ended")
        page.click("#call-close")

    def ring(self):
        page = self._page
        self._world.wait_for_user(OPERATOR[0])
        self._bell.submit(self._world.try_command, "call", OPERATOR[0], "--wait")
        page.wait_for("document.querySelector('#incoming').open", "the page rings")
        page.wait_for("document.querySelector('#incoming-video').videoWidth > 0", "the dialog shows the door", 20)
        self._look("incoming", page)
        page.click("#decline")
        self._bell.submit(self._world.try_command, "call", OPERATOR[0], "--wait", "--ring-for", "2").result(timeout=30)
        page.wait_for("document.querySelector('#calls-badge').textContent === '1'", "a call was missed")
        if page.text("#call-close"):
            page.click("#call-close")
        self._look("missed", page)
        # It would go by itself, seconds later.
        page.evaluate("document.querySelector('#notice').hidden = true")

    def device(self):
        page = self._page
        self._world.command("archive", "start")
        time.sleep(2)
        self._world.command("archive", "stop")
        page.click(f'.user[data-title="{DEVICE}"] .title')
        page.wait_for("document.querySelector('#snapshot-picture').naturalWidth > 0", "its page has an image", 30)
        self._look("device-snapshot", page)
        page.click('#device-parts [data-part="events"]')
        page.wait_for("document.querySelector('#timeline .span')", "recordings are on the strip", 20)
        time.sleep(0.5)
        self._look("device-events", page)
        for _ in range(4):
            page.click("#timeline-in")
        self._look("device-events-zoomed", page)
        page.click('#device-parts [data-part="recordings"]')
        page.wait_for("document.querySelector('#archive-list .archive')", "recordings are listed")
        time.sleep(0.5)
        self._look("device-recordings", page)
        page.click('#archive-list .archive [data-action="open"]')
        page.wait_for("document.querySelectorAll('#player-videos video').length === 2"
                      " && [...document.querySelectorAll('#player-videos video')].every((video) => video.readyState >= 2)",
                      "both cameras are there", 20)
        time.sleep(1)
        self._look("player", page)
        page.click('#archive-list .archive [data-action="delete"]')
        page.wait_for("document.querySelector('#archive-dialog').open", "the page asks")
        self._look("player-question", page)
        page.click("#archive-cancel")

    def lists(self):
        page = self._page
        page.click("#calls-open")
        page.wait_for("document.querySelectorAll('.call-entry').length > 2", "calls are listed")
        self._look("calls", page)
        page.evaluate("location.hash = '#/settings'")
        page.wait_for("document.querySelector('#login-list li')", "logins are listed")
        time.sleep(0.3)
        self._look("settings", page)

    def administration(self):
        page = self._page
        page.evaluate("location.hash = '#/administration'")
        page.wait_for("document.querySelectorAll('#account-list .account').length > 2", "accounts are listed")
        self._look("administration", page)
        page.click("#new-device")
        page.type_into("#account-title", "Attic")
        self._look("administration-new", page)
        page.click("#account-save")
        page.wait_for("document.querySelector('#grant-qr svg')", "the key shows")
        self._look("administration-key", page)
        page.click("#grant-close")
        page.evaluate("location.hash = '#/administration/invitations'")
        page.wait_for("!document.querySelector('#invitation-make').disabled", "the page knows devices")
        self._look("invitations-empty", page)
        page.evaluate("(() => { const choice = document.querySelector('#invitation-device');"
                      f" choice.value = [...choice.options].find(({{ text }}) => text === {json.dumps(DEVICE)}).value; }})()")
        page.type_into("#invitation-name", "Parcel service")
        page.click("#invitation-make")
        page.wait_for("document.querySelector('#invitation-link').value !== ''", "the page shows the link")
        self._look("invitations", page)
        link = page.evaluate("document.querySelector('#invitation-link').value")
        page.evaluate("location.hash = '#/administration/audit'")
        page.wait_for("document.querySelectorAll('#audit-list .archive').length > 3", "the audit log has entries")
        self._look("audit", page)
        page.evaluate("location.hash = '#/'")
        return link

    def lose(self):
        page, title = self._page, self._world.lose_last()
        line = json.dumps(f'.user[data-title="{title}"]')
        page.wait_for(f"document.querySelector({line}).dataset.status === 'offline'", "a device is offline", 60)
        time.sleep(0.5)
        self._look("wall-offline", page)

    def guest(self, page, link):
        page.open(link)
        button = "#guest-devices button:not(:disabled)"
        page.wait_for(f"document.querySelector({json.dumps(button)})", "the guest may call")
        self._look("guest", page)
        page.click(button)
        CallPage(page, None, None, None).wait_for_state("connected", 30)
        time.sleep(1)
        self._look("guest-call", page)
        self._page.command("Page.bringToFront")
        self._page.evaluate("location.hash = '#/administration/invitations'")
        self._page.click("#invitation-list .archive button")
        page.wait_for("document.querySelector('#guest-state').textContent.includes(' ') && document.querySelector('#call').dataset.state === 'ended'",
                      "the invitation is over")
        self._look("guest-over", page)

    def _escape(self):
        for kind in ("keyDown", "keyUp"):
            self._page.command("Input.dispatchKeyEvent", type=kind, key="Escape", code="Escape", windowsVirtualKeyCode=27)

"""A person whose page is closed is rung by Web Push: the service gets a message that only the browser can read, a notification
shows, a click opens the page, and the call is answered. Another phone learns of it; missed and declined calls, and logging out."""
import concurrent.futures
import json
import time

from interop import conversation
from interop.browser import Browser
from interop.desktop import Desktop
from interop.hub_client import HubClient
from interop.page import CallPage
from interop.processes import wait_until
from interop.push_service import PushService
from interop.pushing import Worker, with_subscription
from interop.world import DEVICE, OPERATOR, World

RINGING = f"{DEVICE} is calling you."
#: What `livesessions call --wait` ends with.
ANSWERED, REJECTED = 0, 4
#: From the button to the notification, in seconds.
GOAL = 2.0
#: For how long a call rings, in seconds, and how much later a message may say that it ends.
LONGEST_RING, INACCURACY = 60, 5
#: What the page leaves in the browser that could be somebody's.
LEFT = """(async () => {
  const kept = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
  return { answers: kept.flat().map(({ url }) => url).filter((url) => url.includes("/v1/")),
    stored: [...Object.keys(localStorage), ...Object.keys(sessionStorage)]
      .filter((key) => /login|ring|subscription/.test(key)) };
})()"""


def run(context):
    with PushService(context.scratch) as service, Desktop(context.scratch) as desktop:
        phone, second = service.subscribe(), service.subscribe()
        world = World(with_subscription(context, phone), hub_settings={"push": {
            "contact": "mailto:operator@example.org", "services": [service.url.removeprefix("https://")],
            "certificate_authorities_file": str(service.authority)}})
        devices = {"camera": context.camera(), "microphone": context.microphone()}
        with (world, Browser(**devices, desktop=desktop) as browser, concurrent.futures.ThreadPoolExecutor() as bell):
            return Scenario(world, browser, desktop, service, phone, second, bell).play()


class Scenario:
    def __init__(self, world, browser, desktop, service, phone, second, bell):
        self._world, self._browser, self._desktop, self._service = world, browser, desktop, service
        self._phone, self._second, self._bell = phone, second, bell
        #: What of each subscription's messages has been read.
        self._read = {phone.endpoint: 0, second.endpoint: 0}
        self._watcher = HubClient(world.url)
        self._worker = None

    def play(self):
        self._watcher.login(*OPERATOR)
        self._watcher.request("POST", "/v1/push/subscriptions", {**self._second.to_json(), "language": "de"})
        self._subscribe()
        delay, connected = self._answer()
        self._miss()
        self._decline()
        self._log_out()
        self._service.require_no_complaints()
        return f"button to notification {delay * 1_000:.0f} ms, click to picture {connected:.1f} s"

    def _subscribe(self):
        page = self._browser.page
        person = CallPage(page, self._world.url, *OPERATOR)
        person.log_in_and_wait()
        self._worker = Worker(page, self._world.url)
        self._worker.allow_notifications()
        page.click("#settings-open")
        page.click("#ring-closed")
        page.wait_for("document.querySelector('#ring-closed-state').textContent.startsWith('This device rings')",
                      "the hub knows the subscription")
        if len(self._watcher.request("GET", "/v1/push")["subscriptions"]) != 2:
            raise AssertionError("the hub does not list both subscriptions")
        person.require_no_complaints()
        # What the worker gets is handed over through this tab, which is no page of the hub's any more.
        page.open("about:blank")

    def _answer(self):
        begin = time.time()
        call, notification = self._ring()
        delay = notification.shown_at - begin
        if delay > GOAL:
            raise AssertionError(f"the notification shows {delay:.1f} s after the button")
        clicked = time.monotonic()
        self._desktop.click(notification, "Answer")
        person = self._opened_page()
        conversation.wait_until_it_runs(person)
        connected = time.monotonic() - clicked
        self._require_code(call, ANSWERED)
        for subscription in (self._phone, self._second):
            self._require_end(subscription, "answered")
        self._desktop.wait_for(f"The call from {DEVICE} was answered.")
        wait_until(lambda: not self._desktop.visible(), "no notification is left")
        conversation.hang_up_from_the_device(self._world, person)
        self._close(person)
        return delay, connected

    def _miss(self):
        """The device gives up; who clicks on the notification later reads so."""
        call, notification = self._ring()
        self._world.command("hangup", self._session)
        call.result(timeout=30)
        self._require_end(self._phone, "missed")
        self._require_end(self._second, "missed")
        missed = self._desktop.wait_for(f"Missed call from {DEVICE}")
        wait_until(lambda: not notification.is_open and self._desktop.visible() == [missed.title],
                   "the missed call replaces the one that rings")
        self._desktop.click(missed)
        person = self._opened_page()
        person.wait_until_online()
        person.page.evaluate(f"location.hash = '#/calls/{self._session}?answer'")
        person.page.wait_for("document.querySelector('#notice').textContent.startsWith('The caller hung up')",
                             "the page says that the call is over", 20)
        self._close(person)

    def _decline(self):
        call, notification = self._ring()
        self._desktop.click(notification, "Decline")
        person = self._opened_page()
        self._require_code(call, REJECTED)
        self._require_end(self._second, "ended")
        self._person = person

    def _log_out(self):
        """Whoever uses the browser next gets nothing of this person, and rings for nobody."""
        page = self._person.page
        # The page's own subscription is registered anew by the page that was opened.
        page.wait_for("document.querySelector('#ring-closed-state').textContent.startsWith('This device rings')",
                      "the page has registered its subscription again")
        page.click("#log-out")
        page.wait_for("document.body.dataset.view === 'login'", "the page shows the log-in", 30)
        left = page.evaluate(LEFT)
        if left != {"answers": [], "stored": []}:
            raise AssertionError(f"after logging out the browser keeps {left}")
        if len(self._watcher.request("GET", "/v1/push")["subscriptions"]) != 1:
            raise AssertionError("the hub still has the subscription of who has logged out")
        self._person.require_no_complaints()

    # Steps.

    def _ring(self):
        """Presses the button; returns the call that runs and the notification of it."""
        # Who is not online is known by the id alone.
        call = self._bell.submit(self._world.try_command, "call", self._watcher.user_id, "--wait")
        push = self._next_push(self._phone)
        self._session = push["sessionID"]
        left = push["expiresAt"] / 1_000 - time.time()
        if (push["kind"], push["callerTitle"], push["isVideo"]) != ("call.incoming", DEVICE, True):
            raise AssertionError(f"an incoming call is pushed as {push}")
        if not 0 < left <= LONGEST_RING + INACCURACY:
            raise AssertionError(f"a call is said to ring for {left:.0f} s")
        self._worker.push(push)
        notification = self._desktop.wait_for(RINGING)
        if self._next_push(self._second)["sessionID"] != self._session:
            raise AssertionError("the second phone is rung for another call")
        return call, notification

    def _next_push(self, subscription):
        self._read[subscription.endpoint] += 1
        count = self._read[subscription.endpoint]
        message = self._service.wait_for(subscription, count)[count - 1]
        push = subscription.decrypt(message)
        # A missed call is worth knowing the next morning.
        longest = 86_400 if push.get("outcome") == "missed" else 120
        if message.headers.get("urgency") != "high" or not int(message.headers["ttl"]) <= longest:
            raise AssertionError(f"a call is pushed with {message.headers}")
        return push

    def _require_end(self, subscription, outcome):
        push = self._next_push(subscription)
        told = (push["kind"], push["sessionID"], push["callerTitle"], push["outcome"])
        if told != ("call.ended", self._session, DEVICE, outcome):
            raise AssertionError(f"the end of a call is pushed as {push}, not as {outcome}")
        if subscription is self._phone:
            self._worker.push(push)

    def _opened_page(self):
        return CallPage(self._browser.find_tab(self._world.url), None, *OPERATOR)

    def _close(self, person):
        person.require_no_complaints()
        person.page.open("about:blank")

    def _require_code(self, call, code):
        finished = call.result(timeout=30)
        if finished.returncode != code:
            raise AssertionError(f"livesessions call ends with {finished.returncode}, not {code}: {json.dumps(finished.stdout)} "
                                 f"{finished.stderr}")

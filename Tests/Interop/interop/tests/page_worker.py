"""The page as an app, below a path: it can be installed, opens while the hub is away, shows its newest files at once, and keeps
nothing but those; its service worker shows pushed calls and events in two languages, and a click on one opens the page."""
import json
import re
import time
import uuid

from interop.browser import Browser
from interop.desktop import Desktop
from interop.page import CallPage
from interop.processes import free_port, wait_until
from interop.proxy import Proxy
from interop.pushing import PAGE_CHECK, Worker, with_own_web
from interop.world import OPERATOR, World

#: Seconds for which the worker does not ask a hub that was away, and a little.
AWAY = 11
CALLER = "Front door"
#: The id of a device.
YARD = str(uuid.uuid4())
#: What the hub joins of several files.
JOINED = ("styles.css", "shared-modules.js")
#: The page's own files that it has asked for.
LOADED = """performance.getEntriesByType("resource").map(({ name }) => name)
  .filter((name) => name.startsWith(URL + "/") && !name.startsWith(URL + "/v1/") && !name.endsWith("worker.js"))"""
KEPT = """(async () => {
  const kept = {};
  for (const name of await caches.keys()) {
    kept[name] = (await (await caches.open(name)).keys()).map(({ url }) => url);
  }
  return kept;
})()"""

WORKERS = """navigator.serviceWorker.getRegistration()
  .then(({ installing, waiting, active }) => [installing, waiting, active].map((one) => one && one.state))"""


def run(context):
    context = with_own_web(context)
    proxy, world = Proxy("/door"), World(context, has_device=False)
    proxy.upstream_port = world.port
    devices = {"camera": context.camera(), "microphone": context.microphone()}
    with (Desktop(context.scratch) as desktop, world, proxy, Browser(**devices, desktop=desktop) as browser):
        person = CallPage(browser.page, proxy.url, *OPERATOR)
        person.log_in_and_wait()
        worker = Worker(browser.page, proxy.url)
        _require_app(person.page)
        _require_own_files_alone(context, person.page, proxy.url)
        _require_reason(worker, person.page)
        _open_without_hub(world, proxy, person)
        _require_newest_files(context, person)
        _require_own_files_alone(context, person.page, proxy.url)
        person.require_no_complaints()
        person.page.open("about:blank")
        delay = _show_calls(worker, desktop)
        _show_what_is_odd(worker, desktop)
        _show_events(worker, desktop)
        _open_by_click(browser, worker, desktop, proxy.url)
    return f"a push shows after {delay * 1_000:.0f} ms"


def _require_app(page):
    answer = page.command("Page.getAppManifest")
    hindrances = page.command("Page.getInstallabilityErrors")["installabilityErrors"]
    manifest = json.loads(answer["data"])
    if answer["errors"] or hindrances or manifest["scope"] != "./":
        raise AssertionError(f"the page is no app: {answer['errors']} {hindrances}")
    wait_until(lambda: page.evaluate(WORKERS) == [None, None, "activated"], "there is a service worker")


def _require_own_files_alone(context, page, url):
    """What the page has loaded is kept, also what it loads while it starts, and nothing that the hub says of anybody."""
    loaded = set(page.evaluate(LOADED.replace("URL", json.dumps(url)))) | {f"{url}/"}
    def missing():
        return loaded - {one for kept in page.evaluate(KEPT).values() for one in kept}
    wait_until(lambda: not missing(), f"the page's files are kept: {missing()}")
    for name, kept in page.evaluate(KEPT).items():
        paths = [one.removeprefix(f"{url}/") for one in kept]
        files = [re.sub(r"^page-[^/]+/", "", path) for path in paths if path and not path.endswith(JOINED)]
        if name != "livesessions.shell /door/" or not all((context.web / file).is_file() for file in files):
            raise AssertionError(f"in {name!r} are {paths}")


def _require_reason(worker, page):
    """This hub pushes nothing, and the page says so."""
    worker.allow_notifications()
    page.click("#settings-open")
    page.click("#ring-closed")
    page.wait_for("document.querySelector('#ring-closed-state').textContent.startsWith('This hub rings no phones')", "the page says why")
    if page.evaluate("document.querySelector('#ring-closed').checked || localStorage.getItem('livesessions.ring /door/')"):
        raise AssertionError("the switch is on all the same")


def _open_without_hub(world, proxy, person):
    """A proxy without a hub behind it, and a hub that hangs."""
    proxy.upstream_port = free_port()
    _open_kept(person, proxy.url)
    time.sleep(AWAY)
    proxy.upstream_port = world.port
    with world.frozen_hub():
        _open_kept(person, proxy.url)
    time.sleep(AWAY)
    person.page.open(f"{proxy.url}/?audio=raw")
    person.wait_until_online()


def _open_kept(person, url):
    person.page.open(f"{url}/?audio=raw")
    person.page.wait_for("document.body.dataset.view === 'home' && !document.querySelector('#log-in').disabled",
                         "the page opens without its hub", 30)


def _require_newest_files(context, person):
    """Whoever changes a file sees it a second later, in the worker as well."""
    _change(context.web / "index.html", "<title>LiveSessions", "<title>Changed")
    _change(context.web / "worker-texts.js", 'answer: "Answer"', 'answer: "Take"')
    time.sleep(PAGE_CHECK)
    person.page.evaluate("location.reload()")
    person.page.wait_for("document.title === 'Changed' && document.readyState === 'complete'", "the page has the new file")
    person.wait_until_online()
    # The browser compares the worker's files once the page is there.
    person.page.evaluate("navigator.serviceWorker.getRegistration().then((one) => one.update())")
    wait_until(lambda: person.page.evaluate(WORKERS) == [None, None, "activated"], "the worker has the new file")


def _change(path, old, new):
    text = path.read_text()
    if old not in text:
        raise AssertionError(f"{path.name} has no {old!r}")
    path.write_text(text.replace(old, new, 1))


def _show_calls(worker, desktop):
    begin = time.time()
    call = _incoming()
    worker.push(call)
    shown = desktop.wait_for(f"{CALLER} is calling you.")
    labels = [label for label in shown.buttons.values() if label in ("Take", "Decline")]
    if labels != ["Take", "Decline"] or not shown.is_urgent or "Video call" not in shown.body:
        raise AssertionError(f"a call is shown as {shown}")
    worker.push(_ended(call, "missed"))
    desktop.wait_for(f"Missed call from {CALLER}")
    wait_until(lambda: desktop.visible() == [f"Missed call from {CALLER}"], "the missed call replaces the one that rings")
    call = _incoming(language="de", isVideo=False, callerTitle="Tür <b>1</b>")
    worker.push(call)
    shown_in_german = desktop.wait_for("Tür <b>1</b> ruft an.")
    if {"Annehmen", "Ablehnen"} - set(shown_in_german.buttons.values()) or "Sprachanruf" not in shown_in_german.body:
        raise AssertionError(f"in German a call is shown as {shown_in_german}")
    worker.push(_ended(call, "answered", language="de"))
    desktop.wait_for("Der Anruf von Tür <b>1</b> wurde angenommen.")
    wait_until(lambda: desktop.visible() == [f"Missed call from {CALLER}"], "what is quiet closes by itself")
    return shown.shown_at - begin


def _show_what_is_odd(worker, desktop):
    """Calls that are over by now, in whatever order it is told, and pushes that are none."""
    late = _incoming(callerTitle="Late", expiresAt=int(time.time() * 1_000) - 1)
    worker.push(late)
    desktop.wait_for("Missed call from Late")
    call = _incoming(callerTitle="Hasty")
    worker.push(_ended(call, "missed"))
    worker.push(call)
    desktop.wait_for("Missed call from Hasty")
    time.sleep(0.5)
    if "Hasty is calling you." in desktop.visible():
        raise AssertionError("a call rings that is over")
    for odd in ("", "no JSON", "[]", "null", {"kind": "__proto__", "sessionID": str(uuid.uuid4())},
                {"kind": "call.incoming", "sessionID": "../../evil"}):
        worker.push(odd)
        desktop.wait_for("LiveSessions")
        wait_until(lambda: "LiveSessions" not in desktop.visible(), "what is quiet closes by itself")


def _show_events(worker, desktop):
    """A later event of the same rule replaces the one before."""
    worker.push(_event("motion"))
    desktop.wait_for("Motion · Yard")
    worker.push(_event("dark", language="de", source="<i>lamp</i>", detail="9 %"))
    shown = desktop.wait_for("Dunkelheit · Yard")
    if "<i>lamp</i>, 9 %, " not in shown.body:
        raise AssertionError(f"an event is shown as {shown}")
    # Chromium closes the one before only after it has shown its successor.
    wait_until(lambda: "Motion · Yard" not in desktop.visible(), f"the event before is gone: {desktop.visible()}")


def _event(kind, **more):
    return {"kind": "device.event", "deviceID": YARD, "deviceTitle": "Yard", "eventID": "20261124T195512Z-9f3c01ab",
            "eventKind": kind, "label": kind, "source": "gate", "rule": "at night", "time": int(time.time() * 1_000), **more}


def _open_by_click(browser, worker, desktop, url):
    """Without a page one is opened, for the call; with one that comes to the front and learns of it."""
    call = _incoming()
    worker.push(call)
    desktop.click(desktop.wait_for(f"{CALLER} is calling you."))
    tab = browser.find_tab(f"{url}/")
    tab.wait_for("document.querySelector('#login-error')?.textContent === 'Log in to answer the call.'", "the page asks for a login")
    if tab.evaluate("location.hash"):
        raise AssertionError("a reload would answer again")
    person = CallPage(tab, None, *OPERATOR)
    person.log_in_and_wait()
    _wait_for_notice(tab, "The caller hung up before you answered.")
    call = _incoming()
    worker.push(call)
    desktop.click(desktop.wait_for(f"{CALLER} is calling you."), "Decline")
    _wait_for_notice(tab, "The call is already over.")
    if tab.evaluate("location.hash"):
        raise AssertionError("an open page got an address")
    person.require_no_complaints()


def _wait_for_notice(page, text):
    page.wait_for(f"document.querySelector('#notice').textContent === {json.dumps(text)}", f"the page says {text!r}")


def _incoming(**more):
    return {"kind": "call.incoming", "sessionID": str(uuid.uuid4()), "callerID": str(uuid.uuid4()), "callerTitle": CALLER,
            "isVideo": True, "expiresAt": int(time.time() * 1_000) + 60_000, **more}


def _ended(call, outcome, **more):
    return {"kind": "call.ended", "sessionID": call["sessionID"], "callerID": call["callerID"],
            "callerTitle": call["callerTitle"], "outcome": outcome, **more}

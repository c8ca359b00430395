"""The page comes in few requests and few octets, at once on a far line as well, and the second time from the browser's own store."""
import re
import time

from interop.browser import Browser
from interop.page import CallPage
from interop.pushing import PAGE_CHECK, with_own_web
from interop.world import OPERATOR, World

#: What the first load may cost over the wire, headers included: octets, requests before the log-in can be used.
MAXIMUM_OCTETS, MAXIMUM_REQUESTS = 60_000, 6
#: A line with a round trip of 150 ms and 1.6 Mbit/s, and none that slows anything.
FAR = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
NEAR = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
#: Milliseconds until something is painted, and until one can log in. A machine with nothing else to do takes a tenth of it.
LIMITS = (6_000, 12_000)

#: When the log-in could be used, beside what the browser measures by itself.
WATCH = """new MutationObserver((changes, observer) => {
  const button = document.querySelector("#log-in");
  if (!button || button.disabled) return;
  window.usableAt = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true, attributes: true });"""

FIGURES = """(() => {
  const entries = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const sent = entries.filter(({ transferSize }) => transferSize > 0);
  return { octets: sent.reduce((sum, { transferSize }) => sum + transferSize, 0), requests: sent.map(({ name }) => name),
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, usable: window.usableAt };
})()"""


def run(context):
    context = with_own_web(context)
    with World(context, has_device=False) as world:
        near = _first_load(world.url, NEAR, "near")
        with Browser() as browser:
            page = browser.page
            page.command("Network.enable")
            far = _load(page, world.url, FAR, "far")
            again = _load(page, world.url, FAR, "again")
            # The index, and what has no version in its address.
            if len(again["requests"]) > 3 or again["octets"] > 3_000:
                raise AssertionError(f"the second load asks for {again['requests']}, {again['octets']} octets")
            _require_change(context, page, world.url)
            person = CallPage(page, world.url, *OPERATOR)
            person.log_in_and_wait()
            person.require_no_complaints()
    return (f"{near['octets']} octets in {len(near['requests'])} requests; painted after {near['painted']:.0f} ms, "
            f"{far['painted']:.0f} ms on a far line, {again['painted']:.0f} ms the second time; "
            f"usable after {near['usable']:.0f}, {far['usable']:.0f} and {again['usable']:.0f} ms")


def _first_load(url, line, name):
    with Browser() as browser:
        browser.page.command("Network.enable")
        return _load(browser.page, url, line, name)


def _load(page, url, line, name):
    page.command("Network.emulateNetworkConditions", **line)
    # What it hands over counts as if it had come over the line.
    page.command("Network.setBypassServiceWorker", bypass=True)
    if name != "again":
        page.run_before(WATCH)
    page.open("about:blank")
    page.open(url)
    page.wait_for("window.usableAt && performance.getEntriesByName('first-contentful-paint').length", "the page is there")
    # What the service worker fetches for itself is the browser's affair, and a slowed line's octets are not counted.
    figures = page.evaluate(FIGURES)
    painted, usable = LIMITS
    if figures["painted"] > painted or figures["usable"] > usable:
        raise AssertionError(f"{name}: painted after {figures['painted']:.0f} ms, usable after {figures['usable']:.0f} ms")
    if figures["octets"] > MAXIMUM_OCTETS or len(figures["requests"]) > MAXIMUM_REQUESTS:
        raise AssertionError(f"{name}: {figures['octets']} octets in {figures['requests']}")
    return figures


def _require_change(context, page, url):
    """Whoever changes a file sees it a second later, although browsers keep what they have got."""
    before = _version(page)
    path = context.web / "texts" / "en.js"
    path.write_text(path.read_text().replace('submit: "Log in"', 'submit: "Come in"'))
    index = context.web / "index.html"
    index.write_text(index.read_text().replace("<title>LiveSessions", "<title>Changed"))
    page.open("about:blank")
    time.sleep(PAGE_CHECK)
    page.open(url)
    page.wait_for("document.title === 'Changed' && !document.querySelector('#log-in').disabled", "the page has changed", 30)
    module = page.evaluate("fetch(document.querySelector('script[type=module]').src).then((answer) => answer.text())")
    if _version(page) == before or "Come in" not in module:
        raise AssertionError("the page's modules are those of before the change")


def _version(page):
    address = page.evaluate("document.querySelector('script[type=module]').src")
    found = re.search(r"/(page-[\w-]+)/main\.js$", address)
    if not found:
        raise AssertionError(f"the page's modules are at {address}")
    return found.group(1)

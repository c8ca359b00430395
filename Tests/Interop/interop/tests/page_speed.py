"""The page's own work for many devices and many events: the list's first rows, and each step of the timeline's zoom."""

from interop.browser import Browser
from interop.serving import StaticSite

#: Devices on the list, events of a day; milliseconds of processor time that each may take.
DEVICES, EVENTS = 500, 500
LIMITS = {"list": 500, "again": 250, "zoom": 80}

LIST = """(async () => {
  const { KnownUsers } = await import("/known-users.js");
  const { NearbyView } = await import("/nearby-view.js");
  document.body.dataset.view = "home";
  const items = Array.from({ length: COUNT }, (_, number) => ({
    userID: `device-${number}`, userTitle: `Door ${number}`, kind: "device", isAudio: true, isVideo: true, status: "available",
    permits: ["call", "watch", "snapshot", "events"], groups: [`house ${number % 20}`],
  }));
  const hub = { users: async () => ({ items }), devices: async () => ({ items: [] }) };
  const known = new KnownUsers(hub, new EventTarget(), () => ({ position: null, within: "" }));
  window.list = { known, view: new NearbyView(known, { isOperator: () => true }), items };
})()"""
SHOW = "(async () => { await list.known.refresh(); document.querySelector('#nearby').offsetHeight; })()"
CHANGE = "(async () => { list.items[7].status = 'busy'; await list.known.refresh(); document.querySelector('#nearby').offsetHeight; })()"
ROWS = "document.querySelectorAll('#nearby .user').length"

TIMELINE = """(async () => {
  const { TimelineView } = await import("/timeline-view.js");
  for (const id of ["device", "device-events"]) document.querySelector(`#${id}`).hidden = false;
  const day = 86_400_000;
  const events = Array.from({ length: COUNT }, (_, number) => ({
    id: `event-${number}`, kind: "motion", source: "yard", start: number * day / COUNT, end: number * day / COUNT + 30_000 }));
  const spans = Array.from({ length: 100 }, (_, number) => ({
    id: `archive-${number}`, start: number * day / 100, end: number * day / 100 + 300_000, plans: ["yard"] }));
  window.strip = new TimelineView();
  strip.show({ from: 0, before: day }, spans, events);
})()"""
STEP = "document.querySelector('#timeline-in').click(), document.querySelector('#timeline').offsetHeight"
MARKS = "document.querySelectorAll('#timeline .mark').length"


def run(context):
    with StaticSite(context.web) as site, Browser() as browser:
        page = browser.page
        # Processor time: what else the machine does is not the page's work.
        page.command("Performance.enable", timeDomain="threadTicks")
        page.open(site.url)
        page.wait_for("!document.querySelector('#log-in').disabled", "the page's modules run")
        page.evaluate(LIST.replace("COUNT", str(DEVICES)))
        found = {"list": _cost(page, SHOW), "again": _cost(page, CHANGE)}
        if page.evaluate(ROWS) < 20:
            raise AssertionError(f"the list shows {page.evaluate(ROWS)} of {DEVICES} devices")
        page.evaluate(TIMELINE.replace("COUNT", str(EVENTS)))
        marks = page.evaluate(MARKS)
        steps = [_cost(page, STEP) for _ in range(4)]
        if not marks:
            raise AssertionError("no event is on the strip")
        found["zoom"] = max(steps, key=lambda step: step["TaskDuration"])
    words = "; ".join(f"{name}: " + ", ".join(f"{part[:-8].lower()} {value:.1f} ms" for part, value in cost.items())
                      for name, cost in found.items())
    slow = [name for name, cost in found.items() if cost["TaskDuration"] > LIMITS[name]]
    if slow:
        raise AssertionError(f"{', '.join(slow)} too slow: {words}")
    return words


def _cost(page, expression):
    """The processor's time that an expression takes, in milliseconds."""
    before = _metrics(page)
    page.evaluate(expression)
    after = _metrics(page)
    return {name: (after[name] - before[name]) * 1_000 for name in before}


def _metrics(page):
    names = ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration", "TaskDuration")
    return {one["name"]: one["value"] for one in page.command("Performance.getMetrics")["metrics"] if one["name"] in names}

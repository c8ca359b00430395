"""The page's modules alone, under its content security policy: the event parser, the words, the first view."""
import json
import re

from interop.browser import Browser
from interop.serving import StaticSite

PARSER = """(async () => {
  const { EventStreamParser } = await import("/sse.js");
  const text = ": hi\\n\\nid: 7\\nevent: signal\\ndata: {\\"a\\":\\ndata: 1}\\n\\n" +
    "data:bare\\r\\n\\r\\nid: 8\\n\\nevent: nothing\\n\\nid: 9\\ndata: half";
  const wanted = JSON.stringify([
    { id: "7", name: "signal", data: "{\\"a\\":\\n1}" }, { id: "7", name: "message", data: "bare" }]);
  for (let size = 1; size <= text.length; size += 1) {
    const parser = new EventStreamParser();
    const events = [];
    for (let at = 0; at < text.length; at += size) events.push(...parser.push(text.slice(at, at + size)));
    if (JSON.stringify(events) !== wanted) return `pieces of ${size}: ${JSON.stringify(events)}`;
    if (parser.lastEventID !== "8") return `pieces of ${size}: last id ${parser.lastEventID}`;
  }
  return "";
})()"""

WORDS = """(async ({ rejections, endings, problems }) => {
  const { outcomeWords, errorWords } = await import("/words.js");
  const { ProblemError } = await import("/api.js");
  const said = (kind, reason) => outcomeWords({ kind, reason }, "Front door");
  const unknown = (words) => /\\(|undefined/.test(words);
  return [
    ...rejections.filter((reason) => unknown(said("rejected", reason))),
    ...endings.filter((reason) => unknown(said("ended", reason))),
    ...problems.filter((type) => errorWords(new ProblemError({ type, status: 299 })) === "status 299."),
  ];
})"""


def run(context):
    with StaticSite(context.web) as site, Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        page = browser.page
        page.open(site.url)
        failure = page.evaluate(PARSER)
        if failure:
            raise AssertionError(f"event parser: {failure}")
        known = _swift_words(context.repository)
        speechless = page.evaluate(f"{WORDS}({json.dumps(known)})")
        if speechless:
            raise AssertionError(f"the page has no words for {speechless}")
        if page.text("#log-in") != "Log in" or page.text("#nearby") is not None:
            raise AssertionError("the first view is not the log-in")
        if context.artifacts:
            page.screenshot(context.artifacts / "login.png")
        if page.complaints:
            raise AssertionError(f"the console complains: {page.complaints}")
    return f"words for {sum(map(len, known.values()))} reasons"


def _swift_words(repository):
    """The reasons and problem types as the Swift sources spell them."""
    sessions = (repository / "Sources/Core/Signalling/Sessions.swift").read_text()
    refusals = (repository / "Sources/Hub/HubCore/HubRefusal.swift").read_text()
    faults = (repository / "Sources/Hub/HubHTTP/Middleware/ProblemMiddleware.swift").read_text()
    known = {
        "rejections": _raw_values(sessions, "RejectReason"),
        "endings": _raw_values(sessions, "EndReason"),
        "problems": re.findall(r': \("([a-z-]+)",', refusals) + re.findall(r'type: "([a-z-]+)", title: "', faults),
    }
    if any(len(words) < 5 for words in known.values()):
        raise AssertionError(f"the sources are written differently than this test expects: {known}")
    return known


def _raw_values(source, enumeration):
    body = re.search(rf"enum {enumeration}\b[^{{]*{{(.*?)\n}}", source, re.DOTALL)[1]
    return [raw or name for name, raw in re.findall(r'^\s*case (\w+)(?: = "([^"]+)")?', body, re.MULTILINE)]

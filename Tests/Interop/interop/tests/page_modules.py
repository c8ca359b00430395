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

#: Two who call each other: what becomes of the call to Mia when somebody calls, for one's own id and the caller's.
CROSSING_CALLS = """(async () => {
  const { Calls } = await import("/calls.js");
  const outcome = async (ownID, callerID) => {
    const told = [];
    const tell = async (id, what, body) => { told.push(typeof body === "object" && body.reason || what); };
    const hub = { tellSession: tell, endSession: tell, startSession: () => new Promise(() => {}) };
    const events = new EventTarget();
    const calls = new Calls(hub, events, () => ownID);
    const media = { wanted: { audio: true, video: false }, sent: { audio: false, video: false } };
    calls.place({ userID: "mia", userTitle: "Mia" }, media);
    const own = calls.current;
    await new Promise((resolve) => own.addEventListener("state", resolve, { once: true }));
    const detail = { sessionID: "theirs", callerID, callerTitle: "Mia", isAudio: true, isVideo: false, offer: "" };
    events.dispatchEvent(new CustomEvent("call.incoming", { detail }));
    return [own.state, calls.current.id === "theirs", ...told].join(" ");
  };
  return [await outcome("anna", "mia"), await outcome("zoe", "mia"), await outcome("zoe", "bert")];
})()"""

#: Where two offers cross, the receiver's is taken back and the caller's answered.
CROSSING_OFFERS = """(async () => {
  const { Peer } = await import("/peer.js");
  const [caller, receiver] = [new Peer(), new Peer()];
  caller.addMedia({ audio: true, video: false }, null);
  await caller.accept(await receiver.answer(await caller.offer()));
  await receiver.offer({ iceRestart: true });
  const offer = await caller.offer({ iceRestart: true });
  const bothOffer = caller.isOffering && receiver.isOffering;
  await caller.accept(await receiver.answer(offer));
  const result = bothOffer && !caller.isOffering && !receiver.isOffering;
  caller.close();
  receiver.close();
  return result;
})()"""


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
        crossings = page.evaluate(CROSSING_CALLS)
        if crossings != ["calling false", "ended true glare ringing", "calling false busy"]:
            raise AssertionError(f"calls that cross: {crossings}")
        if not page.evaluate(CROSSING_OFFERS):
            raise AssertionError("offers that cross do not end with the caller's answered")
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

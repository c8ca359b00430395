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
  const { outcomeText, errorText } = await import("/texts.js");
  const { ProblemError } = await import("/api.js");
  const said = (kind, reason) => outcomeText({ kind, reason }, "Front door");
  const unknown = (words) => /\\(|undefined/.test(words);
  return [
    ...rejections.filter((reason) => unknown(said("rejected", reason))),
    ...endings.filter((reason) => unknown(said("ended", reason))),
    ...problems.filter((type) => errorText(new ProblemError({ type, status: 299 })) === "status 299."),
    // What any object has says nothing.
    ...["__defineGetter__", "constructor", "toString"].filter((reason) => !said("rejected", reason).includes(`(${reason})`)),
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

#: A call that comes in during another waits: nobody is told "busy"; it rings when the other is over, or is declined.
WAITING_CALLS = """(async () => {
  const { Calls } = await import("/calls.js");
  const told = [];
  const tell = async (id, what, body) => { told.push([id, body?.reason ?? what].join(" ")); };
  const hub = { tellSession: tell, endSession: tell };
  const events = new EventTarget();
  const calls = new Calls(hub, events, () => "zoe");
  const hear = (name, detail) => events.dispatchEvent(new CustomEvent(name, { detail }));
  const ring = (sessionID) => hear("call.incoming", {
    sessionID, callerID: `caller of ${sessionID}`, callerTitle: "Mia", isAudio: true, isVideo: false, offer: "" });
  const states = [];
  const look = () => states.push([calls.current.id, calls.current.state, calls.heldIDs.join("+")].join(" "));
  for (const id of ["first", "second", "third", "third", "fourth"]) ring(id);
  look();
  hear("call.taken", { sessionID: "second", outcome: "answered" });
  hear("call.ended", { sessionID: "nobody's", reason: "hangup" });
  look();
  calls.current.reject("declined");
  await null;
  look();
  calls.waiting[0].reject("busy");
  look();
  ring("fifth");
  calls.hangUp();
  await null;
  states.push(`${calls.isBusy} ${calls.heldIDs.length}`);
  return [states, told];
})()"""

#: Requests, and event streams that fall silent, end in time; what says that it lives does not.
TIME_LIMITS = """(async () => {
  const { Hub } = await import("/api.js");
  const { Silence } = await import("/silence.js");
  const { errorText } = await import("/texts.js");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const network = window.fetch;
  let last;
  window.fetch = (path, { signal }) => new Promise((_, reject) => {
    last = signal;
    signal.addEventListener("abort", () => reject(signal.reason));
  });
  const hub = new Hub();
  const failure = await hub.request("GET", "v1/users", { limit: 50 }).catch((error) => error);
  const isEach = [];
  for (const ask of [() => hub.login("a", "b"), () => hub.users(), () => hub.tellSession("1", "answer"),
    () => hub.archives("door"), () => hub.withdrawPresence("stream")]) {
    last = null;
    ask().catch(() => {});
    isEach.push(last instanceof AbortSignal);
  }
  window.fetch = network;
  const silence = new Silence(1_500);
  for (let count = 0; count < 6; count += 1) { await pause(300); silence.broken(); }
  const isAlive = !silence.signal.aborted;
  for (let count = 0; count < 60 && !silence.signal.aborted; count += 1) await pause(100);
  const ended = new Silence(50);
  ended.end();
  const stop = new AbortController();
  const stopped = new Silence(10_000, stop.signal);
  stop.abort();
  await pause(100);
  return [failure.name, errorText(failure).includes("in time"), ...isEach, isAlive, silence.signal.reason?.name,
    ended.signal.aborted, stopped.signal.reason.name].join(" ");
})()"""

#: Three silent streams have polling tried; a hub that hangs is not polled; proven polling outlives a restart.
EVENT_ROUTE = """(async () => {
  const { EventRoute } = await import("/event-route.js");
  const states = [];
  const route = new EventRoute();
  for (const isSilent of [true, false, true, true, true]) { route.failed(isSilent); states.push(route.isPolling); }
  route.failed(true);
  states.push(route.isPolling);
  for (let count = 0; count < 3; count += 1) route.failed(true);
  route.streamIsHeldBack();
  route.failed(false);
  states.push(route.isPolling);
  route.streamWorks();
  states.push(route.isPolling);
  return states.join(" ");
})()"""

#: A refused token is renewed once for all who need it; who cannot renew is logged out.
RENEWAL = """(async () => {
  const { Hub } = await import("/api.js");
  const { Renewal, received } = await import("/renewal.js");
  const asked = [];
  let valid = "second";
  const network = window.fetch;
  window.fetch = async (path, { headers }) => {
    const token = headers.get("Authorization")?.slice("Bearer ".length);
    asked.push(`${token} ${path.split("?")[0]}`);
    if (path !== "v1/token") return new Response("{}", { status: token === valid ? 200 : 401 });
    const fresh = { userID: "mia", accessToken: "second", expiresIn: 60 };
    return valid === "second" ? Response.json(fresh) : new Response("{}", { status: 401 });
  };
  const hub = new Hub();
  const renewal = new Renewal(hub);
  let logouts = 0;
  hub.addEventListener("unauthorized", () => { logouts += 1; });
  hub.token = "first";
  renewal.start(received({ accessToken: "first", expiresIn: 60 }));
  await Promise.all([hub.users(), hub.users()]);
  const first = asked.splice(0).join(", ");
  valid = "none";
  const status = await hub.users().catch((error) => error.status);
  renewal.stop();
  window.fetch = network;
  return [first, asked.join(", "), status, logouts];
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

#: What is asked for again and again is done all the same, and what is called off is not.
SETTLING = """(async () => {
  const { Settle } = await import("/settle.js");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  let count = 0;
  const settle = new Settle(() => { count += 1; }, { delay: 200, longest: 500 });
  for (let asked = 0; asked < 70; asked += 1) { settle.soon(); await pause(20); }
  const underWay = count;
  await pause(400);
  const settled = count;
  settle.soon();
  settle.cancel();
  await pause(400);
  return [underWay >= 1 && underWay <= 4, settled === underWay + 1, count === settled].join(" ");
})()"""

#: How long tries wait, with the least and the most of chance, and that only what worked for long begins anew.
BACK_OFF = """(async () => {
  const { BackOff } = await import("/back-off.js");
  const backOff = new BackOff();
  const delays = (count, random = 0.5) => Array.from({ length: count }, () => backOff.next(random));
  const first = delays(6);
  backOff.up(0); backOff.down(9_999);
  const afterShort = delays(1);
  backOff.up(20_000); backOff.up(29_000); backOff.down(30_000);
  const afterLong = delays(2);
  return [first, afterShort, afterLong, delays(1, 0), delays(1, 1)].join(" ");
})()"""

#: How long tries at the hub wait, with the least and the most of chance, and where the hub asks for a pause.
PAUSES = """(async () => {
  const { Pauses } = await import("/pauses.js");
  const pauses = new Pauses(500, 4_000);
  const most = Array.from({ length: 5 }, () => pauses.next(null, 1));
  const asked = [0, 7, 31_536_000].map((seconds) => pauses.next(seconds, 0.5));
  pauses.reset();
  return [most, pauses.next(null, 0), pauses.next(null, 0.5), asked].join(" ");
})()"""

#: What counts as received media, and for how long growth is a sign of life.
MEDIA_LIFE = """(async () => {
  const { MediaLife, receivedBytes } = await import("/media-life.js");
  const reports = [
    { type: "inbound-rtp", bytesReceived: 5 }, { type: "inbound-rtp", bytesReceived: 7 }, { type: "inbound-rtp" },
    { type: "transport", bytesReceived: 100 }, { type: "remote-inbound-rtp" }];
  const life = new MediaLife();
  const isAlive = [];
  const look = (bytes, now) => { life.note(bytes, now); isAlive.push(life.isAlive(now)); };
  look(100, 0); look(100, 1_000); look(101, 2_000); look(101, 3_999); look(101, 4_000); look(102, 9_000);
  return [receivedBytes(reports), ...isAlive].join(" ");
})()"""

#: A path whose every offer fails at once, as without a default route; one that the browser doubts while media flows.
PATHS = """(async () => {
  const { PathWatch } = await import("/path-watch.js");
  const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
  const makePeer = () => Object.assign(new EventTarget(), {
    connectionState: "new", isOffering: false, bytes: 0, flow: 0,
    async receivedBytes() { return this.bytes += this.flow; },
    become(state) {
      this.connectionState = state;
      this.dispatchEvent(new CustomEvent("connection", { detail: state }));
    },
  });
  let offers = 0;
  const hopeless = makePeer();
  const storm = new PathWatch(hopeless, async () => {
    offers += 1;
    for (const state of ["connecting", "failed"]) hopeless.become(state);
  });
  hopeless.become("failed");
  await pause(600);
  const atOnce = offers;
  hopeless.isOffering = true;
  await pause(1_500);
  const whileAwaited = offers;
  hopeless.isOffering = false;
  storm.answered();
  await pause(3_500);
  const later = offers;
  storm.close();
  const peer = makePeer();
  const told = [];
  const path = new PathWatch(peer, async () => {});
  for (const name of ["up", "silent"]) {
    path.addEventListener(name, () => { if (told.at(-1) !== name) told.push(name); });
  }
  peer.flow = 1;
  peer.become("connected");
  peer.become("disconnected");
  await pause(2_500);
  const flowing = told.join(" ");
  peer.flow = 0;
  await pause(3_500);
  const dry = told.join(" ");
  peer.become("connected");
  path.close();
  return [atOnce, whileAwaited, later, flowing, dry, told.join(" ")].join(", ");
})()"""

#: What the list shows of presence, what may be called again, and which key presses mean a button.
SHOWN = """(async () => {
  const { Statuses } = await import("/status.js");
  const { chatText, outcomeText, positionAgeText, statusText } = await import("/texts.js");
  const { isRepeatable } = await import("/call-again.js");
  const { buttonOf } = await import("/keys.js");
  const statuses = new Statuses();
  const shown = (status, now) => statusText(statuses.of({ userID: "door", status }, now));
  const seen = [shown("available", 0), shown("busy", 0)];
  statuses.wasBusy("door", 0);
  seen.push(shown("available", 59_999), shown("do-not-disturb", 1), shown("available", 60_000));
  statuses.isStale = true;
  seen.push(shown("available", 60_000));
  const missed = (reason) => outcomeText({ kind: "missed", reason }, "Mia");
  const reasons = ["answered-elsewhere", "declined", "hangup", "unanswered"].map(missed);
  const party = { userTitle: "Mia" };
  const isChatOff = (state) => chatText({ state, party }) !== "";
  const chat = ["ringing", "connecting", "connected", "reconnecting", "ended"].map(isChatOff);
  const again = ["hangup", "unanswered", "busy", "not-allowed"].map((reason) => isRepeatable({ reason }));
  const keys = [{ key: "m" }, { key: "H" }, { key: "x" }, { key: "m", ctrlKey: true }, { key: "h", repeat: true },
    { key: "h", target: document.querySelector("#login-title") }, { key: "toString" }].map(buttonOf);
  const ages = [null, 300, 301, 3_599, 7_300, 200_000].map(positionAgeText);
  return { seen, reasons, chat, again, keys, ages };
})()"""

#: An incoming call of which this page hears that another page has answered it, one where it is too late, and one that
#: rings until its time is up, of whose end the hub's word does not come.
ELSEWHERE = """(async () => {
  const { Call } = await import("/call.js");
  const { Peer } = await import("/peer.js");
  const { ProblemError } = await import("/api.js");
  const { sessionEvents } = await import("/session-events.js");
  const caller = new Peer();
  caller.addMedia({ audio: true, video: false }, null);
  const event = { sessionID: "1", callerID: "mia", callerTitle: "Mia", isAudio: true, isVideo: false,
    offer: await caller.offer() };
  const make = (told) => Call.incoming({
    async tellSession(id, verb, body) {
      told.push(body?.reason ?? verb);
      if (verb === "answer") throw new ProblemError({ type: "wrong-state", status: 409 });
    },
    async endSession() { told.push("end"); },
  }, event);
  const results = [];
  const finish = ({ state, outcome }, told) => results.push([state, outcome?.kind, outcome?.reason, ...told].join(" "));
  for (const [name, detail] of [
    ["call.answered", {}], ["call.rejected", { reason: "declined" }], ["call.ended", { reason: "hangup" }]]) {
    const told = [];
    const call = make(told);
    await call.handle(name, detail);
    finish(call, told);
  }
  const late = [];
  const slow = make(late);
  await slow.accept({ audio: false, video: false });
  finish(slow, late);
  const left = [];
  const closed = make(left);
  closed.hangUp({ isLeaving: true });
  finish(closed, left);
  const vain = [];
  const unanswered = make(vain);
  const limits = [];
  const { setTimeout } = window;
  window.setTimeout = (end) => limits.push(end);
  unanswered.announceRinging();
  window.setTimeout = setTimeout;
  limits[0]();
  finish(unanswered, vain);
  caller.close();
  return results;
})()"""

#: An answer to an offer that was taken back, and one that comes twice, are no errors.
LATE_ANSWERS = """(async () => {
  const { Peer } = await import("/peer.js");
  const [caller, receiver] = [new Peer(), new Peer()];
  caller.addMedia({ audio: true, video: false }, null);
  const answer = await receiver.answer(await caller.offer());
  await Promise.all([caller.accept(answer), caller.accept(answer)]);
  await caller.offer({ iceRestart: true });
  await caller.withdrawOffer();
  await caller.accept(answer);
  const isStable = !caller.isOffering;
  await caller.offer({ iceRestart: true });
  const isKept = await caller.answer(await receiver.offer({ iceRestart: true }), null, { isYielding: false }) === null;
  const result = [isStable, isKept, caller.isOffering].join(" ");
  caller.close();
  receiver.close();
  return result;
})()"""

#: What the statistics of a call say: rates and losses between two readings, the way, and what the other side reports; the
#: panel is hidden at first, shows and hides by its button and the key, and measures only while it shows.
QUALITY = """(async () => {
  const { QualityMeter } = await import("/quality.js");
  const { followQuality } = await import("/quality-view.js");
  const { qualityRows } = await import("/texts.js");
  const report = (time, count, way) => new Map([
    { id: "T", type: "transport", selectedCandidatePairId: "P" },
    { id: "P", type: "candidate-pair", currentRoundTripTime: 0.0234, localCandidateId: "L", remoteCandidateId: "R" },
    { id: "L", type: "local-candidate", candidateType: way, protocol: "udp", relayProtocol: way === "relay" ? "tls" : undefined },
    { id: "R", type: "remote-candidate", candidateType: "host", protocol: "udp" },
    { id: "V", type: "codec", mimeType: "video/VP8" }, { id: "O", type: "codec", mimeType: "audio/opus" },
    { id: "IV", type: "inbound-rtp", kind: "video", codecId: "V", timestamp: time, bytesReceived: 100_000 * count,
      packetsReceived: 90 * count, packetsLost: 10 * count, jitter: 0.004, frameWidth: 640, frameHeight: 480, framesPerSecond: 29.6 },
    { id: "IA", type: "inbound-rtp", kind: "audio", codecId: "O", timestamp: time, bytesReceived: 4_000 * count,
      packetsReceived: 50 * count, packetsLost: 0, jitter: 0.002 },
    { id: "OA", type: "outbound-rtp", kind: "audio", codecId: "O", timestamp: time, bytesSent: 5_000 * count, remoteId: "RA" },
    { id: "RA", type: "remote-inbound-rtp", kind: "audio", fractionLost: 0.025, jitter: 0.011 },
  ].map((entry) => [entry.id, entry]));
  const meter = new QualityMeter();
  const first = qualityRows(meter.read(report(1_000, 1, "host")));
  const second = qualityRows(meter.read(report(2_000, 2, "relay")));
  let asked = 0;
  const call = Object.assign(new EventTarget(), {
    isOver: false, async statistics() { asked += 1; return report(1_000 * asked, asked, "host"); } });
  const panel = document.querySelector("#quality");
  const button = document.querySelector("#quality-toggle");
  followQuality(call);
  await null;
  const hidden = [panel.hidden, button.getAttribute("aria-expanded"), asked];
  button.click();
  await new Promise((resolve) => setTimeout(resolve, 50));
  const shown = [panel.hidden, button.getAttribute("aria-expanded"), asked,
    [...document.querySelector("#quality-rows").rows[2].cells].map((cell) => cell.textContent).join(" "),
    document.querySelector("#quality-rows th").scope];
  button.click();
  const before = asked;
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  return { first, second, hidden, shown, isQuiet: asked === before };
})()"""


#: Days, where a moment lies on one, the recording that shows it best, and what a device tells that makes no sense.
TIMELINE = """(async () => {
  const { dayAfter, dayFromText, dayOf, dayText } = await import("/days.js");
  const { fileAt, offsetIn, placeOf, recordingAt, recordingsIn } = await import("/timeline.js");
  const { DeviceEvents } = await import("/device-events.js");
  const day = dayFromText("2026-11-24");
  const days = [dayText(day), dayText(dayAfter(day, -1)), dayText(dayOf(day.before)), dayFromText("1969-12-30"), dayFromText("")];
  const places = [0, 0.25, 2].map((part) => placeOf(day.from + part * (day.before - day.from), day));
  const answer = { items: [{ id: "b", start: 50 }, { id: "a", start: 10, end: 90 }, { id: "c", start: 0, end: 99, timeLapseInterval: 1_000 },
    { id: 5, start: 1 }, { id: "d", start: "1" }, {}, null] };
  const recordings = recordingsIn(answer, 80);
  const shown = [recordingAt(60, recordings), recordingAt(60, recordings, ["a"]), recordingAt(95, recordings, 7), recordingAt(100, recordings)];
  const files = ["caller", "device", "device"].map((streamId, index) => ({ streamId, startTimeOffset: index * 1_000 }));
  const further = [...files, { streamId: "gate", camera: "gate", startTimeOffset: 0 }, { streamId: "gate", camera: "gate", startTimeOffset: 500 }];
  const asked = [];
  const pages = [
    { items: [{ id: "y", start: 9 }, { id: "x", start: 5 }], hasMore: true }, { items: [{ id: "x", start: 5 }, { start: 2 }], hasMore: true }];
  const events = new DeviceEvents(async ({ from, before }) => { asked.push(`${from}-${before}`); return pages.shift(); }, { from: 0, before: 10 });
  await events.loadMore();
  await events.loadMore();
  const behind = [];
  const crowded = [
    { items: [{ id: "d", start: 5 }, { id: "c", start: 5 }], hasMore: true, next: "5-c" },
    { items: [{ id: "c", start: 5 }, { id: "b", start: 5 }], hasMore: true, next: "5-b" },
    { items: [{ id: "a", start: 5 }, { id: "z", start: 0 }], hasMore: true, next: "0-z" }, { items: [], hasMore: false }];
  const moment = new DeviceEvents(async ({ before, after }) => { behind.push(`${before}/${after}`); return crowded.shift(); }, { from: 0, before: 10 });
  while (moment.hasMore) await moment.loadMore();
  return [days.join(" "), places.join(" "), shown.map((recording) => recording?.id).join(" "),
    [offsetIn({ start: 1_000 }, 3_500), offsetIn({ start: 0, timeLapseInterval: 1_000 }, 60_000)].join(" "),
    [fileAt(1.5, files), fileAt(9, files), fileAt(0, files), fileAt(9, [])].map((file) => files.indexOf(file)).join(" "),
    [fileAt(9, further, "gate"), fileAt(0, further, "gate"), fileAt(9, further, "yard"), fileAt(9, further)].map((file) => further.indexOf(file)).join(" "),
    asked.join(" "), events.items.map(({ id }) => id).join(" "), events.hasMore,
    behind.join(" "), moment.items.map(({ id }) => id).join(" ")];
})()"""


#: What a device calls things is text wherever it shows, also where it is written to be HTML, and what is no region has no frame.
HOSTILE_NAMES = """(async () => {
  const { TimelineView } = await import("/timeline-view.js");
  const { regionOf } = await import("/device-events.js");
  const { setText, byID } = await import("/dom.js");
  const { deviceEventText, recordNowErrorText, recordNowText } = await import("/texts.js");
  const name = "<img src=x onerror=document.body.dataset.isHacked=1><script>document.body.dataset.isHacked=1</" + "script>'><b>";
  const event = { id: name, kind: name, source: name, detail: name, start: 5, end: 6, score: name, archives: name, region: name };
  const view = new TimelineView();
  view.show({ from: 0, before: 10 }, [{ id: name, start: 1, end: 9, plans: [name], timeLapseInterval: name }], [event]);
  setText(byID("record-now-state"), recordNowErrorText({ status: 409, message: name }) + recordNowText({ isRecording: true, problem: name }));
  byID("device-events-heading").textContent = deviceEventText(event).title;
  const ids = [...byID("timeline").children].map(({ dataset }) => dataset.eventId ?? dataset.archiveId);
  const title = byID("timeline").querySelector(".mark").title;
  await new Promise((resolve) => setTimeout(resolve, 200));
  const regions = [{ x: 500, y: 0, width: 100, height: 1000 }, { x: 950, y: 0, width: 100, height: 1 }, { x: "1", y: 1, width: 1, height: 1 }, 3, null];
  return [document.querySelectorAll("#device-events img, #device-events script, #device-events b").length, "isHacked" in document.body.dataset,
    ids.every((id) => id === name), title.includes(name), byID("record-now-state").textContent.split(name).length - 1,
    regions.map((region) => Object.values(regionOf({ region }) ?? {}).join("/")).join(" ")];
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
        if crossings != ["calling false", "ended true glare ringing", "calling false ringing"]:
            raise AssertionError(f"calls that cross: {crossings}")
        renewed, refused, *end = page.evaluate(RENEWAL)
        users = "v1/users"
        if renewed != f"first {users}, first {users}, first v1/token, second {users}, second {users}":
            raise AssertionError(f"a token that ran out: {renewed}")
        if refused != f"second {users}, second v1/token" or end != [401, 1]:
            raise AssertionError(f"a token that cannot be renewed: {refused}; {end}")
        if not page.evaluate(CROSSING_OFFERS):
            raise AssertionError("offers that cross do not end with the caller's answered")
        settled = page.evaluate(SETTLING)
        if settled != "true true true":
            raise AssertionError(f"settling: {settled}")
        _require_logic(page)
        if page.text("#log-in") != "Log in" or page.text("#nearby") is not None:
            raise AssertionError("the first view is not the log-in")
        if context.artifacts:
            page.screenshot(context.artifacts / "login.png")
        if page.complaints:
            raise AssertionError(f"the console complains: {page.complaints}")
    return f"words for {sum(map(len, known.values()))} reasons"


def _require_logic(page):
    """What the page decides by itself during calls."""
    for name, script, wanted in (
        ("back-off", BACK_OFF, "0,1000,2000,4000,8000,8000 8000 0,1000 1500 5000"),
        ("event route", EVENT_ROUTE, "false false false false true false true false"),
        ("pauses", PAUSES, "500,1000,2000,4000,4000 0 500 1500,7500,120500"),
        ("signs of media", MEDIA_LIFE, "12 false false true true false true"),
        ("paths", PATHS, "1, 1, 2, up, up silent, up silent up"),
        ("answers elsewhere", ELSEWHERE, [
            "ended missed answered-elsewhere", "ended missed declined", "ended missed hangup",
            "ended missed answered-elsewhere answer", "ended ended hangup",
            "ended missed unanswered ringing unanswered"]),
        ("late answers", LATE_ANSWERS, "true true true"),
        ("hostile names", HOSTILE_NAMES, [0, False, True, True, 2, "50/0/10/100    "]),
        ("timeline", TIMELINE, [
            "2026-11-24 2026-11-23 2026-11-25  ", "0 0.25 1", "b a c ", "2.5 2", "1 2 1 -1", "4 3 2 2",
            "0-10 0-5", "y x", False, "10/null 6/5-c 6/5-b 1/0-z", "d c b a z"]),
        ("calls that wait", WAITING_CALLS, [
            ["first offered first+second+third+fourth", "first offered first+third+fourth",
             "third offered third+fourth", "third offered third", "false 0"],
            [*(f"{name} ringing" for name in ("first", "second", "third", "fourth")), "first declined", "fourth busy",
             "fifth ringing"]]),
        ("time limits", TIME_LIMITS,
         "TimeoutError true true true true true true true TimeoutError false AbortError"),
        ("quality", QUALITY, {
            "first": [
                ["Path", "direct, UDP"], ["Round trip", "23 ms"], ["Video", "640×480, VP8", "–"],
                ["Frame rate", "30/s", "–"], ["Video bit rate", "–", "–"], ["Audio", "Opus", "Opus"],
                ["Audio bit rate", "–", "–"], ["Lost packets", "–", "2.5 %"], ["Jitter", "4 ms", "11 ms"]],
            "second": [
                ["Path", "through a relay, TLS"], ["Round trip", "23 ms"], ["Video", "640×480, VP8", "–"],
                ["Frame rate", "30/s", "–"], ["Video bit rate", "800 kbit/s", "–"], ["Audio", "Opus", "Opus"],
                ["Audio bit rate", "32 kbit/s", "40 kbit/s"], ["Lost packets", "10.0 %", "2.5 %"],
                ["Jitter", "4 ms", "11 ms"]],
            "hidden": [True, "false", 0], "shown": [False, "true", 1, "Video 640×480, VP8 –", "row"], "isQuiet": True,
        }),
        ("what is shown", SHOWN, {
            "seen": ["Available", "Busy", "Busy", "Do not disturb", "Available", "Unknown"],
            "reasons": ["The call from Mia was answered elsewhere.", "You declined the call from Mia elsewhere.",
                        "You missed a call from Mia.", "You missed a call from Mia."],
            "chat": [True, False, False, False, True],
            "again": [True, True, True, False],
            "keys": ["mute-microphone", "hang-up", None, None, None, None, None],
            "ages": ["", "", "position 5 min old", "position 59 min old", "position 2 hr old", "position 2 days old"],
        }),
    ):
        found = page.evaluate(script)
        if found != wanted:
            raise AssertionError(f"{name}: {found}")


def _swift_words(repository):
    """The reasons and problem types as the Swift sources spell them."""
    sessions = (repository / "Sources/Core/Signalling/Sessions.swift").read_text()
    refusals = (repository / "Sources/Hub/HubCore/HubRefusal.swift").read_text()
    faults = (repository / "Sources/Hub/HubHTTP/Middleware/ProblemMiddleware.swift").read_text()
    known = {
        "rejections": _raw_values(sessions, "RejectReason"),
        "endings": _raw_values(sessions, "EndReason"),
        "problems": re.findall(r'\(\s*"([a-z][a-z-]+)",', refusals) + re.findall(r'type: "([a-z-]+)", title: "', faults),
    }
    if any(len(words) < 5 for words in known.values()):
        raise AssertionError(f"the sources are written differently than this test expects: {known}")
    return known


def _raw_values(source, enumeration):
    body = re.search(rf"enum {enumeration}\b[^{{]*{{(.*?)\n}}", source, re.DOTALL)[1]
    return [raw or name for name, raw in re.findall(r'^\s*case (\w+)(?: = "([^"]+)")?', body, re.MULTILINE)]

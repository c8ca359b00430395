"""The page's modules under its content security policy, as far as they need a browser (others: Tests/Page)."""
from interop.browser import Browser
from interop.serving import StaticSite

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

#: The panel of quality is hidden at first, shows and hides by its button, and measures only while it shows.
QUALITY = """(async () => {
  const { bindQuality, followQuality } = await import("/quality-view.js");
  bindQuality();
  const report = new Map([
    { id: "V", type: "codec", mimeType: "video/VP8" },
    { id: "IV", type: "inbound-rtp", kind: "video", codecId: "V", timestamp: 1_000, bytesReceived: 100_000,
      packetsReceived: 90, packetsLost: 10, jitter: 0.004, frameWidth: 640, frameHeight: 480 },
  ].map((entry) => [entry.id, entry]));
  let asked = 0;
  const call = Object.assign(new EventTarget(), { isOver: false, async statistics() { asked += 1; return report; } });
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
  return { hidden, shown, isQuiet: asked === before };
})()"""

#: What a device calls things is text wherever it shows, also where it is written to be HTML.
HOSTILE_NAMES = """(async () => {
  const { TimelineView } = await import("/timeline-view.js");
  const { setText, byID } = await import("/dom.js");
  const { deviceEventText, recordNowErrorText, recordNowText } = await import("/view-texts.js");
  const name = "<img src=x onerror=document.body.dataset.isHacked=1><script>document.body.dataset.isHacked=1</" + "script>'><b>";
  const event = { id: name, kind: name, source: name, detail: name, start: 5, end: 6, score: name, archives: name, region: name };
  const view = new TimelineView();
  view.show({ from: 0, before: 10 }, [{ id: name, start: 1, end: 9, plans: [name], timeLapseInterval: name }], [event]);
  setText(byID("record-now-state"), recordNowErrorText({ status: 409, message: name }) + recordNowText({ isRecording: true, problem: name }));
  byID("device-events-heading").textContent = deviceEventText(event).title;
  const ids = [...byID("timeline").children].map(({ dataset }) => dataset.eventId ?? dataset.archiveId);
  const title = byID("timeline").querySelector(".mark").title;
  await new Promise((resolve) => setTimeout(resolve, 200));
  return [document.querySelectorAll("#device-events img, #device-events script, #device-events b").length, "isHacked" in document.body.dataset,
    ids.every((id) => id === name), title.includes(name), byID("record-now-state").textContent.split(name).length - 1];
})()"""


#: What an address asks for, why a browser cannot be rung, the hub's key, and one login that two tabs share: each takes over what
#: the other has renewed, and one alone asks the hub.
RINGING = """(async () => {
  const { wantedIn } = await import("/wanted-call.js");
  const { isAppleMobile, obstacleHere, publicKey } = await import("/push.js");
  const credentials = await import("/credentials.js");
  const { Renewal } = await import("/renewal.js");
  const id = "5D0F2F4E-6c39-4c3c-8c43-5cbd1c2fb9d1";
  const wanted = [`#/calls/${id}?answer`, `#/calls/${id}?decline`, `#/calls/${id}`, `#/calls/${id}?open`, "#/calls/../x?answer", ""]
    .map((hash) => wantedIn(hash)?.verb).join(" ");
  const obstacles = [obstacleHere({ isSecure: false }), obstacleHere({ has: () => false })].join(" ");
  const apple = [["iPhone", 5], ["Macintosh", 5], ["Macintosh", 0], ["Android", 5]]
    .map(([userAgent, maxTouchPoints]) => isAppleMobile({ userAgent, maxTouchPoints })).join(" ");
  const key = (octets) => btoa(String.fromCharCode(...octets)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const lengths = [new Uint8Array(65).fill(255).fill(4, 0, 1), new Uint8Array(65), new Uint8Array(64).fill(4)].map((octets) => {
    try { return publicKey(key(octets)).length; } catch { return "none"; }
  }).join(" ");
  const login = { userID: "mia", accessToken: "first", expiresIn: 3600, receivedAt: Date.now() - 3_000_000 };
  credentials.save(login);
  const alone = localStorage.getItem("livesessions.kept-login");
  credentials.keepRing("mia");
  credentials.save(login);
  let asked = 0;
  const tab = () => {
    const hub = { token: "first", async renewToken() {
      asked += 1;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return { userID: "mia", accessToken: `${hub.token}+`, expiresIn: 3600 };
    } };
    const renewal = new Renewal(hub);
    renewal.addEventListener("renewed", ({ detail }) => credentials.save(detail));
    renewal.start(login);
    return { hub, renewal };
  };
  const tabs = [tab(), tab()];
  await Promise.all(tabs.map(({ renewal }) => renewal.renew()));
  const tokens = tabs.map(({ hub }) => hub.token);
  for (const { renewal } of tabs) renewal.stop();
  sessionStorage.clear();
  const restored = credentials.restore();
  credentials.clear({ userID: "bert" });
  const isOthersKept = credentials.restore() !== null;
  credentials.clear(restored);
  const isGone = credentials.restore() === null;
  credentials.forgetRing();
  return [wanted, obstacles, apple, lengths, alone, asked, ...tokens, restored.accessToken, isOthersKept, isGone];
})()"""


def run(context):
    with StaticSite(context.web) as site, Browser(camera=context.camera(), microphone=context.microphone()) as browser:
        page = browser.page
        page.open(site.url)
        page.wait_for("!document.querySelector('#log-in').disabled", "the page's modules run")
        for name, script, wanted in (
            ("offers that cross", CROSSING_OFFERS, True),
            ("late answers", LATE_ANSWERS, "true true true"),
            ("hostile names", HOSTILE_NAMES, [0, False, True, True, 2]),
            ("ringing while closed", RINGING, [
                "answer decline    ", "insecure unsupported", "true true false false", "65 none none", None, 1, "first+",
                "first+", "first+", True, True]),
            ("quality", QUALITY, {
                "hidden": [True, "false", 0], "shown": [False, "true", 1, "Video 640×480, VP8 –", "row"], "isQuiet": True}),
        ):
            found = page.evaluate(script)
            if found != wanted:
                raise AssertionError(f"{name}: {found}")
        if page.text("#log-in") != "Log in" or page.text("#nearby") is not None:
            raise AssertionError("the first view is not the log-in")
        if context.artifacts:
            page.screenshot(context.artifacts / "login.png")
        if page.complaints:
            raise AssertionError(f"the console complains: {page.complaints}")
    return "no complaint of the console"

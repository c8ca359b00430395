// Notifications of events at devices that the hub pushes, with the event's image where the message has a ticket for it.

/** The device may be about to write the image: when it is asked for, after the pause before, in milliseconds. */
const imagePauses = [300, 2_000, 4_000];
/** How long one answer may take, in milliseconds. */
const imageLimit = 8_000;
/** Bytes; larger ones are no event's. */
const largestImage = 1 << 20;
/** How long a device's events are quiet once a person has asked for it, in milliseconds. */
const muteTime = 86_400_000;
/** The most of a name that is shown. */
const maximumName = 64;

async function showEvent(push) {
  const event = readEvent(push);
  if (!event) return showUnknown(push);
  const { title, body, tag, deviceID, eventID, texts } = event;
  // A push has to show something, however briefly.
  if (await isMuted(deviceID)) return showQuietly(title, { body, tag });
  // A stronger moment of the same rule replaces the notification, and is worth a sound.
  const options = {
    body, tag, timestamp: event.time, data: { deviceID, eventID }, actions: [{ action: "mute", title: texts.mute }],
  };
  await show(title, { ...options, renotify: true });
  const image = await eventImage(event);
  if (image && await isShown(tag, eventID)) await show(title, { ...options, image, silent: true });
}

/** What there is to show; null for what is no event. */
function readEvent({ deviceID, deviceTitle, eventID, eventKind, label, source, detail, rule, time, imageTicket, language }) {
  if (!isDeviceID(deviceID) || !isEventID(eventID) || !Number.isFinite(time)) return null;
  const texts = textsIn(language);
  const what = Object.hasOwn(texts.kinds, eventKind) ? texts.kinds[eventKind] : shortened(label, texts.unknownKind);
  const clock = new Date(time).toLocaleTimeString(language || undefined, { hour: "2-digit", minute: "2-digit" });
  return {
    title: `${what} · ${shortened(deviceTitle, texts.unknownDevice, maximumTitle)}`,
    body: [shortened(source, ""), shortened(detail, ""), clock].filter(Boolean).join(", "),
    tag: `event ${deviceID} ${shortened(rule, "")}`, deviceID, eventID, time, texts,
    ticket: typeof imageTicket === "string" ? imageTicket : null,
  };
}

/** They go into addresses. */
function isDeviceID(text) {
  return typeof text === "string" && /^[A-Za-z0-9_-]{1,128}$/.test(text);
}

function isEventID(text) {
  return typeof text === "string" && /^\d{8}T\d{6}Z-[0-9a-f]{8}$/.test(text);
}

function shortened(text, other, limit = maximumName) {
  return (typeof text === "string" && text.trim().slice(0, limit)) || other;
}

/** The image as a data URL, which is all that a worker can give a notification; null without. */
async function eventImage({ deviceID, eventID, ticket }) {
  if (!ticket) return null;
  for (const pause of imagePauses) {
    await new Promise((resolve) => setTimeout(resolve, pause));
    try {
      const answer = await fetch(new URL(`v1/event-images/${deviceID}/${eventID}`, scope), {
        headers: { "X-Image-Ticket": ticket }, cache: "no-store", credentials: "omit", redirect: "error",
        signal: AbortSignal.timeout(imageLimit),
      });
      if (answer.ok) return await dataURL(answer);
    } catch {
      // The network may be waking up: the next time.
    }
  }
  return null;
}

async function dataURL(answer) {
  if (answer.headers.get("Content-Type") !== "image/jpeg") return null;
  const octets = new Uint8Array(await answer.arrayBuffer());
  if (octets.length === 0 || octets.length > largestImage) return null;
  let text = "";
  for (let start = 0; start < octets.length; start += 0x8000) {
    text += String.fromCharCode(...octets.subarray(start, start + 0x8000));
  }
  return `data:image/jpeg;base64,${btoa(text)}`;
}

/** Not when the person has closed it meanwhile, or a later event has taken its place. */
async function isShown(tag, eventID) {
  const shown = await registration.getNotifications({ tag });
  return shown.some(({ data }) => data?.eventID === eventID);
}

/** Until when each device is quiet: a worker has no other storage that is as simple. The page deletes it at the logout. */
const mutedCache = `livesessions.muted ${scope.pathname}`;

function mutedAddress(deviceID) {
  return new URL(`muted/${deviceID}`, scope).href;
}

async function mute(deviceID) {
  const cache = await caches.open(mutedCache);
  await cache.put(mutedAddress(deviceID), new Response(String(Date.now() + muteTime)));
}

async function isMuted(deviceID) {
  const kept = await caches.match(mutedAddress(deviceID), { cacheName: mutedCache });
  return kept !== undefined && Number(await kept.text()) > Date.now();
}

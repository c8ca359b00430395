// The hub's HTTP API, version 1: one method a request, errors as typed objects. All paths are relative: the page may lie
// below a path of its proxy's.

/** How long a request may take with its whole answer, in milliseconds. */
const answerLimit = 15_000;
/** The same where the hub asks a device first, for which it has 15 s itself. */
const deviceLimit = 25_000;

/** How long the hub may keep a poll for events waiting, and the answer's own time. */
const pollLimit = 8_000 + answerLimit;

/** The hub answered with an RFC 9457 problem document (or with a bare error status). */
export class ProblemError extends Error {
  constructor({ type, title, status, detail }, retryAfter = null) {
    super(detail || title || `status ${status}`);
    /** How long the hub asks to wait, in whole seconds; null when it does not. */
    this.retryAfter = retryAfter;
    this.type = type;
    this.title = title;
    this.status = status;
    this.detail = detail;
  }
}

/** The hub could not be reached at all. */
export class UnreachableError extends Error {}

/** `fetch` as a client of the hub; knows the bearer token and nothing else. */
export class Hub extends EventTarget {
  /** @type {string | null} Set after a login; never leaves the `Authorization` header. */
  token = null;
  /** Gets a fresh {@link token}, or throws; tried once when the hub no longer accepts the one there is. */
  renew = null;

  /** `clientToken` is what an earlier login under this title was answered with, if any. */
  login(userTitle, password, clientToken) {
    const body = password ? { userTitle, password, clientToken } : { userTitle };
    return this.#json("POST", "v1/login", body, { anonymous: true });
  }

  /** A login with a new token, for the token that there is. */
  renewToken() {
    return this.#json("POST", "v1/token", undefined, { isRenewal: true });
  }

  /** Ends this page's login: its token is good for nothing more. */
  endLogin() {
    return this.#json("DELETE", "v1/login", undefined, { isRenewal: true });
  }

  /** Where this person is logged in, `{items: [{id, startedAt, renewedAt, address, client, isCurrent}]}`. */
  logins() {
    return this.#json("GET", "v1/logins");
  }

  /** Ends one of the person's logins, or without an id all but this page's. */
  endOtherLogins(id = null) {
    return this.#json("DELETE", id === null ? "v1/logins" : `v1/logins/${encodeURIComponent(id)}`);
  }

  /** Sets another password; the answer is a login in place of all that there are. */
  changePassword(oldPassword, newPassword) {
    return this.#json("PUT", "v1/password", { oldPassword, newPassword });
  }

  /** Sets a password by a one-time code; the answer is a login. */
  choosePassword(userTitle, code, newPassword) {
    return this.#json("POST", "v1/password", { userTitle, code, newPassword }, { anonymous: true });
  }

  /** The accounts that an operator administrates, `{count, items}`. */
  async accounts() {
    const items = [];
    let page = {};
    do {
      const query = page.next ? `?after=${encodeURIComponent(page.next)}` : "";
      page = await this.#json("GET", `v1/accounts${query}`);
      items.push(...page.items);
    } while (page.next && page.items.length > 0);
    return { count: page.count, items };
  }

  /** `{account, enrolmentKey?, code?}`: what the account proves itself by, this once. */
  createAccount(account) {
    return this.#json("POST", "v1/accounts", account);
  }

  changeAccount(id, change) {
    return this.#json("PATCH", accountPath(id), change);
  }

  removeAccount(id) {
    return this.#json("DELETE", accountPath(id));
  }

  /** A device's new key, as of {@link createAccount}; the old one ends. */
  renewEnrolmentKey(id) {
    return this.#json("POST", accountPath(id, "enrolment"));
  }

  /** A person's one-time code, as of {@link createAccount}; the password ends. */
  resetPassword(id) {
    return this.#json("POST", accountPath(id, "password"));
  }

  /** Where a person is logged in, as of {@link logins}. */
  accountLogins(id) {
    return this.#json("GET", accountPath(id, "logins"));
  }

  endAccountLogins(id) {
    return this.#json("DELETE", accountPath(id, "logins"));
  }

  /**
   * Calls in progress, `{items: [{sessionID, caller, receiver, startedAt, isAnswered}]}`; parties are
   * `{userID, userTitle, kind}`.
   */
  activeCalls() {
    return this.#json("GET", "v1/active-calls");
  }

  endActiveCall(sessionID) {
    return this.#json("DELETE", `v1/active-calls/${encodeURIComponent(sessionID)}`);
  }

  /** How this hub pushes, `{applicationServerKey, subscriptions}`; `push-off` where it does not. */
  push() {
    return this.#json("GET", "v1/push");
  }

  /** Has the hub ring a browser's push subscription for as long as this login lasts, `{id}`. */
  addPushSubscription(subscription) {
    return this.#json("POST", "v1/push/subscriptions", subscription);
  }

  removePushSubscription(id) {
    return this.#json("DELETE", `v1/push/subscriptions/${encodeURIComponent(id)}`);
  }

  /** Invitations of guests, `{items}`, the newest first; for operators. */
  invitations() {
    return this.#json("GET", "v1/invitations");
  }

  /** Makes an invitation, `{id, code}`. */
  invite(invitation) {
    return this.#json("POST", "v1/invitations", invitation);
  }

  /** Makes a link for players, `{id, link, until}`, the link relative to the hub's address. */
  makeViewLink(wish) {
    return this.#json("POST", "v1/view-links", wish);
  }

  revokeInvitation(id) {
    return this.#json("DELETE", `v1/invitations/${encodeURIComponent(id)}`);
  }

  /** What an invitation's code is good for. Codes go in bodies alone: addresses end up in logs. */
  checkInvitation(code) {
    return this.#json("POST", "v1/invitations/check", { code }, { anonymous: true });
  }

  /** A guest's login, by a new `key`, or by `challenge` and `proof`. */
  redeemInvitation(redemption) {
    return this.#json("POST", "v1/invitations/redeem", redemption, { anonymous: true });
  }

  /** What a guest may call, `{name, media, until, devices}`. */
  guestOverview() {
    return this.#json("GET", "v1/invitation");
  }

  /** A page of the audit log, `{items, next}`, the newest first; for operators. */
  audit({ before = null, kind = null, limit }) {
    const query = new URLSearchParams({ limit });
    if (before !== null) query.set("before", before);
    if (kind !== null) query.set("kind", kind);
    return this.#json("GET", `v1/audit?${query}`);
  }

  publishPresence(update) {
    return this.#json("PUT", "v1/presence", update);
  }

  /** Of the page with this event stream; the person's other ones keep theirs, if the hub distinguishes them. */
  withdrawPresence(eventStreamID) {
    const query = eventStreamID ? `?${new URLSearchParams({ eventStreamID })}` : "";
    return this.#json("DELETE", `v1/presence${query}`);
  }

  users({ position, within, limit = 200 } = {}) {
    const query = new URLSearchParams({ limit });
    if (position) {
      query.set("latitude", position.latitude);
      query.set("longitude", position.longitude);
      if (within) query.set("within", within);
    }
    return this.#json("GET", `v1/users?${query}`);
  }

  /** Calls that are over, `{calls, next, missed, retention}`; `before` is `next` of an earlier answer. */
  callHistory({ before = null, limit }) {
    const query = new URLSearchParams({ limit });
    if (before !== null) query.set("before", before);
    return this.#json("GET", `v1/calls?${query}`);
  }

  /** The person has seen the calls that ended until then (milliseconds since 1970). */
  seeCalls(until) {
    return this.#json("PUT", "v1/calls/seen", { until });
  }

  /** The devices that an operator administrates, `{items: [{id, title, groups, isDisabled, isOnline, lastSeen, report}]}`. */
  devices() {
    return this.#json("GET", "v1/devices");
  }

  startSession(id, request) {
    return this.#json("PUT", session(id), request);
  }

  /** `verb` is `ringing`, `answer`, `reject`, `candidates`, `offer`, `signal` or `control`. */
  tellSession(id, verb, body = {}) {
    return this.#json("POST", `${session(id)}/${verb}`, body);
  }

  endSession(id, reason, { keepalive = false } = {}) {
    return this.#json("DELETE", session(id), { reason }, { keepalive });
  }

  archives(userID) {
    return this.#json("GET", archivePath(userID), undefined, { limit: deviceLimit });
  }

  archiveManifest(userID, archiveID) {
    return this.#json("GET", archivePath(userID, archiveID), undefined, { limit: deviceLimit });
  }

  /** The names of a device's cameras, `{items}`, the main one first. */
  cameras(userID) {
    return this.#json("GET", userPath(userID, "cameras"), undefined, { limit: deviceLimit });
  }

  /**
   * A snapshot of a device's camera, as a blob, the main one's unless another is named; the device may have to open
   * the camera first.
   */
  async snapshot(userID, camera = null) {
    const path = userPath(userID, "snapshot", ...(camera === null ? [] : [camera]));
    return (await this.request("GET", path, { limit: deviceLimit })).blob();
  }

  /**
   * What a device noticed from one moment to before another (milliseconds since 1970): the newest, `{items, hasMore, next}`, or
   * those behind what a page before had as `next`.
   */
  deviceEvents(userID, { from, before, after = null }) {
    const query = new URLSearchParams({ from, before });
    if (after !== null) query.set("after", after);
    return this.#json("GET", `${userPath(userID, "events")}?${query}`, undefined, { limit: deviceLimit });
  }

  /** When a device recorded within a span, `{items: [{id, start, end}], hasMore}`; an ongoing one has no end. */
  recordings(userID, { from, before }) {
    const query = new URLSearchParams({ from, before });
    return this.#json("GET", `${userPath(userID, "recordings")}?${query}`, undefined, { limit: deviceLimit });
  }

  /**
   * Whether a manual recording runs at a device, `{isRecording, secondsLeft, problem}`; `isWanted` starts or stops that before,
   * unless null.
   */
  recordManually(userID, isWanted = null) {
    const body = isWanted === null ? undefined : { isRecording: isWanted };
    return this.#json(body ? "PUT" : "GET", userPath(userID, "recording"), body, { limit: deviceLimit });
  }

  /** The image of an event, as a blob. */
  async eventImage(userID, eventID) {
    const path = userPath(userID, "events", eventID, "picture");
    return (await this.request("GET", path, { limit: deviceLimit })).blob();
  }

  /** One piece of a file, as the raw response (200 or 206); `signal` limits how long it may take. */
  archiveFile(userID, archiveID, filename, { range, signal }) {
    const headers = range ? { Range: range } : {};
    return this.request("GET", archivePath(userID, archiveID, filename), { headers, signal, limit: null });
  }

  /** Lets `<video>` elements and links read an archive's files, by a cookie, for a quarter of an hour. */
  async viewArchive(userID, archiveID) {
    await this.request("POST", archivePath(userID, archiveID, "view"), { credentials: "same-origin" });
  }

  archiveFileAddress(userID, archiveID, filename) {
    return archivePath(userID, archiveID, filename);
  }

  /** The address of a part of a file's stream, between two seconds of the archive, as a file of its own. */
  clipAddress(userID, archiveID, filename, { from, to }) {
    return `${archivePath(userID, archiveID, filename)}?${new URLSearchParams({ from, to })}`;
  }

  /** What an archive shows, as a blob. */
  async archiveThumbnail(userID, archiveID) {
    return (await this.request("GET", archivePath(userID, archiveID, "thumbnail"), { limit: deviceLimit })).blob();
  }

  /** Locks or unlocks an archive (`isLocked`), or gives it a name (`name`). */
  changeArchive(userID, archiveID, change) {
    return this.#json("PATCH", archivePath(userID, archiveID), change, { limit: deviceLimit });
  }

  deleteArchive(userID, archiveID) {
    return this.#json("DELETE", archivePath(userID, archiveID), undefined, { limit: deviceLimit });
  }

  /** The event stream as the raw response; `signal` limits how long it may be silent. */
  events(lastEventID, signal) {
    return this.request("GET", "v1/events", { headers: eventHeaders(lastEventID), signal, limit: null });
  }

  /** The events after one, as text in the stream's format; `eventStreamID` is the one of the answer before, or empty. */
  async pollEvents(eventStreamID, lastEventID) {
    const path = `v1/events?${new URLSearchParams({ poll: eventStreamID })}`;
    return (await this.request("GET", path, { headers: eventHeaders(lastEventID), limit: pollLimit })).text();
  }

  /**
   * Sends one request and returns the response when its status is below 400.
   *
   * After `limit` milliseconds (null: whenever `signal` says so) request and response fail with a `TimeoutError`.
   *
   * Dispatches `unauthorized` when the hub accepts neither the token nor its renewal.
   */
  async request(method, path, options = {}) {
    const { anonymous = false, isRenewal = false } = options;
    const token = anonymous ? null : this.token;
    let response = await this.#send(method, path, token, options);
    if (response.status === 401 && token && !isRenewal && await this.#hasFreshToken(token)) {
      response = await this.#send(method, path, this.token, options);
    }
    if (response.ok) return response;
    const problem = await readProblem(response);
    if (response.status === 401 && token && !isRenewal && this.token) this.dispatchEvent(new Event("unauthorized"));
    throw problem;
  }

  async #send(method, path, token, { body, headers = {}, signal, limit = answerLimit, keepalive = false, credentials = "omit" }) {
    const sent = new Headers(headers);
    if (token) sent.set("Authorization", `Bearer ${token}`);
    if (body !== undefined) sent.set("Content-Type", "application/json");
    try {
      return await fetch(path, {
        method, headers: sent, signal: limit === null ? signal : AbortSignal.timeout(limit), keepalive,
        cache: "no-store", credentials,
        body: body === undefined ? undefined : JSON.stringify(body),
      });
    } catch (error) {
      if (error.name === "AbortError" || error.name === "TimeoutError") throw error;
      throw new UnreachableError(error.message);
    }
  }

  /** Whether there is another token than the refused one, after a renewal if need be; no answer is no refusal. */
  async #hasFreshToken(refused) {
    if (this.token !== refused || !this.renew) return this.token !== null;
    try {
      await this.renew();
      return this.token !== refused && this.token !== null;
    } catch (error) {
      if (error.status === 401) return false;
      throw error;
    }
  }

  async #json(method, path, body, options = {}) {
    const response = await this.request(method, path, { body, ...options });
    const text = await response.text();
    return text ? JSON.parse(text) : null;
  }
}

function eventHeaders(lastEventID) {
  return lastEventID ? { Accept: "text/event-stream", "Last-Event-ID": lastEventID } : { Accept: "text/event-stream" };
}

function session(id) {
  return `v1/sessions/${encodeURIComponent(id)}`;
}

function archivePath(userID, ...rest) {
  return userPath(userID, "archives", ...rest);
}

function accountPath(...parts) {
  return ["v1/accounts", ...parts.map(encodeURIComponent)].join("/");
}

function userPath(...parts) {
  return ["v1/users", ...parts.map(encodeURIComponent)].join("/");
}

async function readProblem(response) {
  const retryAfter = readRetryAfter(response.headers.get("Retry-After"));
  const fallback = { type: "about:blank", title: response.statusText, status: response.status };
  try {
    return new ProblemError({ ...fallback, ...(await response.json()), status: response.status }, retryAfter);
  } catch {
    return new ProblemError(fallback, retryAfter);
  }
}

/** Seconds alone: a date would ask for a clock that is right. */
function readRetryAfter(text) {
  return /^\d{1,6}$/.test(text ?? "") ? Number(text) : null;
}

// Calls that are over, as the hub keeps them: what was missed, and pages of the list.

const pageSize = 50;

/** Dispatches `missed` when the number of missed calls has changed, and `call` when one more is on the list. */
export class CallHistory extends EventTarget {
  /** Calls that came while no one of this person's pages took them, since the list was seen. */
  missed = 0;
  #hub;
  #isOn = false;
  /** Figures are numbered as they come: an answer does not undo an event that came meanwhile. */
  #came = 0;

  constructor(hub, events) {
    super();
    this.#hub = hub;
    events.addEventListener("call.history", ({ detail }) => {
      if (!this.#isOn) return;
      this.#setMissed(detail.missed);
      if (detail.call) this.dispatchEvent(new Event("call"));
    });
    // Events may have been lost while the stream was.
    events.addEventListener("hello", () => this.#refresh());
  }

  start() {
    this.#isOn = true;
  }

  stop() {
    this.#isOn = false;
    this.#setMissed(0);
  }

  /** `{calls, next, missed, retention}`, the newest first; `before` is a page's `next`, or null. */
  async page(before = null) {
    const number = this.#came;
    const page = await this.#hub.callHistory({ before, limit: pageSize });
    if (this.#isOn && number === this.#came) this.#setMissed(page.missed);
    return page;
  }

  /** The person has the list before the eyes; `until` is when the newest call on it ended. */
  async see(until) {
    if (this.missed === 0) return;
    // All pages of this person get the event; should it not arrive, the next page of the list says how many there are.
    await this.#hub.seeCalls(until).catch(() => {});
  }

  async #refresh() {
    if (!this.#isOn) return;
    const number = this.#came;
    const page = await this.#hub.callHistory({ limit: 1 }).catch(() => null);
    if (page && this.#isOn && number === this.#came) this.#setMissed(page.missed);
  }

  #setMissed(missed) {
    this.#came += 1;
    const count = Number.isSafeInteger(missed) && missed > 0 ? missed : 0;
    if (count === this.missed) return;
    this.missed = count;
    this.dispatchEvent(new Event("missed"));
  }
}

/**
 * What a call was to this person: `{party, isIncoming, isOwn, isMissed, outcome, seconds}`. `party` is the other side, of others'
 * calls the device; `seconds` is how long it lasted, null where no one answered.
 */
export function meaningOf(call, ownID) {
  const isIncoming = call.receiver.userID === ownID;
  const isOwn = isIncoming || call.caller.userID === ownID;
  const isOfCaller = isOwn ? isIncoming : call.caller.kind === "device";
  return {
    party: isOfCaller ? call.caller : call.receiver, isIncoming, isOwn, outcome: call.outcome,
    isMissed: isIncoming && !["answered", "declined", "answered-elsewhere"].includes(call.outcome),
    seconds: call.answeredAt == null ? null : Math.max(0, (call.endedAt - call.answeredAt) / 1000),
  };
}

/** At which device a call was recorded: the caller, if both are devices; null where neither is. */
export function recordingDevice({ caller, receiver }) {
  return [caller, receiver].find(({ kind }) => kind === "device") ?? null;
}

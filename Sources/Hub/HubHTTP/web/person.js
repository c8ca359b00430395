// Who is logged in on this page: how they come, and how they leave.

import * as credentials from "./credentials.js";
import { byID, notify } from "./dom.js";
import { messages } from "./messages.js";
import { texts } from "./texts.js";

export class Person {
  /** What the hub has said of them; null while no one is logged in. */
  login = null;
  /** Whether the hub has logged them out in the midst of a call. */
  #isLeaving = false;
  #page;

  /**
   * `page` has what begins and ends with a login; `onEnter(login)` and `onLeave(text)` show it, `text` being why it is over, if
   * that was not their wish.
   */
  constructor(page) {
    this.#page = page;
  }

  enter(login) {
    const { push, pushView, callHistory, events, known, interruptedCall, onEnter } = this.#page;
    this.#take(login);
    byID("own-title").textContent = login.userTitle;
    push.start(login.userID);
    pushView.render();
    if (login.role === "operator" || login.role === "user") callHistory.start();
    events.start();
    known.start();
    onEnter(login);
    interruptedCall.show(login.userID);
  }

  save() {
    if (this.login) credentials.save(this.login);
  }

  renewed(login) {
    this.login = login;
    this.save();
  }

  /** The login that comes with another password: the hub has ended the one before. */
  changedPassword(login, clientToken) {
    if (clientToken) credentials.saveClientToken(this.login.userTitle, clientToken);
    this.#take({ ...this.login, ...login });
  }

  /** Who is logged out in a call is notified, and leaves after it: a call ends by its parties' wish alone. */
  loggedOut() {
    const { calls } = this.#page;
    const text = texts.login.loggedOut;
    if (!calls.isBusy) return this.#leave(text);
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    notify(texts.login.loggedOutInCall);
    calls.current.addEventListener("state", () => { if (!calls.isBusy) this.#leave(text); });
  }

  /**
   * The presence is the person's: while there are other pages in this browser, they keep it. The hub ends the login, so that its
   * token is of no use to anybody; without the hub the page forgets it all the same.
   */
  async logOut() {
    const { hub, calls, push, otherPages, events, renewal } = this.#page;
    calls.hangUp();
    await push.turnOff();
    if (!(await otherPages.exist())) await hub.withdrawPresence(events.eventStreamID).catch(() => {});
    renewal.stop();
    events.stop();
    await hub.endLogin().catch(() => {});
    this.#leave("");
  }

  #take(login) {
    const { hub, renewal } = this.#page;
    this.renewed(login);
    hub.token = login.accessToken;
    renewal.start(login);
  }

  #leave(text) {
    if (!this.login) return;
    const { hub, calls, push, interruptedCall, known, onLeave } = this.#page;
    this.#isLeaving = false;
    credentials.clear(this.login);
    this.login = null;
    calls.hangUp();
    push.pause();
    for (const name of ["renewal", "presence", "events", "callHistory"]) this.#page[name].stop();
    interruptedCall.close();
    messages.clear();
    hub.token = null;
    onLeave(text);
    known.stop();
  }
}
